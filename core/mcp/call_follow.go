package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
	"github.com/holdfast-mcp/holdfast/core/mcp/segments"
)

// recalled is what is known of a call that another page or tab has stored.
type recalled struct {
	fold     *recorded.Call   // nil once the call is this page's
	streamed segments.Tracker // what its task had streamed
	heard    uint32           // events up to here the app has had while another tab carried the call
}

// callOfRecord returns the call with that record, nil if there is none.
func (c *Client) callOfRecord(id uint64) *call {
	if t := c.byRecord[id]; t != nil && t.record != nil && (c.byCall[t.id] == t || c.kept[t.id] == t) {
		return t
	}
	return nil
}

// unrecord forgets whose a record is, once the call is gone.
func (c *Client) unrecord(t *call) {
	if t.record != nil && c.kept[t.id] == nil && c.byRecord[t.record.ID] == t {
		delete(c.byRecord, t.record.ID)
	}
}

// follow takes a row that the tab which carries t has stored.
func (c *Client) follow(now engine.Time, t *call, op journal.Op) {
	if t.state != callFollowed || !t.record.IsNext(op) {
		return
	}
	if !c.foldRow(now, t, op) {
		return
	}
	if t.fold.Outcome != 0 {
		c.recallOutcome(t)
		return
	}
	t.record.Know(c.guaranteeSeen(t, op))
	c.tellGuarantee(t)
}

// guaranteeSeen returns what holds of a followed call after a row. What another
// tab tells comes without the secrets: that it has stored one, to go on with, is
// all that can be seen.
func (c *Client) guaranteeSeen(t *call, op journal.Op) durable.Guarantee {
	g := t.record.Stored
	row := journal.ReadRow(op.Plain)
	for e, ok := row.Next(); ok; e, ok = row.Next() {
		switch e.Kind {
		case journal.Sent:
			g = durable.LostOnReload
		case journal.Sealed:
			g = max(g, durable.Resumable)
		}
	}
	return max(g, c.guaranteeOf(t.fold))
}

// changeHands takes a call whose owner is another one now: this tab has taken it
// over (OpOwned), or finds that somebody else did while it was frozen. log is
// all that is stored; what the app knows of it is not told again. A head without
// content is that of a call which is not stored any more: it has ended and was
// acknowledged while this tab slept, and what the new owner has told follows.
func (c *Client) changeHands(now engine.Time, t *call, head journal.Op, log []journal.Op) {
	c.reschedule(t)
	owned, followed := head.Flags&journal.OpOwned != 0, t.state == callFollowed
	if !owned && !followed && head.Epoch == t.record.Epoch {
		return
	}
	if t.state >= callEnding && !c.unsettle(t) {
		return
	}
	position := uint32(0)
	if len(head.Plain) == 0 {
		if owned || followed || t.uncommitted() || t.record.N != head.N {
			c.forgotten(now, t.record.ID, head.Flags) // it cannot be told what is missing between
			return
		}
		head.Plain, position = t.journalHead(), t.position
	}
	h, _, err := c.readable(head, log)
	if err != nil {
		c.letGo(now, t, err)
		return
	}
	c.abort(t.x)
	t.x = 0
	t.stream.End()
	delete(c.byID, t.request)
	if t.task != nil {
		t.dropTask(c)
	}
	t.policy, t.outbox, t.questions, t.drafts, t.asking, t.parked = nil, nil, nil, drafts{}, 0, 0
	c.unask(t)
	acked, log := journal.TakeAcks(log)
	t.record.restart(head.Epoch)
	t.record.acked, t.record.Made = max(acked, t.record.acked), h.CreatedAt
	t.fold = recorded.New(h, len(head.Plain))
	t.fold.Position = position
	t.enter(c, callFollowed)
	for _, op := range log {
		t.fold.Reapply(op.Plain, op.Secret, c.replayEvent(t))
		c.folded(t, op)
	}
	t.record.Know(c.guaranteeOf(t.fold))
	if t.fold.Outcome != 0 {
		c.recallOutcome(t)
		return
	}
	c.tellGuarantee(t)
	if !owned {
		if !followed {
			// With its name in the store: whoever carries it knows it by that.
			b := appendUint([]byte(`{"state":"followed","record":`), t.record.ID)
			if len(t.meta) > 0 { // another page's, where that was first with the key
				b = append(append(b, `,"meta":`...), t.meta...)
			}
			c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventStatus, Stream: engine.StreamFollowed, C: t.id, Position: t.position, Data: append(b, '}')})
		}
		return
	}
	// What this tab had as the owner before, and had not stored, comes again: it
	// gets the positions that it had.
	t.heard, t.position = t.position, t.fold.Position
	t.enter(c, callRestored)
	c.byID[t.request] = t
	t.awaitConnection(c)
	c.status(t, engine.StreamOwned, nil)
	if c.state == stateOpen && !c.token.Asking() {
		t.carryOn(c, now)
	}
}

// unsettle takes back the outcome of a call that the app has not been told of,
// since it is being stored: it counts for nothing, being behind the seal, and
// whoever carries the call gets it, too. Reports whether it did.
func (c *Client) unsettle(t *call) bool {
	if c.kept[t.id] == nil || t.record.Memory || c.writer.Has(t.record.overIn) {
		return false
	}
	delete(c.kept, t.id)
	if t.state == callDone {
		c.calls, c.byCall[t.id] = append(c.calls, t), t
		c.byRecord[t.record.ID] = t
	}
	return true
}

// forgotten takes a call that another tab has acknowledged or given up, or that the
// store has let go. flags say which, and how it had ended (journal.OpOutcome).
func (c *Client) forgotten(now engine.Time, id uint64, flags journal.OpFlags) {
	t := c.callOfRecord(id)
	switch {
	case t == nil:
	case c.kept[t.id] != nil:
		delete(c.kept, t.id)
		t.record.Disown()
		c.unrecord(t)
		c.tellForgotten(t)
	case t.state < callEnding:
		// Or of one that this tab has carried, before it slept through its end.
		if flags.Outcome() != 0 || flags.Gone() == journal.GoneInMemory {
			c.tellForgotten(t)
		}
		c.part(now, t, goneError(t.method, flags))
	}
}

// part ends a call of which this page knows no more than failure says: what is stored
// of it is another page's.
func (c *Client) part(now engine.Time, t *call, failure *engine.Error) {
	t.record.Disown()
	c.unask(t)
	c.abort(t.x)
	c.unrecord(t)
	t.x, t.record = 0, nil
	c.settle(now, t, engine.OutcomeFailure, nil, failure)
}

// tellForgotten tells the app that a call is not stored any more.
func (c *Client) tellForgotten(t *call) {
	c.status(t, engine.StreamForgotten, nil)
}

// goneError tells of a call that is not stored any more, and of whose end this tab has
// not heard.
func goneError(op string, flags journal.OpFlags) *engine.Error {
	why := flags.Gone()
	if why == journal.GoneInMemory {
		return &engine.Error{Code: engine.CodeLimit, Op: op, Message: "the call goes on in another page, and takes too much room to be stored: only that page hears of it"}
	}
	if end := flags.Outcome(); end != 0 {
		return &engine.Error{Code: engine.CodeAcknowledged, Op: op, Message: endings[end] + reasons[why] + ": it is not stored any more"}
	}
	return &engine.Error{Code: engine.CodeLost, Op: op, Message: [...]string{
		journal.GoneAcked:   "another page has given the call up",
		journal.GoneExpired: "the call is not stored any more: its retention is over",
		journal.GoneEvicted: "the call is not stored any more, for want of room",
	}[why]}
}

var (
	endings = [...]string{
		engine.OutcomeResult:   "the call has ended with a result",
		engine.OutcomeRPCError: "the call has ended with an error of the server's",
		engine.OutcomeFailure:  "the call has failed",
	}
	reasons = [...]string{
		journal.GoneAcked:   ", which another page has acknowledged",
		journal.GoneExpired: ", and its retention is over",
		journal.GoneEvicted: ", and was evicted for want of room",
	}
)

// unask takes back the server's questions on t: whoever carries it asks them.
func (c *Client) unask(t *call) {
	kept := c.asked[:0]
	for _, a := range c.asked {
		if a.call != t {
			kept = append(kept, a)
		}
	}
	clear(c.asked[len(kept):])
	c.asked = kept
}

// adopted goes on in the session that another tab has made.
func (c *Client) adopted(now engine.Time) {
	c.session.initializeAt = engine.Never
	c.session.startedAt = now
	c.listen.stop(c)
	for _, t := range append([]*call(nil), c.calls...) {
		if t.opensClient() {
			c.abort(t.x)
			t.x = 0
			c.finish(t)
		}
	}
	c.reopened(now)
}

// newSession makes a session in the place of a lost one, or asks for leave to.
func (c *Client) newSession(now engine.Time) {
	c.session.asked = true
	if !c.cfg.Tabs {
		c.session.initializeAt = engine.Never
		c.negotiate(now)
		return
	}
	// A host that does not answer (the page that has leave is frozen) is not
	// waited for any longer.
	c.session.initializeAt = now.After(leaveWithin)
	c.effects.Add(engine.Effect{Kind: engine.Handshake})
}

// leaveWithin is how long another tab may take to make the session, in ms.
const leaveWithin = 10_000

// Handshake gives leave to make a new session.
func (c *Client) Handshake(now engine.Time) {
	c.begin(now)
	if c.state == stateReconnecting && c.session.asked && c.session.initializeAt != engine.Never {
		c.session.initializeAt = engine.Never
		c.negotiate(now)
	}
}

// describeRequest is what a page shows of a call that it did not make, and what it
// needs to make it once more.
func describeRequest(b []byte, t *call) []byte {
	b = jsonrpc.AppendString(append(b, `{"method":`...), t.method)
	if t.record.key != "" {
		b = jsonrpc.AppendString(append(b, `,"key":`...), t.record.key)
	}
	if len(t.params) > 0 {
		b = append(append(b, `,"params":`...), t.params...)
	}
	if len(t.meta) > 0 {
		b = append(append(b, `,"meta":`...), t.meta...)
	}
	switch {
	case t.flags&journal.RerunNever != 0:
		b = append(b, `,"rerun":"never"`...)
	case t.flags&journal.RerunAlways != 0:
		b = append(b, `,"rerun":"always"`...)
	}
	return b
}

// CancelRecord ends the call of a record, as Cancel does: a tab that follows it
// asks the one that carries it.
func (c *Client) CancelRecord(now engine.Time, id uint64, reason string) {
	c.begin(now)
	if t := c.callOfRecord(id); t != nil {
		c.Cancel(now, t.id, reason)
	}
}
