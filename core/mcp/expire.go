package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// How long a call stays in the store, in ms, from its end or, where it has none,
// from its making: a page that comes back later is told nothing of it. No
// server's task or session is known to live longer.
const (
	keepFinished   = 7 * 24 * 3_600_000
	keepUnfinished = 30 * 24 * 3_600_000
)

// expired forgets a call that is too old, and reports whether it did.
func (c *Client) expired(r *journal.Record, head journal.Op) bool {
	if c.state != stateNew || head.Flags&journal.OpOwned == 0 || !r.Expired(c.wall(), keepFinished, keepUnfinished) {
		return false
	}
	c.counters.ExpiredCalls++
	c.addOp(journal.Op{Kind: journal.OpForget, Call: head.Call})
	return true
}

// fitBudget forgets finished calls, oldest first, until what is stored of this
// server is within its limit.
func (c *Client) fitBudget() {
	records := map[uint64]*journal.Record{}
	for _, t := range c.calls {
		if t.fold != nil {
			records[t.record.id] = t.fold
		}
	}
	for _, t := range c.kept {
		records[t.record.id] = &journal.Record{Head: journal.Head{CreatedAt: t.record.created}, Outcome: 1, Bytes: t.record.bytes}
	}
	forget, _ := journal.Over(records, c.cfg.Limits.Stored)
	for _, id := range forget {
		if t := c.callOfRecord(id); t != nil && c.kept[t.id] != nil {
			c.counters.ExpiredCalls++
			c.forgetCall(t)
		}
	}
}
