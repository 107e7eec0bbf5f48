package wire

import (
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Refusal is what a response other than 2xx to a POST means.
type Refusal uint8

const (
	RefusalHTTP        Refusal = iota // a status, nothing more
	RefusalRPCError                   // an answer: the JSON-RPC error in its body
	RefusalSessionGone                // initialize again, then send again
	RefusalAuthorize                  // ask for a token, then send again
	RefusalHeaders                    // an answer: it was not run, for want of header fields
	RefusalDuplicate                  // the request has been taken already: its fate is open
)

// VerdictOnRefusal decides by status, the code of the JSON-RPC error in the
// body (0 for none), whether the request carried a session id, whether the error blames the
// session, or the revision that was agreed on, and whether it says that the server has the request.
func VerdictOnRefusal(status int, code int64, hadSession, blamesSession, taken bool) Refusal {
	switch {
	case taken:
		return RefusalDuplicate
	case status == 401:
		return RefusalAuthorize
	case (status == 404 || status == 410) && hadSession && code != MethodNotFound:
		return RefusalSessionGone
	// A server that has become a legacy one says the same to a request that
	// describes itself. Servers made from the TypeScript SDK's examples, server-everything among
	// them, say so about a session they do not know. The code alone proves
	// nothing: it may mean that a tool ran and failed.
	case status == 400 && (code == serverError || code == unsupportedVersion) && blamesSession:
		return RefusalSessionGone
	// The status is half of the proof: with 200, or on a stream, a tool that ran
	// may say whatever it likes (fault 125).
	case status == 400 && code == HeaderMismatch:
		return RefusalHeaders
	case code != 0:
		return RefusalRPCError
	}
	return RefusalHTTP
}

// BlamesSession reports whether a JSON-RPC error's message speaks of the session:
// "Bad Request: No valid session ID provided", "Server not initialized".
func BlamesSession(m *jsonrpc.Message) bool {
	text := errorText(m)
	return strings.Contains(text, "session") || strings.Contains(text, "not initialized")
}

// BlamesRevision reports whether a JSON-RPC error says that the server does not speak a revision any
// more, and this client one of those that it does (2026-07-28 basic/versioning). Legacy servers made of
// the official TypeScript SDK say so in words alone.
func BlamesRevision(m *jsonrpc.Message, name string) bool {
	if ErrorCode(m) != unsupportedVersion {
		return strings.Contains(errorText(m), "unsupported protocol version")
	}
	supported := ReadVersions(jsonrpc.First(m.Error, "data"), "supported")
	modern, legacy := Common(supported)
	return modern+legacy != "" && !slices.Contains(supported, name)
}

// errorText returns the message of a JSON-RPC error in small letters.
func errorText(m *jsonrpc.Message) string {
	if m == nil || m.Kind != jsonrpc.ErrorResponse {
		return ""
	}
	text, _ := jsonrpc.String(jsonrpc.First(m.Error, "message"))
	return engine.Lower(text)
}

// ListenVerdict is what an answer to the GET stream's request means where it is
// not an event stream.
type ListenVerdict uint8

const (
	ListenOff           ListenVerdict = iota // not offered, or nothing that a retry would change
	ListenRetry                              // a passing fault: try again later
	ListenWithoutCursor                      // the cursor is stale: open without one
	ListenAuthorize                          // ask for a token first
	ListenSessionGone                        // the session, and the stream with it
)

// VerdictOnListen decides by status, whether the request carried a cursor, and
// whether this session has had the stream: a server without a GET route says
// 404 about it as well.
func VerdictOnListen(status int, hadCursor, hadStream bool) ListenVerdict {
	switch {
	case status == 401:
		return ListenAuthorize
	case (status == 404 || status == 410) && hadStream:
		return ListenSessionGone
	case status == 400 && hadCursor:
		return ListenWithoutCursor
	case Transient(status):
		return ListenRetry
	}
	// 405: not offered. 200 with JSON or 204: neither is a stream, and asking
	// again would get the same (fault 29).
	return ListenOff
}

// Transient reports whether a status says that the same request may succeed
// later. 409: the server still believes in the connection that we lost, and
// serves one at a time, as the official SDKs do.
func Transient(status int) bool {
	switch status {
	case 408, 409, 425, 429:
		return true
	case 501:
		return false
	}
	return status >= 500
}

// Busy reports whether a status says that the request was not looked at: there were too many,
// or it came too slowly or too early. Nothing follows from it but to ask the same later.
func Busy(status int) bool { return status == 408 || status == 425 || status == 429 }

// SaysBusy reports whether a JSON-RPC error with that code, in an answer with that status, says no more than
// the status does: one of a number of the server's own, or of those for whatever else there is.
func SaysBusy(status int, code int64) bool {
	return Busy(status) && (code == -32000 || code == -32603 || code < -32768 || code > -32000)
}

// RefusesHandshake reports whether a status may be how a server refuses a handshake that is not of its
// revision.
func RefusesHandshake(status int) bool {
	return status >= 400 && status < 500 && status != 401 && status != 403 && !Busy(status)
}

// ResumeVerdict is what the answer to a GET with Last-Event-ID means where it
// is not an event stream.
type ResumeVerdict uint8

const (
	ResumeRetry       ResumeVerdict = iota // a passing fault: try again later
	ResumeAuthorize                        // ask for a token first
	ResumeSessionGone                      // the session, and the call with it
	ResumeLost                             // the server has no such stream any more
	ResumeUnknown                          // the server does not resume at all
)

// VerdictOnResume decides by the status alone.
func VerdictOnResume(status int) ResumeVerdict {
	switch {
	case status == 401:
		return ResumeAuthorize
	case status == 404 || status == 410:
		return ResumeSessionGone
	case status == 405 || status == 501:
		return ResumeUnknown
	case Transient(status):
		return ResumeRetry
	}
	return ResumeLost
}
