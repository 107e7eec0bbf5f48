package jsonrpc

import "strconv"

// Code says why a text was refused. Compare by code: errors.Is(err, &Error{Code: Depth}).
type Code uint8

// The codes of an [Error].
const (
	// Syntax means that the text is not JSON (RFC 8259), or not valid UTF-8.
	Syntax Code = iota + 1
	// Depth means that arrays and objects are nested deeper than the limit.
	Depth
	// DuplicateKey means that a member of the envelope is there twice.
	DuplicateKey
	// Envelope means that the text is JSON but not a JSON-RPC 2.0 message.
	Envelope
	// BatchRefused means that a batch came where none is allowed, or one with too many messages.
	BatchRefused
)

// String returns the name of the code in the form that a log uses.
func (c Code) String() string {
	switch c {
	case Syntax:
		return "syntax"
	case Depth:
		return "depth"
	case DuplicateKey:
		return "duplicate_key"
	case Envelope:
		return "envelope"
	case BatchRefused:
		return "batch_refused"
	}
	return "unknown"
}

// Error is what every function of this package that can refuse a text returns. It quotes nothing of the text,
// so it may be logged and shown.
type Error struct {
	Code Code
	// Offset is where the text went wrong, in bytes from its beginning.
	Offset int
	// Reason is a fixed phrase for people.
	Reason string
}

// Error returns code, offset and reason in one line.
func (e *Error) Error() string {
	s := "jsonrpc: " + e.Code.String() + " at byte " + strconv.Itoa(e.Offset)
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	return s
}

// Is reports whether target is an *Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// problem is what the scanner returns instead of an error, so that nothing is allocated until a text is
// refused. The position beside it is where the problem is.
type problem uint8

const (
	fine problem = iota
	unexpectedEnd
	unexpectedByte
	trailingText
	controlInString
	badEscape
	badUTF8
	tooDeep
	duplicateKey
	notObject
	batchNotAllowed
	batchTooLarge
	batchEmpty
	noVersion
	wrongVersion
	wrongID
	longID
	wrongMethod
	wrongParams
	wrongError
	methodAndReply
	resultAndError
	nothingToDo
	resultWithoutID
)

var problems = [...]struct {
	code   Code
	reason string
}{
	unexpectedEnd:   {Syntax, "unexpected end"},
	unexpectedByte:  {Syntax, "unexpected character"},
	trailingText:    {Syntax, "text after the value"},
	controlInString: {Syntax, "control character in a string"},
	badEscape:       {Syntax, "unknown escape in a string"},
	badUTF8:         {Syntax, "string is not valid UTF-8"},
	tooDeep:         {Depth, "nested too deep"},
	duplicateKey:    {DuplicateKey, "envelope member is there twice"},
	notObject:       {Envelope, "message is not an object"},
	batchNotAllowed: {BatchRefused, "batch is not allowed here"},
	batchTooLarge:   {BatchRefused, "batch holds too many messages"},
	batchEmpty:      {Envelope, "batch is empty"},
	noVersion:       {Envelope, "no jsonrpc member"},
	wrongVersion:    {Envelope, "jsonrpc is not \"2.0\""},
	wrongID:         {Envelope, "id is not a string, a number or null"},
	longID:          {Envelope, "id is longer than 1024 bytes"},
	wrongMethod:     {Envelope, "method is not a string"},
	wrongParams:     {Envelope, "params is not an object or an array"},
	wrongError:      {Envelope, "error is not an object"},
	methodAndReply:  {Envelope, "both a method and a result or error"},
	resultAndError:  {Envelope, "both result and error"},
	nothingToDo:     {Envelope, "no method, result or error"},
	resultWithoutID: {Envelope, "result without an id to match"},
}

// at turns a problem into the error that is returned; fine is no error.
func (p problem) at(offset int) error {
	if p == fine {
		return nil
	}
	return &Error{Code: problems[p].code, Offset: offset, Reason: problems[p].reason}
}
