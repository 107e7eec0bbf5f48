package segments

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// window is how far ahead of what has come without a gap a segment may be
// (SEP-1905 names no bound; fault 99): one that claims to be the
// 2^53rd must not make us wait for the rest.
const window = 10_000

// maxBytes bounds what is held of one call's segments, in bytes; each counts for
// overhead more than its text.
const (
	maxBytes = 64 << 20
	overhead = 64
)

// Verdict says what became of a segment.
type Verdict uint8

const (
	Fresh     Verdict = iota // the next one, or held until it is
	Duplicate                // had before
	Conflict                 // had before, with other words: the first stand
	Invalid                  // no positive integer for a number
	TooFar                   // too far ahead
	TooMuch                  // no room for it
	Late                     // beyond the last one, of a result that was said to be complete
)

// Tracker tracks what a streamed result has brought (SEP-1905, client guide):
// in order as far as there is no gap, beyond that by number. Its zero value has
// nothing.
type Tracker struct {
	// Complete: isComplete was said, with the last number; Failed: isError came with it.
	Complete, Failed bool
	// Run counts the run of the request that they are of, as the journal does.
	Run int

	base    uint64            // those up to here are not stored any more, and were delivered
	ordered [][]byte          // raw, with their seqNr, from there on
	held    map[uint64][]byte // beyond a gap
	highest uint64            // number of the last one that was claimed to exist
	bytes   int
	block   []byte // holds the texts that were kept last; the others are in blocks before it
}

// Last returns the highest number without a gap below it: the only one from
// which everything missing is sent again (fault 95).
func (s *Tracker) Last() uint64 { return s.base + uint64(len(s.ordered)) }

// Truncated reports whether the store has lost the segments before the first.
func (s *Tracker) Truncated() bool { return s.base > 0 }

// Recall takes a segment from the store, which has lost those before it where it
// was cleared under the call.
func (s *Tracker) Recall(raw []byte, cleared bool) {
	value, _ := jsonrpc.Member(raw, "seqNr")
	if n, ok := jsonrpc.Uint(value); ok && n > 0 && cleared && s.Last() == 0 {
		s.base = n - 1
	}
	s.Add(raw, func([]byte) {})
}

// Missing returns the numbers that are missing below what was claimed to exist.
func (s *Tracker) Missing() (from, to uint64) {
	from, to = s.Last()+1, s.highest
	for n := range s.held {
		to = min(to, n-1)
	}
	return from, to
}

// Gapless reports whether nothing is missing below what was claimed to exist.
func (s *Tracker) Gapless() bool { return s.Last() >= s.highest }

// Add takes a segment, raw, and keeps a copy of it. deliver is called for each one that is in order now.
func (s *Tracker) Add(raw []byte, deliver func(raw []byte)) Verdict {
	value, _ := jsonrpc.Member(raw, "seqNr")
	n, ok := jsonrpc.Uint(value)
	switch {
	case !ok || n == 0 || n > 1<<53-1:
		return Invalid
	case n <= s.base:
		return Duplicate
	case n <= s.Last():
		return duplicateOf(s.ordered[n-1-s.base], raw)
	case s.held[n] != nil:
		return duplicateOf(s.held[n], raw)
	case s.Complete && n > s.highest:
		return Late
	case n > s.Last()+window:
		return TooFar
	case s.bytes+len(raw)+overhead > maxBytes:
		return TooMuch
	}
	s.highest = max(s.highest, n)
	s.bytes += len(raw) + overhead
	if n > s.Last()+1 {
		if s.held == nil {
			s.held = map[uint64][]byte{}
		}
		s.held[n] = s.keep(raw)
		return Fresh
	}
	for raw = s.keep(raw); raw != nil; raw = s.held[s.Last()+1] {
		delete(s.held, s.Last()+1)
		s.ordered = append(s.ordered, raw)
		deliver(raw)
	}
	return Fresh
}

func duplicateOf(had, raw []byte) Verdict {
	if bytes.Equal(had, raw) {
		return Duplicate
	}
	return Conflict
}
