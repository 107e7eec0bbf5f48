package wire

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// JSON-RPC error codes that decide something. -32000 means whatever a server
// wants it to mean.
const (
	MethodNotFound = -32601
	serverError    = -32000
)

// JSON-RPC error codes of 2026-07-28 that prove a modern server, with the ones
// that the release candidate of May 2026 used for the same. The candidate's
// overlap with what legacy servers send for anything, so they count only with
// the data that belongs to them.
const (
	HeaderMismatch       = -32020
	missingCapability    = -32021
	unsupportedVersion   = -32022
	missingCapabilityRC  = -32003
	unsupportedVersionRC = -32004
	HeaderMismatchRC     = -32001
)

// ErrorCode returns the code of a JSON-RPC error, 0 where there is none.
func ErrorCode(m *jsonrpc.Message) int64 {
	if m == nil || m.Kind != jsonrpc.ErrorResponse {
		return 0
	}
	return jsonrpc.ErrorCode(m.Error)
}

// URLElicitationRequired is the code of 2025-11-25 that asks for visits to pages before a
// request is made again, as an error object has it.
const URLElicitationRequired = "-32042"
