package store

import "context"

// A Key names a record. Kind and Group are names of the program's (letters, digits, "-"); ID may be
// anything, a secret too.
type Key struct{ Kind, Group, ID string }

// A Record is a value that changes by compare-and-set.
type Record struct {
	// Value is the caller's; it is not to be changed.
	Value []byte
	// Revision goes up with each change.
	Revision uint64
}

// Records keeps small values that all nodes see the same: once a method has returned, every later Get of
// any node sees what it did.
type Records interface {
	// Put writes a value where revision is that of the record, 0 for one that is not there, and returns
	// the new revision; else Conflict. One that is tried again because of Unavailable may find its own
	// first attempt: that is Conflict as well, and Get tells.
	Put(ctx context.Context, key Key, value []byte, revision uint64) (uint64, error)
	// Get returns the record; Unknown where there is none.
	Get(ctx context.Context, key Key) (Record, error)
	// Delete removes it where revision is its own; else Conflict. One that is not there is Unknown.
	Delete(ctx context.Context, key Key, revision uint64) error
	// List returns all records of a kind and group, in no order.
	List(ctx context.Context, kind, group string) ([]Record, error)
}

// CheckKey is what all methods do first with a key.
func CheckKey(op string, key Key) error {
	for _, name := range []struct{ what, text string }{{"kind", key.Kind}, {"group", key.Group}} {
		if name.text == "" {
			return &Error{Code: Invalid, Op: op, Hint: name.what + " is empty"}
		}
		for i := range len(name.text) {
			c := name.text[i]
			if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-') {
				return &Error{Code: Invalid, Op: op, Hint: name.what + " has to be letters, digits and -"}
			}
		}
	}
	if key.ID == "" {
		return &Error{Code: Invalid, Op: op, Hint: "id is empty"}
	}
	return nil
}
