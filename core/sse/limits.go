package sse

import "strconv"

const (
	defaultLine  = 16 << 20
	defaultEvent = 16 << 20
)

// Limits bounds what one stream may hold in memory. A field that is not
// positive means its default.
type Limits struct {
	// Line is the longest data, id or event line in bytes, counted as received
	// with its field name and without its line end; default 16 MiB. Comments,
	// unknown fields and retry are read without being stored: no bound.
	Line int
	// Event is the most data one event may have, in bytes of Event.Data;
	// default 16 MiB.
	Event int
}

func (l Limits) line() int {
	if l.Line <= 0 {
		return defaultLine
	}
	return l.Line
}

func (l Limits) event() int {
	if l.Event <= 0 {
		return defaultEvent
	}
	return l.Event
}

// Code names the limit that a stream exceeded.
type Code string

const (
	// CodeLineTooLong means Limits.Line was exceeded.
	CodeLineTooLong Code = "sse_line_too_long"
	// CodeEventTooLong means Limits.Event was exceeded.
	CodeEventTooLong Code = "sse_event_too_long"
)

// Error ends a stream that exceeded a limit.
type Error struct {
	Code  Code
	Limit int // the limit that was in force, in bytes
}

// Error says which limit was exceeded and what it is; it holds nothing of the stream.
func (e *Error) Error() string {
	what := "line"
	if e.Code == CodeEventTooLong {
		what = "event data"
	}
	return "sse: " + what + " exceeds " + strconv.Itoa(e.Limit) + " bytes"
}

// Is reports whether target is an *Error of the same Code, whatever its Limit.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Retryable is false: the server would send the same bytes again.
func (e *Error) Retryable() bool { return false }
