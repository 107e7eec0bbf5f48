package acp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// logPrefix tells whether a log begins as the one that was read before: it is read from the
// start once more when its session changes hands or a row is missed, and another one has
// taken its place where it was written again, under the same numbers.
type logPrefix struct {
	rows   int
	digest uint64 // of what is in them
}

// add takes the next row.
func (p *logPrefix) add(row journal.Op) {
	if p.rows == 0 {
		p.digest = 0xcbf29ce484222325
	}
	p.rows++
	p.digest = engine.Digest(p.digest, row.Plain)
}

// begins reports whether a log begins so.
func (p *logPrefix) begins(log []journal.Op) bool {
	if p.rows == 0 || len(log) < p.rows {
		return false
	}
	var other logPrefix
	for _, row := range log[:p.rows] {
		other.add(row)
	}
	return other == *p
}

// reread is a log that is read from the start once more. This tab has had part of it, with
// turns that are over: who waits for the end of a later one must not take theirs for it
// (fault 378).
type reread struct {
	prefix  logPrefix // what was read of it, or of the one in whose place it is
	carried bool      // this tab has written it, up to its epoch
	epoch   uint32
	known   int    // so many rows to come are no news
	isKnown bool   // nor is the row in hand
	goesOn  bool   // it begins with what was read
	last    []byte // who is at work, as far as the known rows say it
	news    bool   // a later row has said it
}

// begin looks how much of the log is known.
func (r *reread) begin(log []journal.Op) {
	switch {
	case r == nil:
	case r.carried:
		for r.known < len(log) && log[r.known].Epoch <= r.epoch {
			r.known++
		}
	case r.prefix.begins(log):
		r.known = r.prefix.rows
	}
	if r != nil {
		r.goesOn = r.known > 0
	}
}

// follows reports whether the row in hand comes behind all that was read, as a row does of a log that is not
// read once more.
func (r *reread) follows() bool { return r == nil || r.goesOn && !r.isKnown }

// next takes the next row in hand.
func (r *reread) next() {
	if r != nil {
		r.isKnown = r.known > 0
		r.known--
	}
}

// stateRead takes a snapshot out of a log.
func (s *session) stateRead(c *Client, now engine.Time, update []byte) {
	switch r := s.reread; {
	case r == nil:
		s.stateUpdate(c, now, update)
	case r.isKnown:
		r.last = append(r.last[:0], update...)
	default:
		r.news = true
		s.snapshot(c, now, update, false) // where the log ends it is seen which turn that was
	}
}

// rereadDone goes on from where the log ends. A tab that has carried the session has heard
// all that it has stored, and maybe more: a turn that has begun goes on.
func (s *session) rereadDone(c *Client, now engine.Time) {
	r := s.reread
	s.reread = nil
	switch {
	case r == nil:
	case r.news:
		s.endRead(c, now)
	case len(r.last) > 0 && !r.carried && !s.turn.open():
		s.snapshot(c, now, bytes.Clone(r.last), false)
	}
}
