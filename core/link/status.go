package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// StatusRedirect stands for any redirect, which the host does not tell apart.
const StatusRedirect = 300

// HTTPError describes a status that is no answer. peer is who gave it: "the server".
// Retryable are the statuses that say "later" and, where the request is safe to
// repeat, those of a proxy that lost its server: after any other the request may
// have run.
func HTTPError(op, peer string, status int, safe bool) *engine.Error {
	e := &engine.Error{Code: engine.CodeHTTP, Op: op, Status: status, Message: peer + " refused the request"}
	switch status {
	case 401:
		e.Code, e.Message = engine.CodeUnauthorized, peer+" wants a bearer token, or another one"
	case StatusRedirect:
		e.Message = peer + " redirects, which is not followed: its target might be anybody's"
	case 403:
		e.Message = peer + " forbids the request; some refuse every page of another origin"
	case 404, 405:
		e.Message = peer + " has no such endpoint at this URL"
	case 429, 503:
		e.Retryable, e.Message = true, peer+" cannot answer now"
	case 502, 504:
		e.Retryable, e.Message = safe, "a proxy got no answer from "+peer
	}
	return e
}

// Unreadable describes an answer that the app's own fetch kept from the client; detail is
// what it gave. The server has the request, and the same fetch would do the same again.
func Unreadable(op, detail string) *engine.Error {
	return &engine.Error{Code: engine.CodeNetwork, Op: op, Message: detail, Hint: unreadableHint}
}

const unreadableHint = "The app's fetch has to return the Response as it got it. To look into it, read a " +
	"copy: response.clone()."

// Cause wraps what the browser, or the other side, said of a failure; nil for nothing.
func Cause(detail string) error {
	if detail == "" {
		return nil
	}
	return &engine.Error{Code: engine.CodeNetwork, Message: detail}
}
