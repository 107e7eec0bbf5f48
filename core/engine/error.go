package engine

// Code says what kind of failure an Error is. Codes are part of the public
// API: JavaScript sees them as HoldfastError.code.
type Code string

// The codes that every protocol shares; a protocol's package adds its own, and
// the TypeScript union those of the loader. A test keeps them in step.
const (
	CodeBadArgument Code = "bad_argument" // the app passed something that cannot be sent
	// CodeNetwork: fetch failed: cut, down, DNS, or CORS; browsers do not say which
	CodeNetwork        Code = "network_error"
	CodeHTTP           Code = "http_error"      // a status that is not an answer; Status has it
	CodeProtocol       Code = "protocol_error"  // the server broke the protocol
	CodeLimit          Code = "limit_exceeded"  // a limit of the runtime was reached
	CodeTimeout        Code = "timeout"         // a deadline of the app or a default passed
	CodeCancelled      Code = "cancelled"       // cancel() or the AbortSignal
	CodeClosed         Code = "closed"          // the client was closed
	CodeUnauthorized   Code = "unauthorized"    // 401 after the token provider was asked
	CodeOutcomeUnknown Code = "outcome_unknown" // the request may have run; nothing can tell
	CodeLost           Code = "lost"            // the server no longer has the call
	CodeKeyInUse       Code = "key_in_use"      // another call has that key
	CodeUnsent         Code = "unsent"          // it never left this page, and nobody will send it
	// CodeAcknowledged: the call has ended, and its outcome is not stored any more: acknowledged elsewhere,
	// expired, evicted
	CodeAcknowledged Code = "acknowledged"
	// CodeElsewhere: another page carries it: it cannot be reached, or what it stores cannot be read
	CodeElsewhere     Code = "elsewhere"
	CodeReconnectLoop Code = "reconnect_loop" // the server accepts, then closes without progress, for ever
)

// Error is the one error type of core. Its text holds no token, session id or
// payload, so that it can be logged.
type Error struct {
	Code      Code
	Op        string // the JSON-RPC method or the step, such as "tools/call"
	Status    int    // HTTP status, 0 where there was none
	Retryable bool   // whether the same request may succeed later
	Message   string // for people, lower case, without the code
	Cause     error  // nil where there is none
	Hint      string // what a person can do about it, "" where that is not known
	Lacks     string // the header field that the answer has to have and does not show, "" where it lacks none
	Reach     Reach  // whether anything answers at the address at all, where that was asked
}

// Reach says whether anything answers at an address.
type Reach uint8

// What may be known of that.
const (
	ReachUnknown Reach = iota // it was not asked, or the host cannot know
	ReachAnswers              // somebody does, who may hide it from the page (CORS)
	ReachNothing              // nobody: the server is down, or there is none
)

// Error returns "op: message: cause".
func (e *Error) Error() string {
	text := e.Message
	if e.Op != "" {
		text = e.Op + ": " + text
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Unanswered reports whether fetch itself has failed, and has said something: the
// request may be one that never left, as where CORS rules keep it in the browser.
func (e *Error) Unanswered() bool {
	return e.Status == 0 && e.Cause != nil && (e.Code == CodeOutcomeUnknown || e.Code == CodeNetwork)
}

// Unheard reports whether the stream cannot be had that would bring the answer, where that comes on a GET.
// Why not only the page can find out.
func (e *Error) Unheard() bool { return e.Code == CodeNetwork && e.Op == "GET" }

// OfPage reports whether it is the page's failure: its client is closed, or another page
// carries what was asked for. That says nothing of the request itself.
func (e *Error) OfPage() bool { return e.Code == CodeClosed || e.Code == CodeElsewhere }

// Is reports whether target is an *Error of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}
