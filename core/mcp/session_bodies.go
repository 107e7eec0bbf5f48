package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// leadTimeout is how long a lead may take, in ms: a browser needs up to 30 s to find out that a connection is dead.
const leadTimeout = 60_000

// lead is the request that goes before calls that must not be sent twice (link.Bodies).
type lead struct {
	call *call // nil for none
	once bool  // its body is a stream
}

// runsOnce reports whether the call must not be sent twice, and the browser can be kept from it.
func (call *call) runsOnce(c *Client) bool {
	return c.cfg.Streams && !c.scarce && call.role == roleApp && !wire.SafeMethod(call.method) && !call.flags.Repeatable()
}

// leavesOnce reports whether a request that leaves now has a body that is a stream.
func (call *call) leavesOnce(c *Client) bool {
	return call == c.lead.call && c.lead.once || call.runsOnce(c) && c.bodies.Streams()
}

// waitsForLead reports whether the call waits until a request was answered that may be sent twice: until then it has
// not left. What may be sent twice itself waits for nothing, and has that asked which a call would wait for.
func (call *call) waitsForLead(c *Client, now engine.Time) bool {
	if !c.cfg.Streams || c.scarce || call.role != roleApp {
		return false
	}
	once := call.runsOnce(c)
	next := c.bodies.Lead(now, once)
	if next == link.LeadStream || next == link.LeadBytes {
		c.sendLead(now, next == link.LeadStream)
	}
	return once && next != link.LeadNone
}

// sendLead sends a request that changes nothing, with the header fields of a call.
func (c *Client) sendLead(now engine.Time, once bool) {
	method := "ping"
	if c.revision.SelfDescribing {
		method = "server/discover"
	}
	call := c.newCall(now, method, Timeouts{Answer: leadTimeout, Idle: leadTimeout, Total: leadTimeout})
	call.role = roleLead
	c.lead = lead{call, once}
	call.send(c, now)
}

// led takes the end of a lead; failure is nil where its answer is a message. What has waited for it leaves.
func (c *Client) led(now engine.Time, call *call, failure *engine.Error) {
	if call != c.lead.call {
		return
	}
	answered := call.exchange.Opened() // with bytes: the server is there
	if c.lead.once {
		answered = failure == nil && call.exchange.OK()
	}
	c.lead = lead{}
	switch {
	case c.state != stateOpen:
		c.bodies.Forget()
		return
	case answered:
		c.bodies.Answered()
	default:
		final := call.refusals > 0 || failure != nil && failure.Code == engine.CodeTimeout
		if next := c.bodies.Failed(now, final, &c.cfg.Retry, &c.random); next != link.LeadNone {
			c.sendLead(now, next == link.LeadStream)
		}
	}
	c.sendQueued(now)
}

// forgetBodies has it found out again how requests may leave, before the next call that must not be sent twice.
func (c *Client) forgetBodies() {
	c.bodies.Forget()
	c.lead = lead{}
}

// sendBytes sends a request again whose body its server, or a proxy, has refused for being a stream: it was not run.
func (call *call) sendBytes(c *Client, now engine.Time) {
	c.bodies.Refused()
	c.lead = lead{}
	call.enter(c, callQueued)
	call.answerBy = in(now, call.timeouts.Answer)
	if c.state == stateOpen && !c.token.Asking() {
		call.send(c, now)
	}
}
