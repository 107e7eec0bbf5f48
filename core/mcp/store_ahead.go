package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Many small calls at a time wait for three connections, and each leaves once it is stored
// that it may have left. A commit for each took a third of the time of all of them. So the
// commit of one has the same of those that wait behind it: they leave as soon as they have a
// connection. One that has none after a while was written too early, and has it written that
// it waits still, as when the page is left, or another tab comes. A page that crashes before
// that has lost that word (fault 409).

// aheadOf is of how many calls it is written at a time that they leave, before they do: of as
// many as leave on three connections within about the time of two commits.
const aheadOf = 8

// smallRequest is how large such a call may be, in bytes: the one that leaves waits for their commit.
const smallRequest = 8 << 10

// writeLeaving writes of the calls that have a connection next that they leave, into the commit
// that is about to begin.
func (c *Client) writeLeaving() {
	c.ahead = false
	if !c.alone || !c.writer.Open() || c.state != stateOpen || c.token.Asking() {
		return
	}
	n := 0
	for _, call := range c.calls {
		r := call.record
		switch {
		case r == nil || r.key != "" || call.state != callQueued || call.parked != byHost ||
			call.flags.Harmless(),
			// it has its own way
			call.flags&journal.ManualAck != 0, len(call.params)+len(call.meta) >
				smallRequest, c.wall()-r.Made >= handsOverWithin:
		case r.deferred != deferredAll && r.deferred != deferredUnsent:
			return // it has waited for long, and those behind it will
		default:
			if r.deferred == deferredAll {
				c.writeLeaves(call)
			}
			if n++; n == aheadOf {
				return
			}
		}
	}
}

// writeLeaves writes of a call that waits that it leaves in this session.
func (c *Client) writeLeaves(call *call) {
	r, by := call.record, call.record.deferredBy
	c.writeDeferred(call)
	c.write(call,
		journal.Entry{Kind: journal.Sent, N: [3]uint64{uint64(call.request), uint64(c.session.generation)}})
	call.generation = c.session.generation
	r.openIn, r.sentIn = neverSent, c.writer.Next()
	c.deferUntil(call, deferredUnsent, by)
}

// leavesAhead has a call leave of which it was written before that it leaves, and reports
// whether it does: not in another session, nor after the time in which another tab may
// have taken it over.
func (call *call) leavesAhead(c *Client, now engine.Time) bool {
	r := call.record
	if call.generation != c.session.generation || c.wall()-r.Made >= handsOverWithin {
		return false
	}
	r.deferred = deferredNothing
	if c.writer.Has(r.sentIn) {
		call.transmit(c, now)
		c.tellGuarantee(call)
		return true
	}
	call.enter(c, callStoring)
	c.tellGuarantee(call)
	c.writer.WhenHas(now, r.sentIn, &afterStored{c, call, &transmission{c.session.generation}, r.Epoch})
	return true
}
