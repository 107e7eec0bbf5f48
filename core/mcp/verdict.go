package mcp

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// refusal is what a response other than 2xx to a POST means.
type refusal uint8

const (
	refusalHTTP        refusal = iota // a status, nothing more
	refusalRPCError                   // an answer: the JSON-RPC error in its body
	refusalSessionGone                // initialize anew, then send again
	refusalAuthorize                  // ask for a token, then send again
	refusalHeaders                    // an answer: it was not run, for want of header fields
)

// verdictOnRefusal decides by status, the code of the JSON-RPC error in the
// body (0 for none), whether the request carried a session id, and whether the
// error's message blames the session.
func verdictOnRefusal(status int, code int64, hadSession, blamesSession bool) refusal {
	switch {
	case status == 401:
		return refusalAuthorize
	case (status == 404 || status == 410) && hadSession && code != methodNotFound:
		return refusalSessionGone
	// A server that has become a legacy one says the same to a request that
	// describes itself. Servers made from the TypeScript SDK's examples, server-everything among
	// them, say so about a session they do not know. The code alone proves
	// nothing: it may mean that a tool ran and failed.
	case status == 400 && code == serverError && blamesSession:
		return refusalSessionGone
	// The status is half of the proof: with 200, or on a stream, a tool that ran
	// may say whatever it likes (RELIABILITY 125).
	case status == 400 && code == headerMismatch:
		return refusalHeaders
	case code != 0:
		return refusalRPCError
	}
	return refusalHTTP
}

// namesSession reports whether a JSON-RPC error's message speaks of the session:
// "Bad Request: No valid session ID provided", "Server not initialized".
func namesSession(m *jsonrpc.Message) bool {
	if m == nil || m.Kind != jsonrpc.ErrorResponse {
		return false
	}
	value, _ := jsonrpc.Member(m.Error, "message")
	text, _ := jsonrpc.String(value)
	text = strings.ToLower(text)
	return strings.Contains(text, "session") || strings.Contains(text, "not initialized")
}

// listenVerdict is what an answer to the GET stream's request means where it is
// not an event stream.
type listenVerdict uint8

const (
	listenOff         listenVerdict = iota // not offered, or nothing that a retry would change
	listenAgain                            // a passing fault: try again later
	listenAnew                             // the cursor is stale: open without one
	listenAuthorize                        // ask for a token first
	listenSessionGone                      // the session, and the stream with it
)

// verdictOnListen decides by status, whether the request carried a cursor, and
// whether this session has had the stream: a server without a GET route says
// 404 about it as well.
func verdictOnListen(status int, hadCursor, hadStream bool) listenVerdict {
	switch {
	case status == 401:
		return listenAuthorize
	case (status == 404 || status == 410) && hadStream:
		return listenSessionGone
	case status == 400 && hadCursor:
		return listenAnew
	case passing(status):
		return listenAgain
	}
	// 405: not offered. 200 with JSON or 204: neither is a stream, and asking
	// again would get the same (RELIABILITY fault 29).
	return listenOff
}

// passing reports whether a status says that the same request may succeed
// later. 409: the server still believes in the connection that we lost, and
// serves one at a time, as the official SDKs do.
func passing(status int) bool {
	switch status {
	case 408, 409, 425, 429:
		return true
	case 501:
		return false
	}
	return status >= 500
}

// resumeVerdict is what the answer to a GET with Last-Event-ID means where it
// is not an event stream.
type resumeVerdict uint8

const (
	resumeAgain       resumeVerdict = iota // a passing fault: try again later
	resumeAuthorize                        // ask for a token first
	resumeSessionGone                      // the session, and the call with it
	resumeLost                             // the server has no such stream any more
	resumeUnknown                          // the server does not resume at all
)

func verdictOnResume(status int) resumeVerdict {
	switch {
	case status == 401:
		return resumeAuthorize
	case status == 404 || status == 410:
		return resumeSessionGone
	case status == 405 || status == 501:
		return resumeUnknown
	case passing(status):
		return resumeAgain
	}
	return resumeLost
}
