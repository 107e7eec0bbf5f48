package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// Codes that only MCP has.
const (
	CodeNoRevision engine.Code = "no_revision" // no common protocol revision
	// the session id cannot be sent back, or every new session is forgotten
	CodeSessionRejected engine.Code = "session_rejected"
)

// lostError says that the server no longer has the call.
func lostError(method string, status int) *engine.Error {
	return &engine.Error{Code: engine.CodeLost, Op: method, Status: status,
		Message: "the server no longer has this call's stream; it may have run"}
}

// unknownError says that the request may have run, and that nobody can tell.
func unknownError(method string, status int, why string) *engine.Error {
	return &engine.Error{Code: engine.CodeOutcomeUnknown, Op: method, Status: status,
		Message: "the request may have run: " + why}
}

// unsentError says that the request never left, and that nobody will send it: it can
// be made again without harm.
func unsentError(method, why string) *engine.Error {
	return &engine.Error{Code: engine.CodeUnsent, Op: method, Retryable: true,
		Message: "the request was not sent, and will not be: " + why}
}

// undeletedError says that the request has not left, and that a later page may send it.
func undeletedError(method string) *engine.Error {
	return &engine.Error{Code: engine.CodeOutcomeUnknown, Op: method,
		Message: "the request was not sent, but the store has failed and may still hold it: a later page " +
			"may send it"}
}

// undecidedError says that a call was not sent since it was never known whether another
// page makes the same one, under the same key.
func undecidedError(method string) *engine.Error {
	e := unsentError(method, "the store has failed, and did not say whose the call's key is")
	e.Hint = "Another page may have made the call under this key. Make room in the browser's storage, or " +
		"reload the page, and make the call again; without a key it does not wait for the store."
	return e
}

// waitedTooLong is why a call that waits ends (sendWithin).
const waitedTooLong = "it has waited for longer than it may"

// errStreamReadTimeout is the cause that MCP clients in use give to a stream on
// which nothing came for too long.
var errStreamReadTimeout = &engine.Error{Code: engine.CodeTimeout, Message: "-32000 Stream read timeout"}

func timeoutError(method, what string) *engine.Error {
	return &engine.Error{Code: engine.CodeTimeout, Op: method, Retryable: wire.SafeMethod(method),
		Message: what}
}

// httpError describes a status that is no answer.
func httpError(method string, status int) *engine.Error {
	e := link.HTTPError(method, "the server", status, wire.SafeMethod(method))
	if status == 404 || status == 405 {
		e.Message = "there is no MCP endpoint at this URL"
	}
	return e
}

// closedError is what every call gets once the client is closed or has failed.
func (c *Client) closedError(op string) *engine.Error {
	if c.failure != nil {
		e := *c.failure
		e.Op = op
		return &e
	}
	return &engine.Error{Code: engine.CodeClosed, Op: op, Message: "the client is closed"}
}
