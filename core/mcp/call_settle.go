package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// settle ends a call exactly once. Its stream, if one is still open, becomes
// its tail: read to its end for a short while, so that the connection can be
// used again, and so that what a server says too late is counted.
func (c *Client) settle(now engine.Time, t *call, outcome engine.Outcome, data []byte, failure *engine.Error) {
	if t.state >= callEnding {
		return
	}
	c.reschedule(t)
	if t.task != nil {
		t.dropTask(c)
	}
	streaming := (t.state == callStreaming || t.state == callTask) && t.stream.Phase() == link.PhaseUp && t.x != 0
	t.stream.End()
	t.paused = false
	if t.policy != nil && t.policy.peek != nil {
		c.tellKnown(t) // whoever asked is not left waiting
	}
	t.policy = nil // with its token
	if streaming {
		t.enter(c, callEnding)
		t.tailBy = now.After(tailTime)
		if t.withheld {
			t.withheld = false
			c.read(t.x)
		}
	} else {
		c.finish(t)
	}
	switch t.role {
	case roleInitialize:
		c.initialized(now, outcome, data, failure)
		return
	case roleDiscover:
		c.discovered(now, t.exchange.Status(), outcome, data, failure)
		return
	case roleTask:
		c.taskAnswered(now, t, outcome, data, failure)
		return
	case roleStatus:
		if p := t.parent.policy; p != nil && p.peek == t {
			p.peek = nil
			t.parent.statusAnswered(c, now, outcome, data, failure)
			return
		}
		t.parent.touched(c, now, outcome, data)
		return
	case rolePing:
		c.pinged(now, t)
		return
	}
	if outcome == engine.OutcomeRPCError && string(jsonrpc.First(data, "code")) == wire.URLElicitationRequired {
		outcome = engine.OutcomeVisitRequired
	}
	if t.record != nil && !c.parks(failure) {
		c.settleStored(now, t, outcome, data, failure)
		return
	}
	c.effects.Add(engine.Effect{Kind: engine.Settle, C: t.id, Outcome: outcome, Data: data, Failure: failure})
}

// finish forgets a call and whatever still carries it.
func (c *Client) finish(t *call) {
	t.enter(c, callDone)
	c.abort(t.x)
	delete(c.byID, t.request)
	delete(c.byCall, t.id)
	c.unrecord(t)
	for i, other := range c.calls {
		if other == t {
			c.calls = append(c.calls[:i], c.calls[i+1:]...)
			break
		}
	}
}

// giveUp ends a call from this side: the server is told, unless it has not
// heard of the request, or it is initialize, which must not be cancelled
// (2025-11-25 basic/utilities/cancellation).
func (c *Client) giveUp(now engine.Time, t *call, failure *engine.Error) {
	if t.state == callTask && c.state == stateOpen {
		c.cancelTask(now, t)
		c.abort(t.x)
		t.x = 0
		c.settle(now, t, engine.OutcomeFailure, nil, failure)
		return
	}
	heard := t.state >= callSent || t.fold != nil && t.fold.Sent
	if heard && t.state < callEnding && t.role == roleApp && c.state == stateOpen && c.revision.CancelNotification {
		c.sendCancelled(now, t.request, failure.Message)
	}
	c.abort(t.x)
	t.x = 0
	c.settle(now, t, engine.OutcomeFailure, nil, failure)
}

// Cancel ends a call because its app asked: cancel() or an AbortSignal.
// Nothing else ever cancels. reason goes to the server; it may be empty.
func (c *Client) Cancel(now engine.Time, id engine.CallID, reason string) {
	c.begin(now)
	t := c.callOf(id)
	if t == nil || t.state >= callEnding || t.state == callFollowed {
		return // the tab that carries a followed call cancels it
	}
	if reason == "" {
		reason = "cancelled by the app"
	}
	c.giveUp(now, t, &engine.Error{Code: engine.CodeCancelled, Op: t.method, Message: reason})
}
