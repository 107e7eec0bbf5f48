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
func (c *Client) settle(now engine.Time, call *call, outcome engine.Outcome, data []byte, failure *engine.Error) {
	if call.state >= callEnding {
		return
	}
	c.reschedule(call)
	plain := call.isPlain()
	if call.task != nil {
		call.dropTask(c)
	}
	streaming := (call.state == callStreaming || call.state == callTask) && call.stream.State() == link.StateUp && call.x != 0
	call.stream.End()
	call.paused = false
	if call.policy != nil && call.policy.peek != nil {
		c.tellKnown(call) // whoever asked is not left waiting
	}
	call.policy = nil // with its token
	if streaming {
		call.enter(c, callEnding)
		call.tailBy = now.After(tailTime)
		if call.withheld {
			call.withheld = false
			c.read(call.x)
		}
	} else {
		c.finish(call)
	}
	if status := call.exchange.Status(); outcome == engine.OutcomeRPCError && call.opensClient() {
		if code, _ := jsonrpc.Int(jsonrpc.First(data, "code")); wire.SaysBusy(status, code) {
			outcome, data, failure = engine.OutcomeFailure, nil, httpError(call.method, status)
		}
	}
	switch call.role {
	case roleInitialize:
		c.initialized(now, outcome, data, failure)
		return
	case roleDiscover:
		c.discovered(now, call.exchange.Status(), outcome, data, failure)
		return
	case roleTask:
		c.taskAnswered(now, call, outcome, data, failure)
		return
	case roleStatus:
		if p := call.parent.policy; p != nil && p.peek == call {
			p.peek = nil
			call.parent.statusAnswered(c, now, outcome, data, failure)
			return
		}
		call.parent.touched(c, now, outcome, data)
		return
	case rolePing:
		c.pinged(now, call)
		return
	case roleLead:
		c.led(now, call, failure)
		return
	}
	if outcome == engine.OutcomeRPCError && string(jsonrpc.First(data, "code")) == wire.URLElicitationRequired {
		outcome = engine.OutcomeVisitRequired
	}
	if call.record != nil && !c.parks(failure) {
		if plain && c.handsOver(call, outcome, failure) {
			c.settleUnstored(now, call, outcome, data)
		} else {
			c.settleStored(now, call, outcome, data, failure)
		}
		return
	}
	c.effects.Add(engine.Effect{Kind: engine.Settle, C: call.id, Outcome: outcome, Data: data, Failure: failure})
}

// finish forgets a call and whatever still carries it.
func (c *Client) finish(call *call) {
	call.enter(c, callDone)
	if call.record == nil { // else the outcome may turn out to lie behind a seal, until the app is told of it
		call.told, call.again = nil, nil
	}
	c.abort(call.x)
	delete(c.byID, call.request)
	delete(c.byCall, call.id)
	c.unrecord(call)
	for i, other := range c.calls {
		if other == call {
			c.calls = append(c.calls[:i], c.calls[i+1:]...)
			break
		}
	}
}

// giveUp ends a call from this side: the server is told, unless it has not
// heard of the request, or it is initialize, which must not be cancelled
// (2025-11-25 basic/utilities/cancellation).
func (c *Client) giveUp(now engine.Time, call *call, failure *engine.Error) {
	heard := call.state >= callSent || call.fold != nil && call.fold.Sent && !call.fold.Task
	switch {
	case call.state >= callEnding, call.role != roleApp:
	case call.taskID() != "":
		c.cancelTask(now, call)
	case heard && (c.state == stateOpen || c.state == stateLeaving) && c.revision.CancelNotification:
		c.sendCancelled(now, call.request, failure.Message)
	}
	c.abort(call.x)
	call.x = 0
	c.settle(now, call, engine.OutcomeFailure, nil, failure)
}

// Cancel ends a call because its app asked: cancel() or an AbortSignal.
// Nothing else ever cancels. reason goes to the server; it may be empty.
func (c *Client) Cancel(now engine.Time, id engine.CallID, reason string) {
	c.effects.Begin(now)
	call := c.callOf(id)
	if call == nil || call.state >= callEnding || call.state == callFollowed {
		return // the tab that carries a followed call cancels it
	}
	if reason == "" {
		reason = "cancelled by the app"
	}
	c.giveUp(now, call, &engine.Error{Code: engine.CodeCancelled, Op: call.method, Message: reason})
}
