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

// fitStored keeps what is stored within its limit while the page lives: finished
// calls go first, oldest first; then the call that takes most goes on in memory,
// and its app is told by its guarantee.
func (c *Client) fitStored() {
	j := &c.journaling
	if j.stored <= c.cfg.Limits.Stored {
		return
	}
	for _, t := range c.keptInOrder() {
		if j.stored <= c.cfg.Limits.Stored {
			return
		}
		if t.record.overIn <= j.landed && !t.record.memory {
			c.counters.ExpiredCalls++
			c.forgetCall(t)
		}
	}
	for j.stored > c.cfg.Limits.Stored {
		var most *call
		for _, t := range c.calls {
			if t.isKept() && t.phase != callFollowed && t.phase < callTail && (most == nil || t.record.bytes > most.record.bytes) {
				most = t
			}
		}
		if most == nil || most.record.bytes == 0 {
			return
		}
		j.stored -= most.record.bytes
		c.undirty(most)
		c.addOp(journal.Op{Kind: journal.OpForget, Call: most.record.id})
		most.record.memory, most.record.bytes = true, 0
		c.tellGuarantee(most)
	}
}
