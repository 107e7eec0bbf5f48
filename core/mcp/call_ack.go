package mcp

import (
	"bytes"
	"strconv"

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
func (c *Client) settleStored(now engine.Time, call *call, outcome engine.Outcome, data []byte, failure *engine.Error) {
	rests := call.rests(data)
	if failure != nil {
		data = journal.AppendFailure(nil, failure)
		rests = data
	}
	stored := outcome
	if stored > engine.OutcomeFailure {
		stored = engine.OutcomeRPCError // a later page cannot send it again
	}
	c.writeOutcome(call, stored, rests)
	call.record.undecided = leavesOpen(failure)
	kept := c.writer.Open() && call.isKept()
	e := engine.Effect{Kind: engine.Settle, C: call.id, Outcome: outcome, Failure: failure}
	if failure == nil {
		e.Data = data
		if kept {
			// The input it came in is over by then.
			var row []byte
			if len(rests) == len(data) {
				row = call.record.Lend(len(data))
			}
			if e.Data = row; row == nil {
				e.Data = bytes.Clone(data) // memory for a row of events, up to 1 MB, serves the next call
			}
		}
	}
	c.whenStored(now, call, true, &settlement{e, kept})
}

// settleUnstored hands the app an outcome that is not stored yet: the app acknowledges it
// by having it, as a rule before it is written. One whose call has a row to be stored, or
// under way, goes behind that, and not beside it when the page is left: such a row may wait
// for its secrets to be sealed and never begin, and no page could read the call without it.
func (c *Client) settleUnstored(now engine.Time, call *call, outcome engine.Outcome, data []byte) {
	rests := call.rests(data)
	if !call.record.Unstored() {
		c.noteOutcome(call, outcome)
		c.deferOutcome(now, call, rests)
		c.remember(call, outcome, call.record.over)
	} else {
		c.writeOutcome(call, outcome, rests)
		c.writer.Flush()
		c.remember(call, outcome, bytes.Clone(rests))
	}
	call.record.told = true
	call.told, call.again = nil, nil
	c.effects.Add(engine.Effect{Kind: engine.Settle, C: call.id, Outcome: outcome, Data: data})
}

// writeOutcome writes how a call has ended.
func (c *Client) writeOutcome(call *call, outcome engine.Outcome, data []byte) {
	c.write(call, journal.Entry{Kind: journal.Outcome, N: [3]uint64{uint64(outcome), uint64(max(c.wall(), 0))}, Data: data})
	c.noteOutcome(call, outcome)
	call.record.overIn = c.writer.Next()
}

// noteOutcome notes how a call has ended, and when.
func (c *Client) noteOutcome(call *call, outcome engine.Outcome) {
	r := call.record
	r.settled, r.outcome, r.endedAt = true, outcome, max(c.wall(), 0)
	c.kept[call.id], c.byRecord[r.ID] = call, call
}

// settlement tells the app how its call has ended.
type settlement struct {
	effect engine.Effect
	kept   bool // what is in it is this client's, and was to be stored
}

func (s *settlement) goOn(c *Client, call *call, now engine.Time) {
	switch {
	case call.state == callFollowed: // another tab has it by now, and tells
	case call.record == nil: // it had it, and let go of it: the app has heard of that
	case call.looksUnsent(c):
		c.withdraw(now, call, s.effect)
	default:
		call.told, call.again = nil, nil
		c.keepUnstored(call, &s.effect)
		if s.kept {
			c.rememberEffect(call, &s.effect)
		}
		c.effects.Add(s.effect)
	}
}

// Ack notes that the app has done with a call's events up to a position, or,
// where position is 0, with all that it has had: a call whose outcome is among that is
// forgotten. An outcome has no position: it may have come with the last event, and not be
// looked at yet (fault 524). EventAcked tells the ticket once that is stored; 0 is nobody's.
func (c *Client) Ack(now engine.Time, id engine.CallID, position, ticket uint32) {
	c.effects.Begin(now)
	call := c.byCall[id]
	if kept := c.kept[id]; kept != nil {
		call = kept
	}
	switch {
	case call == nil:
		// It is over and acknowledged. That may wait to be stored still.
		c.writer.Hasten()
		c.writer.WhenStored(now, false, &repeatedAck{c, id, ticket, c.writer.Open()})
		return
	case call.record == nil:
		c.tellAcked(id, ticket, true) // no later page is told of it
		return
	}
	all := position == 0
	if all || position > call.position {
		position = call.position
	}
	// Its outcome was handed over, which has acknowledged it: that is stored, or about to be.
	forgotten := call.record.settled && c.kept[id] == nil
	over := c.kept[id] != nil && all && c.outcomeDelivered(call)
	stored := c.writer.Open() && (forgotten || over || !call.record.Memory)
	switch {
	case forgotten:
		c.writer.Hasten()
	case over:
		c.forgetCall(call, ticket, journal.GoneAcked, 0)
	case stored && position > call.record.acked:
		c.writeDeferred(call)
		call.record.acked = position
		c.writer.Put(journal.AckRow(call.record.ID, position))
	}
	if ticket == 0 {
		return
	}
	c.writer.WhenStored(now, false, &afterStored{c, call, &acknowledgement{ticket, over, stored}, 0})
}

// repeatedAck answers an Ack of a call that nothing is known of any more (durable.Waiter).
type repeatedAck struct {
	c      *Client
	id     engine.CallID
	ticket uint32
	waits  bool // for a store that worked
}

// Stored answers it: where the store has failed meanwhile, a later page may hear of the
// call, and so it may where the client has: it has let its calls go, for that page.
func (a *repeatedAck) Stored(engine.Time) {
	a.c.tellAcked(a.id, a.ticket, a.c.state != stateFailed && (!a.waits || a.c.writer.Open()))
}

// acknowledgement answers an Ack.
type acknowledgement struct {
	ticket uint32
	over   bool // the call is to be deleted
	stored bool // what was written says so
}

func (a *acknowledgement) goOn(c *Client, call *call, _ engine.Time) {
	stored := a.stored && c.writer.Open()
	if a.over && !stored {
		// The store may have it still: an app that says it once more is not to be told otherwise.
		c.kept[call.id], c.byRecord[call.record.ID] = call, call
	}
	c.tellAcked(call.id, a.ticket, stored)
}

// Handed notes that the outcome of a call was handed to its app, and that the app
// has made of it what it could in one go. That acknowledges it where the app does
// not do so itself. Of what leaves open whether the request ran it does not: nobody has
// decided yet whether it is to be run again (fault 133).
func (c *Client) Handed(now engine.Time, id engine.CallID) {
	c.effects.Begin(now)
	call := c.kept[id]
	if call == nil || call.flags&journal.ManualAck != 0 || call.record.undecided || !c.outcomeDelivered(call) {
		return
	}
	c.forgetCall(call, 0, journal.GoneAcked, journal.OpEnded)
	c.tellForgotten(call)
}

// outcomeDelivered reports whether a settled call's outcome is one of the things that
// the app has had: it is told once it is stored.
func (c *Client) outcomeDelivered(call *call) bool {
	return call.record.Memory || call.record.told || c.writer.Has(call.record.overIn)
}

// leavesOpen reports whether a failure says nothing of what the request did.
func leavesOpen(failure *engine.Error) bool {
	return failure != nil && (failure.Code == engine.CodeLost || failure.Code == engine.CodeOutcomeUnknown)
}

// tellAcked answers an Ack: {"stored":true}.
func (c *Client) tellAcked(id engine.CallID, ticket uint32, stored bool) {
	if ticket == 0 {
		return
	}
	data := strconv.AppendBool([]byte(`{"stored":`), stored)
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventAcked, C: id, Position: ticket, Data: append(data, '}')})
}

// Hide stores at once what the app is done with: the page is being left, and what
// waits for a commit goes with it.
func (c *Client) Hide(now engine.Time) {
	c.effects.Begin(now)
	c.storeUrgent()
}

// storeUrgent writes it beside the commit under way, and maybe once more: positions
// as far as their events are stored, and calls to be deleted, unless they are only
// written again. And once: that the server has refused requests.
func (c *Client) storeUrgent() {
	urgent := c.appendRefusals(c.appendDeferred(nil))
	c.writer.Unstored(func(op journal.Op) {
		switch call := c.byRecord[op.Call]; {
		case op.IsAck() && call != nil && call.isKept():
			if op.N = min(op.N, call.record.landed); op.N > 0 {
				urgent = journal.AppendOp(urgent, op)
			}
		case op.Kind == journal.OpForget && op.Flags&(journal.OpOwned|journal.OpAwaited) != journal.OpOwned: // else it only makes room for the head that follows (Log.BeginAgain)
			urgent = journal.AppendOp(urgent, op)
		}
	})
	if len(urgent) > 0 {
		c.effects.Add(engine.Effect{Kind: engine.Store, Data: urgent})
	}
}

// forgetCall deletes a call that has ended from the journal; ticket is that of who waits for it, and handed
// is journal.OpEnded where its outcome was handed over.
func (c *Client) forgetCall(call *call, ticket uint32, why journal.Gone, handed journal.OpFlags) {
	delete(c.kept, call.id)
	flags := journal.OpOutcome(why, call.record.outcome) | handed
	what := call.record.deferred
	call.record.deferred, call.record.over = deferredNothing, nil
	switch {
	case ticket != 0:
		call.record.Delete(flags | journal.OpAwaited)
	case what == deferredAll: // nothing of it is stored
		call.record.Disown()
	case call.record.told && c.alone:
		call.record.DeleteLater(flags, c.effects.Now.After(deferCall/2), c.effects.Now.After(deferCall))
	default:
		call.record.Delete(flags)
	}
	if call.state == callDone {
		c.unrecord(call)
	}
}

// undirty drops the row that waits to be stored.
func (c *Client) undirty(call *call) {
	if call.record != nil {
		call.record.Drop()
	}
}
