package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Park lets go of a call's stream while its app looks elsewhere, or takes it up
// again. Only a call that can be resumed is parked; it is never cancelled.
func (c *Client) Park(now engine.Time, id engine.CallID, parked bool) {
	c.begin(now)
	t := c.callOf(id)
	if t == nil || t.state != callStreaming || t.parked&byApp != 0 == parked {
		return
	}
	if !parked {
		t.unpark(now)
		return
	}
	if t.guaranteeOnceStored(c) == durable.LostOnReload {
		return
	}
	if t.parked == 0 {
		t.letGo(c, now)
	}
	t.parked |= byApp
	c.status(t, engine.StreamParked, nil)
}

// unpark resumes the call as soon as the server allows, and the host.
func (t *call) unpark(now engine.Time) {
	if t.parked &^= byApp; t.parked != 0 {
		t.touchAt = t.nextTouch(now)
		return
	}
	t.takeUp(now)
}

const (
	// statusEvery is how often a parked request is asked for where its policy
	// names no maxWait, in ms.
	statusEvery = 60_000
	// statusFloor is how often at most, whatever the policy says, in ms.
	statusFloor = 1_000
	// statusAgain is when to ask again where the server could not be reached.
	statusAgain = 15_000
)

// statusMethod asks how a resumable request stands, without its messages (SEP-975).
const statusMethod = "requests/getStatus"

// nextTouch returns when a parked request has to be asked for: in good time
// before the server may drop it, and not before the server wants to be asked.
func (t *call) nextTouch(now engine.Time) engine.Time {
	p := t.policy
	if p == nil {
		return engine.Never
	}
	every := int64(statusEvery)
	if p.maxWait > 0 {
		every = min(every, p.maxWait/2)
	}
	return now.After(max(every, p.wait(), statusFloor))
}

// advanceParked asks for the status of a parked request, which keeps it alive at
// the server (SEP-975: getStatus resets its timers).
func (t *call) advanceParked(c *Client, now engine.Time) {
	if now < t.touchAt {
		return
	}
	t.touchAt = engine.Never
	switch {
	case c.state != stateOpen || t.generation != c.session.generation || t.policy.expired(now):
		t.unpark(now) // whatever is to become of it, resuming finds out
		return
	case c.token.Asking():
		t.touchAt = now.After(statusFloor)
		return
	}
	t.askStatus(c, now)
}

// askStatus sends requests/getStatus.
func (t *call) askStatus(c *Client, now engine.Time) *call {
	s := c.newCall(now, statusMethod, Timeouts{})
	s.role, s.parent = roleStatus, t
	params := append(appendUint([]byte(`{"requestId":`), uint64(t.request)), `,"resumeToken":`...)
	s.params = append(append(params, t.policy.token...), '}')
	s.send(c, now)
	return s
}

// touched takes the status of a parked request. What the server has ready is
// fetched; an error means that only a resume can tell.
func (t *call) touched(c *Client, now engine.Time, outcome engine.Outcome, data []byte) {
	p := t.policy
	if t.parked == 0 || t.state != callStreaming || p == nil {
		return
	}
	switch outcome {
	case engine.OutcomeFailure:
		// The server has not been heard: it may still have the request, and the
		// app still looks elsewhere.
		again := int64(statusAgain)
		if p.maxWait > 0 {
			again = min(again, p.maxWait/4)
		}
		t.touchAt = now.After(max(again, statusFloor))
		return
	case engine.OutcomeResult:
		t.contact(c, now)
		value, _ := jsonrpc.Member(data, "status")
		status, _ := jsonrpc.String(value)
		pending, _ := jsonrpc.Member(data, "hasPendingMessage")
		input, _ := jsonrpc.Member(data, "hasInputRequest")
		if status == "processing" && string(input) != "true" && string(pending) != "true" {
			t.touchAt = t.nextTouch(now)
			return
		}
		p.failed = status == "failed"
	}
	t.unpark(now)
}
