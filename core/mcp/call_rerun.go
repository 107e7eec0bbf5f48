package mcp

import (
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
func (t *call) answerLost(c *Client, now engine.Time, outcome engine.Resumption, failure *engine.Error) {
	if t.flags.Repeatable() && t.reruns < maxReruns && t.role == roleApp && c.state < stateClosing {
		t.rerun(c, now)
		return
	}
	if t.cuts > 0 {
		c.resumed(t, outcome)
	}
	c.settle(now, t, engine.OutcomeFailure, nil, failure)
}

// rerun runs the request again under a new id: a late answer to the old one
// must not be taken for this one's.
func (t *call) rerun(c *Client, now engine.Time) {
	c.reschedule(t)
	c.abort(t.x)
	t.x = 0
	t.stream.End()
	if t.task != nil {
		t.dropTask(c)
	}
	t.policy, t.fold, t.streamed = nil, nil, segments.Tracker{}
	t.outbox, t.questions, t.drafts = nil, nil, drafts{} // the run that asked is over
	t.parked &^= byApp                                   // as is the stream that was let go of
	delete(c.byID, t.request)
	t.request = c.newRequestID()
	c.byID[t.request] = t
	t.enter(c, callRetrying)
	t.attempt, t.refreshed = attempt{}, false
	t.answerBy = in(now, t.timeouts.Answer)
	c.resumed(t, engine.Restarted)
	delay := c.cfg.Retry.Delay(t.reruns, -1, &c.random)
	t.reruns++
	t.rerunAt = now.After(delay)
}
