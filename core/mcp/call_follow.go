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
	heard    uint32           // events up to here the app has had before it was this page's again
	told     []mark           // events that the app has had, and that may not be stored
	again    []mark           // those of before, which may come again
	lacks    bool             // of rows that come nothing can be made: some before them there are no more
}

// callOfRecord returns the call with that record, nil if there is none.
func (c *Client) callOfRecord(id uint64) *call {
	if call := c.byRecord[id]; call != nil && call.record != nil && (c.byCall[call.id] == call || c.kept[call.id] == call) {
		return call
	}
	return nil
}

// unrecord forgets whose a record is, once the call is gone.
func (c *Client) unrecord(call *call) {
	if call.record != nil && c.kept[call.id] == nil && c.byRecord[call.record.ID] == call {
		delete(c.byRecord, call.record.ID)
	}
}

// follow takes a row that the tab which carries the call has stored.
func (c *Client) follow(now engine.Time, call *call, op journal.Op) {
	if call.state != callFollowed || call.lacks || !call.record.IsNext(op) {
		return
	}
	if !c.foldRow(now, call, op) {
		return
	}
	if call.fold.Outcome != 0 {
		c.recallOutcome(call)
		return
	}
	call.record.Know(c.guaranteeSeen(call, op))
	c.tellGuarantee(call)
}

// guaranteeSeen returns what holds of a followed call after a row. What another
// tab tells comes without the secrets: that it has stored one, to go on with, is
// all that can be seen. The secret of a row with an answer may be that alone (fault 530).
func (c *Client) guaranteeSeen(call *call, op journal.Op) durable.Guarantee {
	g, answers := call.record.Stored, false
	row := journal.ReadRow(op.Plain)
	for e, ok := row.Next(); ok; e, ok = row.Next() {
		switch e.Kind {
		case journal.Sent:
			g = durable.LostOnReload
		case journal.Answered:
			answers = answers || len(e.Data) > 0
		case journal.Sealed: // the last entry of its row
			if !answers {
				g = max(g, durable.Resumable)
			}
		}
	}
	return max(g, c.guaranteeOf(call.fold))
}

// changeHands takes a call that has a new owner: this tab has taken it over (OpOwned), or finds that another
// tab did so while this tab was frozen. log is all that is stored; the app does not get again what it has. A
// head without content: the call ended and was acknowledged while this tab slept. What the new owner has
// broadcast follows; where that is not all and the outcome was handed over, it can be asked for (OpEnded).
func (c *Client) changeHands(now engine.Time, call *call, head journal.Op, log []journal.Op) {
	c.reschedule(call)
	owned, followed := head.Flags&journal.OpOwned != 0, call.state == callFollowed
	if !owned && !followed && head.Epoch == call.record.Epoch {
		return
	}
	if call.state >= callEnding && !c.unsettle(call) {
		return
	}
	position, lacks := uint32(0), false
	if len(head.Plain) == 0 {
		lacks = owned || followed || call.uncommitted() || call.record.N != head.N
		if lacks && (followed || head.Flags&journal.OpEnded == 0) {
			c.forgotten(now, head) // it cannot be told what is missing between
			return
		}
		head.Plain, position = call.journalHead(), call.position
	}
	h, err := c.readable(head, log)
	if err != nil {
		c.letGo(now, call, err)
		return
	}
	c.abort(call.x)
	call.x = 0
	call.stream.End()
	delete(c.byID, call.request)
	if call.task != nil {
		call.dropTask(c)
	}
	call.policy, call.outbox, call.questions, call.replayed, call.drafts, call.asking, call.parked = nil, nil, nil, nil, durable.Drafts{}, 0, 0
	c.unask(call)
	acked, log := journal.TakeAcks(log)
	call.record.restart(head.Epoch)
	call.record.acked, call.record.Made = max(acked, call.record.acked), h.CreatedAt
	call.fold = recorded.New(h, len(head.Plain))
	call.fold.Position = position
	call.awaits, call.lacks = false, lacks
	call.enter(c, callFollowed)
	for _, op := range log {
		call.fold.Reapply(op.Plain, op.Secret, c.replayEvent(call))
		c.folded(call, op)
	}
	call.record.Know(c.guaranteeOf(call.fold))
	if call.fold.Outcome != 0 {
		c.recallOutcome(call)
		return
	}
	c.tellGuarantee(call)
	if !owned {
		if !followed {
			// With its name in the store: whoever carries it knows it by that.
			b := appendUint([]byte(`{"state":"followed","record":`), call.record.ID)
			if len(call.meta) > 0 { // another page's, where that was first with the key
				b = append(jsonrpc.Raw(b, `,"meta":`), call.meta...)
			}
			c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventStatus, Stream: engine.StreamFollowed, C: call.id, Position: call.position, Data: append(b, '}')})
		}
		return
	}
	// What this tab had as the owner before, and had not stored, may come again.
	call.heard, call.position = call.position, call.fold.Position
	call.unmark(call.position)
	call.again, call.told = call.told, nil
	call.enter(c, callRestored)
	c.byID[call.request] = call
	call.awaitConnection(c)
	c.status(call, engine.StreamOwned, nil)
	if c.state == stateOpen && !c.token.Asking() {
		call.carryOn(c, now)
		return
	}
	call.tellAwaiting(c)
}

// unsettle takes back the outcome of a call that the app has not been told of,
// since it is being stored: it counts for nothing, being behind the seal, and
// whoever carries the call gets it, too. Reports whether it did.
func (c *Client) unsettle(call *call) bool {
	if c.kept[call.id] == nil || call.record.Memory || call.record.told || c.writer.Has(call.record.overIn) {
		return false
	}
	delete(c.kept, call.id)
	if call.state == callDone {
		c.calls, c.byCall[call.id] = append(c.calls, call), call
		c.byRecord[call.record.ID] = call
	}
	return true
}

// forgotten takes a call that another tab has acknowledged or given up, or that the
// store has let go. Its flags say which, and how it had ended (journal.OpOutcome); its content, where the
// tab that carried it was asked for that, is the outcome.
func (c *Client) forgotten(now engine.Time, op journal.Op) {
	call, flags := c.callOfRecord(op.Call), op.Flags
	switch {
	case call == nil:
	case c.kept[call.id] != nil:
		delete(c.kept, call.id)
		call.record.Disown()
		c.unrecord(call)
		c.tellForgotten(call)
	case call.state < callEnding && len(op.Plain) > 0:
		c.told(now, call, op)
	case call.state < callEnding:
		// Or of one that this tab has carried, before it slept through its end.
		if flags.Outcome() != 0 || flags.Gone() == journal.GoneInMemory {
			c.tellForgotten(call)
		}
		c.part(now, call, goneError(call.method, flags))
	}
}

// part ends a call of which this page knows no more than failure says: what is stored
// of it is another page's.
func (c *Client) part(now engine.Time, call *call, failure *engine.Error) {
	c.partAs(now, call, engine.OutcomeFailure, nil, failure)
}

// partAs ends one that has ended so in another page's hands.
func (c *Client) partAs(now engine.Time, call *call, outcome engine.Outcome, data []byte, failure *engine.Error) {
	call.record.Disown()
	c.unask(call)
	c.abort(call.x)
	c.unrecord(call)
	call.x, call.record = 0, nil
	c.settle(now, call, outcome, data, failure)
}

// tellForgotten tells the app that a call is not stored any more.
func (c *Client) tellForgotten(call *call) {
	c.status(call, engine.StreamForgotten, nil)
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

// unask takes back the server's questions on the call: whoever carries it asks them, or nobody does.
func (c *Client) unask(call *call) {
	kept := c.openQuestions[:0]
	for _, a := range c.openQuestions {
		if a.call != call {
			kept = append(kept, a)
		}
	}
	clear(c.openQuestions[len(kept):])
	c.openQuestions = kept
}

// adopted goes on in the session that another tab has made.
func (c *Client) adopted(now engine.Time) {
	c.session.initializeAt = engine.Never
	c.session.startedAt = now
	c.listen.stop(c)
	for _, call := range append([]*call(nil), c.calls...) {
		if call.opensClient() {
			c.abort(call.x)
			call.x = 0
			c.finish(call)
		}
	}
	c.strandCalls()
	c.reopened(now)
}

// newSession makes a session in the place of a lost one, or asks for the lease that allows it.
func (c *Client) newSession(now engine.Time) {
	c.session.leaseAsked = true
	if !c.cfg.Tabs {
		c.session.initializeAt = engine.Never
		c.negotiate(now)
		return
	}
	// A host that does not answer (the page that has the lease is frozen) is not
	// waited for any longer.
	c.session.initializeAt = now.After(leaseWithin)
	c.session.notBefore = c.session.initializeAt
	c.effects.Add(engine.Effect{Kind: engine.Handshake})
}

// leaseWithin is how long another tab may take to make the session, in ms.
const leaseWithin = 10_000

// Handshake gives the lease to make a new session.
func (c *Client) Handshake(now engine.Time) {
	c.effects.Begin(now)
	if c.state == stateReconnecting && c.session.leaseAsked && c.session.initializeAt != engine.Never {
		c.session.initializeAt = engine.Never
		c.negotiate(now)
	}
}

// describeRequest is what a page shows of a call that it did not make, and what it
// needs to make it once more.
func describeRequest(b []byte, call *call) []byte {
	b = jsonrpc.AppendString(jsonrpc.Raw(b, `{"method":`), call.method)
	if call.record.key != "" {
		b = jsonrpc.AppendString(jsonrpc.Raw(b, `,"key":`), call.record.key)
	}
	if len(call.params) > 0 {
		b = append(jsonrpc.Raw(b, `,"params":`), call.params...)
	}
	if len(call.meta) > 0 {
		b = append(jsonrpc.Raw(b, `,"meta":`), call.meta...)
	}
	switch {
	case call.flags&journal.RerunNever != 0:
		b = jsonrpc.Raw(b, `,"rerun":"never"`)
	case call.flags&journal.RerunAlways != 0:
		b = jsonrpc.Raw(b, `,"rerun":"always"`)
	}
	return b
}

// CancelRecord ends the call of a record, as Cancel does: a tab that follows it
// asks the one that carries it.
func (c *Client) CancelRecord(now engine.Time, id uint64, reason string) {
	c.effects.Begin(now)
	if call := c.callOfRecord(id); call != nil {
		c.Cancel(now, call.id, reason)
	}
}
