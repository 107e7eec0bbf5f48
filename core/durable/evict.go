package durable

import (
	"slices"
	"sort"
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
	sort.Sort(byLoss(calls))
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

// byLoss sorts calls: what an app would miss least comes first. Each type that
// slices.SortFunc sorts is 3 KB of the download, those that sort.Sort does share one.
type byLoss []Evictable

func (c byLoss) Len() int      { return len(c) }
func (c byLoss) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c byLoss) Less(i, j int) bool {
	a, b := &c[i], &c[j]
	if a.rank() != b.rank() {
		return a.rank() < b.rank()
	}
	if a.CreatedAt != b.CreatedAt {
		return a.CreatedAt < b.CreatedAt
	}
	return a.Call < b.Call // those of the same millisecond have rising numbers
}
