package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// parks reports whether a failure leaves the call as it is in the journal: the
// page has closed its client, and another one will go on.
func (c *Client) parks(failure *engine.Error) bool {
	return failure != nil && c.state >= stateClosing
}

// settleStored writes the outcome and tells the app once that is on disk: what a
// page was told, the next one knows too. The call is kept until acknowledged.
func (c *Client) settleStored(now engine.Time, t *call, outcome engine.Outcome, data []byte, failure *engine.Error) {
	if failure != nil {
		data = journal.AppendFailure(nil, failure)
	}
	stored := outcome
	if stored == engine.OutcomeHeaderMismatch {
		stored = engine.OutcomeRPCError // a later page cannot send it anew
	}
	c.write(t, journal.Entry{Kind: journal.Outcome, N: [3]uint64{uint64(stored), uint64(max(c.wall(), 0))}, Data: data})
	t.record.settled, t.record.overIn = true, c.writer.Next()
	c.kept[t.id], c.byRecord[t.record.id] = t, t
	e := engine.Effect{Kind: engine.Settle, C: t.id, Outcome: outcome, Failure: failure}
	if failure == nil {
		e.Data = data
		if c.writer.On && t.isKept() {
			// The input it came in is over by then.
			if row := t.record.plain; 2*len(data) > cap(row) {
				e.Data, t.record.lent = row[len(row)-len(data):], true
			} else {
				e.Data = bytes.Clone(data) // memory for a row of events, up to 1 MB, serves the next call
			}
		}
	}
	c.thenOnly(now, t, true, func(now engine.Time) {
		if t.phase != callFollowed { // else another tab has it by now, and tells
			c.effects.Add(e)
		}
	})
}

// Ack notes that the app has done with a call's events up to a position, or,
// where position is 0, with all that it has had. A settled call with nothing
// left is forgotten.
func (c *Client) Ack(now engine.Time, id engine.CallID, position uint32) {
	c.beginOf(now, true)
	t := c.byCall[id]
	if kept := c.kept[id]; kept != nil {
		t = kept
	}
	if t == nil || t.record == nil || t.phase == callFollowed {
		return // the tab that carries a followed call writes of it
	}
	if position == 0 || position > t.position {
		position = t.position
	}
	// The outcome is one of the things that it has had, once it was told.
	told := t.record.memory || c.writer.Has(t.record.overIn)
	if c.kept[id] != nil && position == t.position && told {
		c.forgetCall(t)
		return
	}
	if position > t.record.acked && !t.record.foreign {
		t.record.acked = position
		c.write(t, journal.Entry{Kind: journal.Acked, N: [3]uint64{uint64(position)}})
	}
}

// forgetCall deletes a call from the journal.
func (c *Client) forgetCall(t *call) {
	delete(c.kept, t.id)
	c.writer.Held -= t.record.bytes
	c.undirty(t)
	c.writer.Put(journal.Op{Kind: journal.OpForget, Call: t.record.id})
	t.record.memory = true
	if t.phase == callDone {
		c.unrecord(t)
	}
}

// undirty drops the row that waits to be stored.
func (c *Client) undirty(t *call) {
	if t.record == nil || !t.record.waits {
		return
	}
	c.writer.Untouch(t.record, len(t.record.plain))
	t.record.plain, t.record.secret, t.record.waits = nil, nil, false
}
