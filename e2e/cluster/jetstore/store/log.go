package store

import (
	"context"
	"iter"
)

// An Event is what was appended.
type Event struct {
	Position
	// Label is the caller's word for what it is; at most [MaxLabel] bytes, printable ASCII.
	Label string
	// Data is the caller's; it is not to be changed.
	Data []byte
}

// MaxLabel is how long a label may be, in bytes.
const MaxLabel = 200

// A Log keeps the events of streams. All of its methods may be used by many goroutines, and streams by
// many nodes at once.
type Log interface {
	// Append adds an event after the position, which is that of the last one, and returns its own. Where
	// another has been added since, it is Conflict, and nothing is added; the caller is no longer the one
	// who writes this stream, or has to look at [Log.Last]. An Append that is tried again with the same
	// arguments adds its event once. When it returns without an error every node can read the event.
	Append(ctx context.Context, s Stream, after Position, label string, data []byte) (Position, error)
	// Last returns the last event; Unknown where there is none.
	Last(ctx context.Context, s Stream) (Event, error)
	// After yields what comes after the position, in order and without a hole, and ends. An error ends it
	// as well: nothing that comes behind a hole is given. A stream without any event is Unknown.
	After(ctx context.Context, s Stream, after Position) iter.Seq2[Event, error]
	// Follow is After, and then yields what is added, by any node, until ctx ends or the store
	// cannot be reached any more (Unavailable).
	Follow(ctx context.Context, s Stream, after Position) iter.Seq2[Event, error]
	// Forget removes all streams of a session.
	Forget(ctx context.Context, session string) error
}

// CheckLabel is what Append does first with a label.
func CheckLabel(label string) error {
	for i := range len(label) {
		if label[i] < ' ' || label[i] > '~' {
			return &Error{Code: Invalid, Op: "append", Hint: "label has to be printable ASCII"}
		}
	}
	if len(label) > MaxLabel {
		return &Error{Code: Invalid, Op: "append", Hint: "label is at most 200 bytes long"}
	}
	return nil
}

// CheckPosition is what readers do first with a position.
func CheckPosition(op string, s Stream, at Position) error {
	if at.Number == 0 && at != s.Start() {
		return &Error{Code: Foreign, Op: op}
	}
	return nil
}

// Judge says whether next, the first event that a store has behind a position, continues it; previous is
// the position that next was appended after, as its writer said.
func Judge(op string, after, previous Position, next Event) error {
	switch {
	case next.Number == after.Number+1 && previous.Chain != after.Chain, next.Number <= after.Number:
		return &Error{Code: Foreign, Op: op}
	case next.Number > after.Number+1:
		return &Error{Code: Dropped, Op: op, From: after.Number + 1, To: next.Number - 1}
	case !after.Next(next.Label, next.Data).Same(next.Position):
		return &Error{Code: Corrupt, Op: op}
	}
	return nil
}

// JudgeEnd says whether a stream whose last event is given may end at a position, behind which the store
// has nothing. More reports that something has come meanwhile: look again.
func JudgeEnd(op string, after Position, last Event) (more bool, err error) {
	switch {
	case last.Same(after):
		return false, nil
	case last.Number < after.Number:
		return false, &Error{Code: Truncated, Op: op}
	case last.Number > after.Number && last.Place > after.Place:
		return true, nil
	}
	return false, &Error{Code: Foreign, Op: op}
}
