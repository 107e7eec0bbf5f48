package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp/segments"
)

// maxReruns bounds how often a request that may be run again is. They are counted
// over the call's whole life in a page, and not set back by progress: a run that
// was lost is one that the tool has made.
const maxReruns = 5

// answerLost ends a call whose answer can no longer be had, or runs it again where
// the tool's annotations say that this is harmless, or the app allows it. Never
// otherwise: the server may have run it already. outcome is what the resume came to: lost or unknown.
func (call *call) answerLost(c *Client, now engine.Time, outcome engine.Resumption, failure *engine.Error) {
	if call.flags.Repeatable() && call.reruns < maxReruns && call.role == roleApp && c.state < stateLeaving {
		call.rerun(c, now)
		return
	}
	if call.cuts > 0 {
		c.resumed(call, outcome)
	}
	c.settle(now, call, engine.OutcomeFailure, nil, failure)
}

// rerun runs the request again under a new id: a late answer to the old one
// must not be taken for this one's.
func (call *call) rerun(c *Client, now engine.Time) {
	c.reschedule(call)
	if call.isKept() && call.record.Unstored() {
		call.record.writeCursor(call.carrier()) // of the stream that its events came on
	}
	c.abort(call.x)
	call.x = 0
	call.stream.End()
	if call.task != nil {
		call.dropTask(c)
	}
	call.policy, call.fold, call.streamed = nil, nil, segments.Tracker{}
	c.unask(call) // the run that asked is over: the next one asks itself
	call.outbox, call.questions, call.replayed, call.drafts, call.asking = nil, nil, nil, durable.Drafts{}, 0
	call.parked &^= byApp // the stream that was let go of is over as well
	delete(c.byID, call.request)
	call.request = c.newRequestID()
	c.byID[call.request] = call
	call.enter(c, callRetrying)
	call.attempt, call.refusals = attempt{}, 0
	call.answerBy = in(now, call.timeouts.Answer)
	c.resumed(call, engine.Restarted)
	delay := c.cfg.Retry.Delay(call.reruns, -1, &c.random)
	call.reruns++
	call.rerunAt = now.After(delay)
}
