package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Park lets go of a call's stream while its app looks elsewhere, or takes it up
// again. Only a call that can be resumed is parked; it is never cancelled.
func (c *Client) Park(now engine.Time, id engine.CallID, parked bool) {
	c.effects.Begin(now)
	call := c.callOf(id)
	if call == nil || call.state != callStreaming || call.parked&byApp != 0 == parked {
		return
	}
	if !parked {
		call.unpark(now)
		return
	}
	if call.guaranteeOnceStored(c) == durable.LostOnReload {
		return
	}
	if call.parked == 0 {
		call.letGo(c, now)
	}
	call.parked |= byApp
	c.status(call, engine.StreamParked, nil)
}

// unpark resumes the call as soon as the server allows, and the host.
func (call *call) unpark(now engine.Time) {
	if call.parked &^= byApp; call.parked != 0 {
		call.touchAt = call.nextTouch(now)
		return
	}
	call.takeUp(now)
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
func (call *call) nextTouch(now engine.Time) engine.Time {
	p := call.policy
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
func (call *call) advanceParked(c *Client, now engine.Time) {
	if now < call.touchAt {
		return
	}
	call.touchAt = engine.Never
	switch {
	case c.state != stateOpen || call.generation != c.session.generation || call.policy.expired(now):
		call.unpark(now) // whatever is to become of it, resuming finds out
		return
	case c.token.Asking():
		call.touchAt = now.After(statusFloor)
		return
	}
	call.askStatus(c, now)
}

// askStatus sends requests/getStatus.
func (call *call) askStatus(c *Client, now engine.Time) *call {
	s := c.newCall(now, statusMethod, Timeouts{})
	s.role, s.parent = roleStatus, call
	params := jsonrpc.Raw(appendUint([]byte(`{"requestId":`), uint64(call.request)), `,"resumeToken":`)
	s.params = append(append(params, call.policy.token...), '}')
	s.send(c, now)
	return s
}

// touched takes the status of a parked request. What the server has ready is
// fetched; an error means that only a resume can tell.
func (call *call) touched(c *Client, now engine.Time, outcome engine.Outcome, data []byte) {
	p := call.policy
	if call.parked == 0 || call.state != callStreaming || p == nil {
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
		call.touchAt = now.After(max(again, statusFloor))
		return
	case engine.OutcomeResult:
		call.contact(c, now)
		value, _ := jsonrpc.Member(data, "status")
		status, _ := jsonrpc.String(value)
		pending, _ := jsonrpc.Member(data, "hasPendingMessage")
		input, _ := jsonrpc.Member(data, "hasInputRequest")
		if status == "processing" && string(input) != "true" && string(pending) != "true" {
			call.touchAt = call.nextTouch(now)
			return
		}
		p.failed = status == "failed"
	}
	call.unpark(now)
}
