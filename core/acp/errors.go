package acp

import "github.com/holdfast-mcp/holdfast/core/engine"

// The codes of ACP's own, beside engine's.
const (
	CodeNoVersion   engine.Code = "no_version"  // there is no protocol version that both speak
	CodeNoSession   engine.Code = "no_session"  // the client has no such session
	CodeUnsupported engine.Code = "unsupported" // the agent does not offer it
)
