package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// deletions are the records of sessions that were closed or forgotten while the store had
// failed: the next page would have them again. The store is asked at once, since a deletion
// needs no room, and again when it works.
type deletions struct {
	records []uint64
	asked   int // the first of them are being deleted
}

// deleteLater deletes a record, though the store has failed.
func (c *Client) deleteLater(record uint64) {
	if !c.writer.Closed() { // else it is gone with all the others
		c.deletions.records = append(c.deletions.records, record)
		c.tryDeletions()
	}
}

func (c *Client) tryDeletions() {
	d := &c.deletions
	if e, ok := c.writer.Try(c.now, d.ops(), &deletionTrial{c}); ok {
		d.asked = len(d.records)
		c.effects.Add(e)
	}
}

func (d *deletions) ops() (b []byte) {
	for _, record := range d.records {
		b = journal.AppendOp(b, journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: record})
	}
	return b
}

// deletionTrial hears whether they are deleted (durable.Trial).
type deletionTrial struct{ c *Client }

// Tried deletes those that have come since.
func (trial *deletionTrial) Tried(_ engine.Time, stored bool) {
	d := &trial.c.deletions
	n := d.asked
	if d.asked = 0; !stored {
		return
	}
	if d.records = d.records[n:]; len(d.records) > 0 {
		trial.c.tryDeletions()
	}
}

// writeDeletions deletes them now that the store works.
func (c *Client) writeDeletions() {
	for _, record := range c.deletions.records {
		c.writer.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: record})
	}
	c.deletions = deletions{}
}
