package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// cursorHeader is what is known of the field Last-Event-ID at this server. A page of another origin may send
// it only where the server's CORS rules list it (those of e2e/peer/seed.go do not), and what they refuse
// looks like an outage: fetch fails, and the server sees no more than the preflight. To tell the two apart
// takes a request without it.
type cursorHeader struct {
	state     headerState
	failures  int               // requests with it that failed in a row, before an answer
	proofs    int               // of them, those that followed a ping which was answered
	asking    bool              // a ping is under way
	reachedAt engine.Time       // headerReached: when the ping was answered
	reachedX  engine.ExchangeID // the last exchange that had begun by then
}

// headerState is what is known of the rules. enter alone changes it.
type headerState uint8

const (
	headerUntried headerState = iota // no request with the field has had an answer in this session
	headerReached                    // no request with the field was answered; one without the field was, just now
	headerAllowed                    // one has had an answer: the rules allow it
	headerRefused                    // they do not: it is not sent any more
)

// headerTransitions are the states that may follow each.
var headerTransitions = engine.Transitions{
	headerUntried: 1<<headerReached | 1<<headerAllowed,
	headerReached: 1<<headerUntried | 1<<headerAllowed | 1<<headerRefused,
	headerAllowed: 1 << headerUntried,
	headerRefused: 1<<headerUntried | 1<<headerAllowed,
}

// enter has something else be known of the rules.
func (h *cursorHeader) enter(c *Client, next headerState) {
	engine.Enter(&headerTransitions, &h.state, next, &c.illegalTransitions)
}

// known reports whether the rules are known.
func (h *cursorHeader) known() bool { return h.state >= headerAllowed }

// refused reports whether they refuse the field.
func (h *cursorHeader) refused() bool { return h.state == headerRefused }

const (
	// headerFailures is how many requests with Last-Event-ID have to fail in a
	// row for a ping to be worth its while.
	headerFailures = 3
	// headerProofs is how many of them have to fail just after a ping was answered. An
	// outage may fail one and spare the pings around it; a rule fails each. Another one
	// takes two round trips, and no wait.
	headerProofs = 3
	// headerProof is how long after an answered ping a failure counts, in ms:
	// later ones may be another outage's.
	headerProof = 60_000
	pingTimeout = 30_000
)

// headerPassed notes an answer, of whatever status, to a request with the field.
func (c *Client) headerPassed() {
	c.cursorHeader.enter(c, headerAllowed)
	c.cursorHeader.failures, c.cursorHeader.proofs = 0, 0
}

// headerFailed notes that exchange x, which carried the field, failed before an
// answer; call is the call that it answers, nil for the GET stream. It reports whether that shows
// that the field is refused: the server was reached without it a moment ago.
func (c *Client) headerFailed(now engine.Time, call *call, x engine.ExchangeID) bool {
	h := &c.cursorHeader
	if h.known() || c.IsOffline || c.state != stateOpen {
		return h.refused()
	}
	if h.state == headerReached && x > h.reachedX {
		if now.Since(h.reachedAt) >= headerProof {
			h.proofs = 0
		} else if h.proofs++; h.proofs == headerProofs {
			c.headerRefused()
			return true
		} else {
			h.failures = headerFailures // for one more ping, at once
		}
		h.enter(c, headerUntried)
	}
	if h.failures++; h.failures < headerFailures || h.asking || c.token.Asking() {
		return false
	}
	h.failures, h.asking = 0, true
	ping := c.newCall(now, "ping", Timeouts{Answer: pingTimeout, Idle: pingTimeout, Total: pingTimeout})
	ping.role, ping.parent = rolePing, call
	ping.send(c, now)
	return false
}

// pinged takes the end of a ping. Where the server was reached, the one whose
// failure led to it tries again at once: what fails now is the field.
func (c *Client) pinged(now engine.Time, ping *call) {
	h := &c.cursorHeader
	h.asking = false
	if h.known() || !ping.exchange.Opened() || c.state != stateOpen {
		h.proofs = 0
		return
	}
	h.enter(c, headerReached)
	h.reachedAt, h.reachedX = now, c.exchanges.Last()
	stream := &c.listen.stream
	c.reschedule(ping.parent)
	if call := ping.parent; call != nil {
		if call.state != callStreaming || call.parked != 0 {
			return
		}
		stream = &call.stream
	}
	if stream.State() == link.StateWaiting {
		stream.Park()
		stream.Unpark(now)
	}
}

// headerRefused tells the app which field its server has to allow:
// {"what":"header_refused","header":"Last-Event-ID"}. What the journal holds of
// streams that only it could continue is worth nothing after a reload.
func (c *Client) headerRefused() {
	c.cursorHeader.enter(c, headerRefused)
	c.rescheduleAll()
	b := jsonrpc.AppendString([]byte(`{"what":`), "header_refused")
	b = append(jsonrpc.AppendString(jsonrpc.Raw(b, `,"header":`), "Last-Event-ID"), '}')
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventIntegrity, Data: b})
	for _, call := range c.calls {
		if call.state == callStreaming {
			c.lowerGuarantee(call)
		}
	}
}

// headerError says why a stream that has a cursor cannot be continued.
func headerError(method string) *engine.Error {
	return unknownError(method, 0, "the server's CORS rules do not allow the header Last-Event-ID, without which its stream cannot be continued")
}
