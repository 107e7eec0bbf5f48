package acp

import "github.com/holdfast-mcp/holdfast/core/engine"

// The codes of ACP's own, beside engine's.
const (
	CodeNoVersion   engine.Code = "no_version"  // there is no protocol version that both speak
	CodeNoSession   engine.Code = "no_session"  // the client has no such session
	CodeUnsupported engine.Code = "unsupported" // the agent does not offer it
)

// reason wraps what the browser said about a failure; nil for nothing.
func reason(detail string) error {
	if detail == "" {
		return nil
	}
	return &engine.Error{Code: engine.CodeNetwork, Message: detail}
}
