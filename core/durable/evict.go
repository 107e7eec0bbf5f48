package durable

import (
	"cmp"
	"slices"
)

// Evictable is a call that has ended and that nobody has acknowledged: it may be
// evicted where there is no room.
type Evictable struct {
	Call      uint64
	CreatedAt int64 // ms since 1970
	Bytes     int
	Acked     bool // the app has done with all that came before the outcome
	Manual    bool // only the app's ack may end it: another page may still need it
}

// Evict returns which of the calls to evict so that need bytes are free: those that
// the app has done with first, then those that would be forgotten by themselves, and
// last those that wait for the app's ack; among equals those made first. It evicts no
// more than it takes; enough is false where all of them are too little.
func Evict(calls []Evictable, need int) (evict []Evictable, enough bool) {
	calls = slices.Clone(calls)
	slices.SortFunc(calls, func(a, b Evictable) int {
		// Calls that were made in the same millisecond have rising numbers.
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.Call, b.Call))
	})
	for i, call := range calls {
		if need <= 0 {
			return calls[:i], true
		}
		need -= call.Bytes
	}
	return calls, need <= 0
}

// rank orders calls by how much an app would miss them.
func (e *Evictable) rank() int {
	switch {
	case e.Acked:
		return 0
	case !e.Manual:
		return 1
	}
	return 2
}
