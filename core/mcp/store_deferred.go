package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Most calls are over in a moment, and acknowledged by being handed over. What a page
// writes of such a call it deletes at once. So it writes later what nobody needs yet:
//
//   - the head of a call that waits for a connection: nothing of it has left;
//   - all of a call that changes nothing: to run it again does no harm;
//   - an outcome that was handed to the app, which is about to acknowledge it.
//
// Written it is with the first event or whatever else is to be stored of the call, after a
// while, when the page is left, and once another tab is there. A page that crashes before
// that has lost it (faults 380 to 382). Calls with a key, and those that wait for the app's
// ack, are written at once.

// deferred says what of a call is not written yet.
type deferred uint8

const (
	deferredNothing deferred = iota
	deferredUnsent           // that it has not left: it was written ahead that it leaves (store_ahead.go)
	deferredOutcome          // its outcome, which the app was handed
	deferredAll              // all of it
)

const (
	// deferCall is how long a call stays unwritten that may have left, or is over, in ms.
	deferCall = 50
	// deferQueued is the same for one that waits for a connection, in ms: with 32 calls at a
	// time on three connections each waits for about 50.
	deferQueued = 250
	// handsOverWithin is how old a call may be, in ms, whose outcome is handed to the app
	// before it is stored. Another tab takes nothing over from one that it has not asked in
	// vain for three seconds (core/tabs), so that no other tab carries it.
	handsOverWithin = 2_000
	// largeOutcome is from how many bytes on an outcome is not copied to be written later, where
	// the exchange that has brought it can do without that memory.
	largeOutcome = 64 << 10
	// deferLarge is how long one stays unwritten, in ms: a page takes 50 to 80 ms to read 16 MB
	// that a worker has handed it.
	deferLarge = 250
)

// deferrals are the calls of which something is not written yet; those that are written by
// now leave the list when it is next looked at.
type deferrals struct {
	list []*call
	by   engine.Time // no call of the list is due before
}

// Alone says whether this tab is awake and knows of no other one of its server and user:
// else it writes all that is to be seen by others.
func (c *Client) Alone(now engine.Time, alone bool) {
	c.effects.Begin(now)
	c.alone = alone
	if !alone {
		c.writer.Hasten()
		c.writeAllDeferred()
	}
}

// defers reports whether a call that is made now is written later.
func (c *Client) defers(call *call, o *CallOptions) bool {
	waits := c.scarce && !o.Connected
	return c.alone && c.writer.Open() && c.state == stateOpen && o.Key == "" &&
		call.flags&journal.ManualAck == 0 && (waits || call.flags.Harmless())
}

// deferUntil notes what of a call is written later, and when.
func (c *Client) deferUntil(call *call, what deferred, by engine.Time) {
	r := call.record
	if r.deferred == deferredNothing {
		c.deferrals.list = append(c.deferrals.list, call)
	}
	r.deferred, r.deferredBy = max(r.deferred, what), by
	c.deferrals.by = min(c.deferrals.by, by)
}

// deferOutcome keeps an outcome that the app was handed, to be written later.
func (c *Client) deferOutcome(now engine.Time, call *call, outcome []byte) {
	if len(outcome) < largeOutcome {
		call.record.over = bytes.Clone(outcome)
		c.deferUntil(call, deferredOutcome, now.After(deferCall))
		return
	}
	if c.messageFrom == nil || !c.messageFrom.KeepData() {
		outcome = bytes.Clone(outcome)
	}
	call.record.over = outcome
	c.deferUntil(call, deferredOutcome, now.After(deferLarge))
}

// writeDeferred writes what of a call was not written yet.
func (c *Client) writeDeferred(call *call) {
	r := call.record
	what := r.deferred
	if r.deferred = deferredNothing; what == deferredNothing || r.Memory || !c.writer.Open() {
		return
	}
	switch what {
	case deferredAll:
		r.headIn, r.openIn = c.writer.Next(), c.writer.Next()
		r.Begin(call.journalHead())
	case deferredUnsent:
		r.openIn, r.sentIn = c.writer.Next(), neverSent
	}
	c.writeRest(call, what)
	if call.left {
		r.sentIn = min(r.sentIn, r.headIn)
	}
	if r.settled {
		r.overIn = c.writer.Next()
		c.writer.Flush()
	}
}

// writeAhead writes it of a call whose stream is cut: what that is resumed by is stored before.
func (call *call) writeAhead(c *Client) {
	if k := call.keeper(); k.isKept() {
		c.writeDeferred(k)
	}
}

// writeRest writes what happened to the call behind its head.
func (c *Client) writeRest(call *call, what deferred) {
	r := call.record
	if what == deferredUnsent {
		r.Write(journal.Entry{Kind: journal.Unsent})
	}
	if what == deferredAll && call.left {
		r.Write(journal.Entry{Kind: journal.Sent, N: [3]uint64{uint64(call.request), uint64(call.generation)}})
	}
	if r.settled {
		r.Write(journal.Entry{Kind: journal.Outcome, N: [3]uint64{uint64(r.outcome), uint64(r.endedAt)}, Data: r.over})
		r.over = nil
	}
}

// writeAllDeferred writes what is not written of all calls.
func (c *Client) writeAllDeferred() {
	for _, call := range c.deferrals.take() {
		if r := call.record; r != nil && r.deferred != deferredNothing {
			c.writeDeferred(call)
		}
	}
}

// appendDeferred does it for a page that is being left: as operations for a commit beside
// the one under way. They have no secrets, which take a moment to be sealed.
func (c *Client) appendDeferred(b []byte) []byte {
	for _, call := range c.deferrals.take() {
		r := call.record
		if r == nil || r.deferred == deferredNothing || r.Memory || !c.writer.Open() {
			continue
		}
		what := r.deferred
		if what == deferredUnsent && r.Unstored() { // that it leaves is on its way, and this has to be behind it (MayGoApart)
			c.deferrals.list, c.deferrals.by = append(c.deferrals.list, call), min(c.deferrals.by, r.deferredBy)
			continue
		}
		r.deferred = deferredNothing
		apart := c.writer.Apart()
		switch what {
		case deferredAll:
			r.headIn, r.openIn = apart, apart
			b = journal.AppendOp(b, journal.Op{Kind: journal.OpCall, Call: r.ID, Epoch: r.Epoch, Plain: call.journalHead()})
		case deferredUnsent:
			r.openIn, r.sentIn = apart, neverSent
		}
		if c.writeRest(call, what); r.Unwritten() {
			flags := journal.OpFlags(0)
			if r.settled {
				flags, r.overIn = journal.OpEnded, apart
			}
			if call.left {
				r.sentIn = min(r.sentIn, apart)
			}
			r.written, r.landed = call.position, call.position
			b = r.AppendApart(b, flags)
		}
	}
	return b
}

// appendRefusals does it with what is written of calls that the server has refused to run, or that have
// not left: without that, the next page takes them for calls that may have run (faults 400, 409).
func (c *Client) appendRefusals(b []byte) []byte {
	for _, call := range c.calls {
		r := call.record
		isUnsent := r != nil && !call.left && r.sentIn == neverSent && c.writer.Has(r.headIn)
		if !call.denied && !isUnsent || call.state != callQueued || !call.isKept() || !r.MayGoApart() || c.writer.Has(r.openIn) {
			continue
		}
		r.openIn = c.writer.Apart()
		r.written, r.landed = call.position, call.position
		b = r.AppendApart(b, 0)
		r.Know(call.guaranteeOnceStored(c))
		r.Await() // who waits for the commit that was to have the row waits for one all the same
	}
	return b
}

// take empties the list.
func (d *deferrals) take() []*call {
	list := d.list
	d.list, d.by = nil, engine.Never
	return list
}

// advance writes what is due.
func (d *deferrals) advance(c *Client, now engine.Time) {
	if now < d.by {
		return
	}
	for _, call := range d.take() {
		switch r := call.record; {
		case r == nil || r.deferred == deferredNothing:
		case now >= r.deferredBy:
			c.writeDeferred(call)
		default:
			d.list, d.by = append(d.list, call), min(d.by, r.deferredBy)
		}
	}
}

// handsOver reports whether an outcome of the call's is handed to the app before it is
// stored: the server's own word on a plain request of this page's, which the app
// acknowledges by having it.
func (c *Client) handsOver(call *call, outcome engine.Outcome, failure *engine.Error) bool {
	r := call.record
	return c.alone && c.state == stateOpen && call.isKept() && failure == nil && outcome <= engine.OutcomeRPCError &&
		r.key == "" && call.flags&journal.ManualAck == 0 && r.Epoch == 1 && !call.restored && c.wall()-r.Made < handsOverWithin
}

// isPlain reports whether the server has answered the request itself, and holds nothing
// for the call that it would drop once the call is over.
func (call *call) isPlain() bool {
	return call.task == nil && call.policy == nil && call.rounds == 0 && len(call.questions)+len(call.outbox) == 0
}
