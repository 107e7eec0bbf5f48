package acp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// reread is a log that is read from the start once more, since its session has changed
// hands or has been written again. This tab has heard part of it, with turns that are over:
// who waits for the end of a later one must not take theirs for it (fault 378).
type reread struct {
	heard durable.Position // the last row that this tab has had; none of a log that is new
	known bool             // the row in hand is no later one
	last  []byte           // who is at work, as far as the known rows say it
	later bool             // a later row has said it
}

// row notes which row comes.
func (r *reread) row(op journal.Op) {
	if r != nil {
		r.known = op.Epoch < r.heard.Epoch || op.Epoch == r.heard.Epoch && op.N <= r.heard.N
	}
}

// stateRead takes a snapshot out of a log.
func (s *session) stateRead(c *Client, now engine.Time, update []byte) {
	switch r := s.reread; {
	case r == nil:
		s.stateUpdate(c, now, update)
	case r.known:
		r.last = append(r.last[:0], update...)
	default:
		r.later = true
		s.snapshot(c, now, update, givesReason(update) && s.hasBegun())
	}
}

// rereadDone goes on from where the log ends.
func (s *session) rereadDone(c *Client, now engine.Time) {
	r := s.reread
	s.reread = nil
	switch {
	case r == nil:
	case r.later:
		s.endRead(c, now)
	case len(r.last) > 0:
		s.snapshot(c, now, bytes.Clone(r.last), false)
	}
}
