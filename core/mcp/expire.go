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
	c.writer.Put(journal.Op{Kind: journal.OpForget, Call: head.Call})
	return true
}

// fitStored keeps what is stored within its limit: finished calls are forgotten
// first, oldest first; then, while the page lives, the call that takes most goes
// on in memory, and its app is told by its guarantee.
func (c *Client) fitStored() {
	w := &c.writer
	if w.Held <= c.cfg.Limits.Stored {
		return
	}
	finished, rest := map[uint64]*journal.Record{}, w.Held
	for _, t := range c.kept {
		if w.Has(t.record.overIn) && !t.record.memory {
			finished[t.record.id] = &journal.Record{Head: journal.Head{CreatedAt: t.record.created}, Outcome: 1, Bytes: t.record.bytes}
			rest -= t.record.bytes
		}
	}
	forget, fits := journal.Over(finished, c.cfg.Limits.Stored-rest)
	for _, id := range forget {
		c.counters.ExpiredCalls++
		c.forgetCall(c.callOfRecord(id), 0)
	}
	if fits || c.state == stateNew {
		return // of a page that was loaded just now nothing is known to be in use yet
	}
	for w.Held > c.cfg.Limits.Stored {
		var most *call
		for _, t := range c.calls {
			if t.isKept() && t.phase != callFollowed && t.phase < callTail && (most == nil || t.record.bytes > most.record.bytes) {
				most = t
			}
		}
		if most == nil || most.record.bytes == 0 {
			return
		}
		w.Held -= most.record.bytes
		c.undirty(most)
		c.writer.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: most.record.id})
		most.record.memory, most.record.bytes = true, 0
		c.tellGuarantee(most)
	}
}
