package durable

import "github.com/holdfast-mcp/holdfast/core/engine"

// A user has logged out once all that was stored of them is deleted (ReasonClosed), in this page or another
// one. From then on the next user may be whom a server takes requests for. So nothing begins any more but
// what ends something (link.Exchanges.Shut), and what has nothing open is over, whatever it waits for. What
// has is read to its end.

// Unsent is what a request comes to that has not left when its user logs out, or that is made after that. It
// is not worth a retry: the next user's client would run it as theirs.
func Unsent(op string) *engine.Error {
	return &engine.Error{Code: engine.CodeUnsent, Op: op,
		Message: "the request was not sent, and will not be: its user has logged out",
		Hint:    "Connect again once somebody has signed in, and make the call there if it is theirs."}
}

// Ended is what a request comes to that ends behind its user's logout: Unsent, or, where it has left, cut off
// from its answer.
func Ended(op string, left bool) *engine.Error {
	if !left {
		return Unsent(op)
	}
	return &engine.Error{Code: engine.CodeOutcomeUnknown, Op: op,
		Message: "the request may have run: its user has logged out, and its stream has ended"}
}

// LoggedOut is what connecting comes to then.
func LoggedOut(op string) *engine.Error {
	return &engine.Error{Code: engine.CodeClosed, Op: op, Message: "the user has logged out"}
}
