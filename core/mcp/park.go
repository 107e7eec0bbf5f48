package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// Park lets go of a call's stream while its app looks elsewhere, or takes it up
// again. Only a call that can be resumed is parked; it is never cancelled.
func (c *Client) Park(now engine.Time, id engine.CallID, parked bool) {
	c.begin(now)
	t := c.byCall[id]
	if t == nil || t.phase != callStreaming || t.parked == parked {
		return
	}
	if !parked {
		t.parked = false
		t.stream.Due(now)
		return
	}
	if t.guaranteeOnceStored(c) == guaranteeLost {
		return
	}
	c.abort(t.x)
	t.x = 0
	if t.stream.Phase() != link.PhaseWaiting {
		t.stream.Broken(now, engine.EndClean, false, &c.random)
		if t.policy != nil {
			t.policy.since = now
		}
	}
	t.parked, t.touchAt = true, t.nextTouch(now)
	c.status(t, "parked", nil)
}

// disconnected notes the end of a resumable request's stream and returns how
// long the server wants to be left alone, in ms.
func (t *call) disconnected(c *Client, now engine.Time, how engine.Ending) int64 {
	p := t.policy
	if p.since = now; p.maxWait > 0 {
		return min(p.minWait, p.maxWait*3/4)
	}
	return p.minWait
}

// statusEvery is how often a parked request is asked for where its policy names
// no maxWait, in ms.
const statusEvery = 60_000

// nextTouch returns when a parked request has to be asked for: in good time
// before the server may drop it.
func (t *call) nextTouch(now engine.Time) engine.Time {
	if t.policy == nil {
		return engine.Never
	}
	every := int64(statusEvery)
	if t.policy.maxWait > 0 {
		every = min(every, t.policy.maxWait/2)
	}
	return now.After(max(every, t.policy.minWait, link.RetryFloor))
}

func (t *call) touchDue() engine.Time { return t.touchAt }

// advanceParked asks for the status of a parked request, which keeps it alive at
// the server (SEP-975: getStatus resets its timers).
func (t *call) advanceParked(c *Client, now engine.Time) {
	if now < t.touchAt {
		return
	}
	t.touchAt = engine.Never
	if c.state != stateOpen || c.token.asking || t.generation != c.session.generation {
		t.parked = false // whatever is to become of it, resuming finds out
		t.stream.Due(now)
		return
	}
	s := c.newCall(now, "requests/getStatus", Timeouts{})
	s.role, s.parent = roleStatus, t
	params := append(appendUint([]byte(`{"requestId":`), uint64(t.request)), `,"resumeToken":`...)
	s.params = append(append(params, t.policy.token...), '}')
	s.send(c, now)
}

// touched takes the status of a parked request. What the server has ready is
// fetched; an error means that only a resume can tell.
func (t *call) touched(c *Client, now engine.Time, outcome engine.Outcome, data []byte) {
	if !t.parked || t.phase != callStreaming || t.policy == nil {
		return
	}
	if outcome == engine.OutcomeResult {
		t.policy.since = now
		value, _ := jsonrpc.Member(data, "status")
		status, _ := jsonrpc.String(value)
		pending, _ := jsonrpc.Member(data, "hasPendingMessage")
		input, _ := jsonrpc.Member(data, "hasInputRequest")
		if status == "processing" && string(input) != "true" && string(pending) != "true" {
			t.touchAt = t.nextTouch(now)
			return
		}
	}
	t.parked = false
	t.stream.Due(now)
}
