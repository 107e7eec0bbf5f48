package store

import (
	"errors"
	"fmt"
)

// Code says what is wrong.
type Code string

// The codes. What a client is to be told of those of reading is [Error.Lost].
const (
	// Unknown: there is no such stream or record: never begun, forgotten, or another session's.
	Unknown Code = "unknown"
	// Dropped: events after the position are gone, by retention. [Error.From] and [Error.To] say which.
	Dropped Code = "dropped"
	// Truncated: the store ends before the position: it has lost its tail.
	Truncated Code = "truncated"
	// Foreign: the position is of another stream, of another session, or of a history that is no more.
	Foreign Code = "foreign"
	// Corrupt: an event is not what was appended there.
	Corrupt Code = "corrupt"
	// Conflict: somebody else has written since, and what was to be written is not.
	Conflict Code = "conflict"
	// Full: there is no room. Nothing was written; it may be tried again.
	Full Code = "full"
	// Unavailable: the store cannot be reached. Of a write nobody knows whether it got there: it may be
	// tried again with the same position, which writes it once.
	Unavailable Code = "unavailable"
	// Invalid: an argument is not allowed.
	Invalid Code = "invalid"
)

// An Error is what all methods of a [Log] and of [Records] fail with, but for a context's own.
// Its text has no name of a session, and no data.
type Error struct {
	Code     Code
	Op       string // "append", "after", "follow", ...
	From, To uint64 // Dropped: the numbers of the events that are gone
	Err      error  // the cause, if any
	Hint     string // what helps, if anything is known
}

// Error says what went wrong, for an operator: no name of a session, no data.
func (e *Error) Error() string {
	text := e.Op + ": " + string(e.Code)
	if e.Code == Dropped {
		text += fmt.Sprintf(": events %d to %d", e.From, e.To)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same can succeed later.
func (e *Error) Retryable() bool { return e.Code == Full || e.Code == Unavailable }

// Lost reports whether what comes after a position cannot be had any more, by anybody.
func (e *Error) Lost() bool {
	switch e.Code {
	case Unknown, Dropped, Truncated, Foreign, Corrupt:
		return true
	}
	return false
}

// CodeOf returns the code of an error, "" where it has none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
