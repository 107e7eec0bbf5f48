package mcp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// refusal is what a response other than 2xx to a POST means.
type refusal uint8

const (
	refusalHTTP        refusal = iota // a status, nothing more
	refusalRPCError                   // an answer: the JSON-RPC error in its body
	refusalSessionGone                // initialize anew, then send again
	refusalAuthorize                  // ask for a token, then send again
)

// JSON-RPC error codes that decide something. -32000 means whatever a server
// wants it to mean.
const (
	methodNotFound = -32601
	serverError    = -32000
)

// verdictOnRefusal decides by status, the code of the JSON-RPC error in the
// body (0 for none), whether the request carried a session id, and whether it
// was sent again in a new session already.
func verdictOnRefusal(status int, code int64, hadSession, resent bool) refusal {
	switch {
	case status == 401:
		return refusalAuthorize
	case (status == 404 || status == 410) && hadSession && code != methodNotFound:
		return refusalSessionGone
	// Servers made from the TypeScript SDK's examples, server-everything among
	// them, say so about a session they do not know: "No valid session ID
	// provided", "Server not initialized".
	case status == 400 && hadSession && code == serverError && !resent:
		return refusalSessionGone
	case code != 0:
		return refusalRPCError
	}
	return refusalHTTP
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
	// 409: the server still believes in the connection that we lost, and
	// serves one at a time (the official TypeScript SDK does).
	case status == 409 || status == 408 || status == 425 || status == 429 || status >= 500:
		return resumeAgain
	}
	return resumeLost
}

// safeMethod reports whether running a request twice changes nothing, by its
// method alone. What a tool does is not known here.
func safeMethod(method string) bool {
	switch method {
	case "initialize", "ping", "tools/list", "resources/list", "resources/templates/list",
		"resources/read", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel":
		return true
	}
	return false
}

// rpcCode returns the code of a JSON-RPC error, 0 where there is none.
func rpcCode(m *jsonrpc.Message) int64 {
	if m == nil || m.Kind != jsonrpc.ErrorResponse {
		return 0
	}
	value, _ := jsonrpc.Member(m.Error, "code")
	code, _ := jsonrpc.Int(value)
	return code
}

// maxRetryAfter bounds a server's Retry-After, in ms (RELIABILITY fault 26).
const maxRetryAfter = 3_600_000

// retryAfter returns the delay that a Retry-After in seconds asks for, in ms.
// The form with a date needs a wall clock, which core has not; it counts as 0.
func retryAfter(x *link.Exchange) int64 {
	seconds, err := strconv.ParseUint(x.Header("retry-after"), 10, 32)
	if err != nil {
		return 0
	}
	return min(int64(seconds)*1000, maxRetryAfter)
}

// reason wraps what the browser said as a cause; nil for nothing.
func reason(detail string) error {
	if detail == "" {
		return nil
	}
	return &engine.Error{Code: engine.CodeNetwork, Message: detail}
}
