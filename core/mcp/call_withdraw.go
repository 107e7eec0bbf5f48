package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// The store holds the head of a call that ended unsent, and cannot store the end. Delete
// the head first, then report: otherwise a later page would send the call, which the app
// may have made once more. A call too old to be sent (sendWithin) is reported at once. A
// deletion needs no room as a rule: this takes a moment where the store is full, and long
// where the store is broken. After withdrawWithin the report says that a later page may
// send the call.

// withdrawal is such a call.
type withdrawal struct {
	t    *call
	over engine.Effect // how it has ended
	by   engine.Time   // when the store is given up
}

// withdrawals are all of them.
type withdrawals struct {
	list  []withdrawal
	trial storeTrial // to delete their heads
}

// withdrawWithin is for how long a store is asked to delete a call that may wait for
// longer, or for ever (sendWithin), in ms.
const withdrawWithin = 300_000

// withdraw reports the end of a call that never left, once no later page will send it.
func (c *Client) withdraw(now engine.Time, call *call, over engine.Effect) {
	w := &c.withdrawn
	over.Data = bytes.Clone(over.Data) // the input that it came in is over by then
	if len(w.list) == 0 {
		w.trial.tries = 0
		w.trial.ask(now)
	}
	w.list = append(w.list, withdrawal{call, over, now.After(withdrawWithin)})
	w.advance(c, now)
}

// advance deletes the heads, and tells of what needs none.
func (w *withdrawals) advance(c *Client, now engine.Time) {
	w.tell(c, func(call *call) bool { return now >= call.sendBy })
	w.giveUp(c, now)
	if len(w.list) == 0 || now < w.trial.deadline() {
		return
	}
	var ops []byte
	asked := map[*call]bool{}
	for _, one := range w.list {
		asked[one.t] = true
		ops = journal.AppendOp(ops, journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned,
			Call: one.t.record.ID})
	}
	w.trial.state = trialUnderWay
	if c.writer.Open() {
		// It works again.
		deletion := &headDeletion{c, asked, c.writer.Next()}
		for r := journal.ReadOps(ops); ; {
			op, ok := r.Next()
			if !ok {
				break
			}
			c.writer.Put(op)
		}
		c.writer.WhenStored(now, true, deletion)
		return
	}
	e, ok := c.writer.Try(now, ops, &headDeletion{c: c, of: asked})
	if !ok {
		w.trial.ended()
		w.trial.ask(now.After(trialAgain)) // another commit is under way
		return
	}
	c.effects.Add(e)
}

// headDeletion hears whether the heads of calls are deleted (durable.Waiter and Trial).
type headDeletion struct {
	c      *Client
	of     map[*call]bool
	ticket uint32 // of the commit that does it
}

// Stored hears that the commit is stored, or that the store has failed.
func (s *headDeletion) Stored(now engine.Time) { s.Tried(now, s.c.writer.Has(s.ticket)) }

// Tried tells of the calls, or tries again later.
func (s *headDeletion) Tried(now engine.Time, stored bool) {
	w := &s.c.withdrawn
	w.trial.ended()
	if stored {
		w.trial.tries = 0
		w.trial.ask(now)
		w.tell(s.c, func(call *call) bool { return s.of[call] })
		return
	}
	w.trial.failed(now)
}

// tell tells of the calls that can be told of. One that another tab carries, as the
// deletion has found out, is that tab's to tell of.
func (w *withdrawals) tell(c *Client, can func(call *call) bool) {
	rest := w.list[:0]
	for _, one := range w.list {
		switch {
		case one.t.state == callFollowed:
		case can(one.t):
			c.effects.Add(one.over)
		default:
			rest = append(rest, one)
		}
	}
	clear(w.list[len(rest):])
	w.list = rest
}

// giveUp tells of the calls for which the store is not asked any more.
func (w *withdrawals) giveUp(c *Client, now engine.Time) {
	due := map[*call]bool{}
	for i, one := range w.list {
		if now >= one.by {
			due[one.t], one.t.record.undecided = true, true
			w.list[i].over = engine.Effect{Kind: engine.Settle, C: one.t.id, Outcome: engine.OutcomeFailure,
				Failure: undeletedError(one.t.method)}
		}
	}
	w.tell(c, func(call *call) bool { return due[call] })
}

// deadline returns when advance is due.
func (w *withdrawals) deadline() engine.Time {
	at := engine.Never
	for _, one := range w.list {
		at = min(at, one.t.sendBy, one.by)
	}
	if len(w.list) > 0 {
		at = min(at, w.trial.deadline())
	}
	return at
}

// gone notes that all that was stored is deleted.
func (w *withdrawals) gone(c *Client) { w.tell(c, func(*call) bool { return true }) }

// end ends them with the client: a later page goes on with these calls.
func (w *withdrawals) end(c *Client) {
	for _, one := range w.list {
		if one.t.state != callFollowed {
			c.effects.Add(engine.Effect{Kind: engine.Settle, C: one.t.id, Outcome: engine.OutcomeFailure,
				Failure: c.closedError(one.t.method)})
		}
	}
	w.list = nil
}
