package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// segmentWindow is how far ahead of what has come without a gap a segment may
// be (SEP-1905 names no bound; RELIABILITY fault 99): one that claims to be the
// 2^53rd must not make us wait for the rest.
const segmentWindow = 10_000

// segmentBytes bounds what is held of one call's segments, in bytes; each counts
// for segmentCost more than its text.
const (
	segmentBytes = 64 << 20
	segmentCost  = 64
)

// segmentVerdict says what became of a segment.
type segmentVerdict uint8

const (
	segmentFresh     segmentVerdict = iota // the next one, or held until it is
	segmentDuplicate                       // had before
	segmentConflict                        // had before, with other words: the first stand
	segmentInvalid                         // no positive integer for a number
	segmentTooFar                          // too far ahead
	segmentTooMuch                         // no room for it
	segmentLate                            // beyond the last one, of a result that was said to be complete
)

// segments tracks what a streamed result has brought (SEP-1905, client guide):
// in order as far as there is no gap, beyond that by number.
type segments struct {
	base     uint64            // those up to here are not stored any more, and were told
	ordered  [][]byte          // raw, with their seqNr, from there on
	held     map[uint64][]byte // beyond a gap
	highest  uint64            // number of the last one that was claimed to exist
	complete bool              // isComplete was said, with the last number
	failed   bool              // isError came with it
	bytes    int
	block    []byte // holds the texts that were kept last; the others are in blocks before it
	run      int    // Record.Sends of the run that they are of, as they are folded
}

// last returns the highest number without a gap below it: the only one from
// which everything missing is sent again (RELIABILITY fault 95).
func (s *segments) last() uint64 { return s.base + uint64(len(s.ordered)) }

// cleared reports whether the store has lost the segments before the first.
func (s *segments) cleared() bool { return s.base > 0 }

// recall takes a segment from the store, which has lost those before it where it
// was cleared under the call.
func (s *segments) recall(raw []byte, cleared bool) {
	value, _ := jsonrpc.Member(raw, "seqNr")
	if n, ok := jsonrpc.Uint(value); ok && n > 0 && cleared && s.last() == 0 {
		s.base = n - 1
	}
	s.add(raw, func([]byte) {})
}

// missing returns the numbers that are missing below what was claimed to exist.
func (s *segments) missing() (from, to uint64) {
	from, to = s.last()+1, s.highest
	for n := range s.held {
		to = min(to, n-1)
	}
	return from, to
}

// gapless reports whether nothing is missing below what was claimed to exist.
func (s *segments) gapless() bool { return s.last() >= s.highest }

// add takes a segment, raw. deliver is called for each one that is in order now.
func (s *segments) add(raw []byte, deliver func(raw []byte)) segmentVerdict {
	value, _ := jsonrpc.Member(raw, "seqNr")
	n, ok := jsonrpc.Uint(value)
	switch {
	case !ok || n == 0 || n > 1<<53-1:
		return segmentInvalid
	case n <= s.base:
		return segmentDuplicate
	case n <= s.last():
		return duplicateOf(s.ordered[n-1-s.base], raw)
	case s.held[n] != nil:
		return duplicateOf(s.held[n], raw)
	case s.complete && n > s.highest:
		return segmentLate
	case n > s.last()+segmentWindow:
		return segmentTooFar
	case s.bytes+len(raw)+segmentCost > segmentBytes:
		return segmentTooMuch
	}
	s.highest = max(s.highest, n)
	s.bytes += len(raw) + segmentCost
	if n > s.last()+1 {
		if s.held == nil {
			s.held = map[uint64][]byte{}
		}
		s.held[n] = s.keep(raw)
		return segmentFresh
	}
	for raw = s.keep(raw); raw != nil; raw = s.held[s.last()+1] {
		delete(s.held, s.last()+1)
		s.ordered = append(s.ordered, raw)
		deliver(raw)
	}
	return segmentFresh
}

func duplicateOf(had, raw []byte) segmentVerdict {
	if bytes.Equal(had, raw) {
		return segmentDuplicate
	}
	return segmentConflict
}
