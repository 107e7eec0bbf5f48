package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// forgetRecord deletes what is stored of a session. Where the store has failed it is asked at
// once all the same, since a deletion needs no room, and again when it works: else the next page
// would have a session that was closed or forgotten.
func (c *Client) forgetRecord(s *session) {
	r := s.record
	if r == nil || s.state != sessionOwned {
		return
	}
	r.Delete(journal.OpOwned)
	s.record = nil
	c.tryDeletions()
}

func (c *Client) tryDeletions() {
	if e, ok := c.writer.TryDeletions(c.effects.Now, &deletionTrial{c}); ok {
		c.effects.Add(e)
	}
}

// deletionTrial hears whether they are deleted (durable.Trial).
type deletionTrial struct{ c *Client }

// Tried deletes those that have come since.
func (trial *deletionTrial) Tried(_ engine.Time, stored bool) {
	if stored {
		trial.c.writer.Deleted()
		trial.c.tryDeletions()
	}
}
