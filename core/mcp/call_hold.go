package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// parking says who wants a call to have no stream for now.
type parking uint8

const (
	byApp  parking = 1 << iota // Park: the app looks elsewhere
	byHost                     // Hold: the page has no connection to spare, or is being frozen
)

// Hold lets go of a call's stream because the host has no connection for it now,
// or takes it up again. Unlike Park it also keeps a call back that has not been
// sent. A stream that could not be resumed is not let go of: no status event
// "parked" comes, and the host has to try later.
func (c *Client) Hold(now engine.Time, id engine.CallID, held bool) {
	c.effects.Begin(now)
	call := c.callOf(id)
	if call == nil || call.state >= callEnding || call.state == callFollowed || call.role != roleApp || call.parked&byHost != 0 == held {
		return
	}
	switch {
	case call.state == callTask:
		call.holdTask(c, now, held)
		return
	case held && call.awaits:
		// Nothing of it is open, and its app knows why: it is told when it goes on.
		call.parked |= byHost
		call.touchAt = call.nextTouch(now)
		return
	case call.isQueued(), call.state == callRestored:
	case call.state != callStreaming, held && call.guaranteeOnceStored(c) == durable.LostOnReload:
		return
	}
	if held {
		if call.state == callStreaming {
			if call.parked == 0 {
				call.letGo(c, now)
			}
			c.status(call, engine.StreamParked, &streamReport{why: cutConnections})
		}
		call.parked |= byHost
		return
	}
	if call.parked &^= byHost; call.parked != 0 {
		return
	}
	switch call.state {
	case callRetrying:
		call.answerBy = in(now, call.timeouts.Answer)
	case callQueued:
		call.answerBy = in(now, call.timeouts.Answer)
		if c.state == stateOpen && !c.token.Asking() {
			call.send(c, now)
		}
	case callRestored:
		if c.state == stateOpen && !c.token.Asking() {
			call.carryOn(c, now)
		}
	case callStreaming:
		call.takeUp(now)
	}
}

// HeldUp says that those who have the connections that a call waits for show no life: its app hears that.
func (c *Client) HeldUp(now engine.Time, id engine.CallID) {
	c.effects.Begin(now)
	call := c.callOf(id)
	if call != nil && call.state < callEnding && call.state != callFollowed && call.parked&byHost != 0 {
		c.status(call, engine.StreamParked, &streamReport{why: cutHung})
	}
}

// Scarce says that the host has few connections to the server, and gives them out,
// as Config.Scarce does, or that it has as many as there are calls. It is for what
// the host learns later: what it had was HTTP/2, and now it is HTTP/1.1. The calls
// that are there it tells of by Hold.
func (c *Client) Scarce(now engine.Time, scarce bool) {
	c.effects.Begin(now)
	changed := c.scarce != scarce
	c.scarce = scarce
	if changed && c.state == stateOpen && c.revision.SelfDescribing && c.cfg.Tabs && !c.listen.lease && c.mayListen() {
		c.relisten(now, true)
	}
}

// awaitConnection keeps a call back until the host has a connection for it.
func (call *call) awaitConnection(c *Client) {
	if c.scarce {
		call.parked |= byHost
	}
}

// letGo closes the stream of a call that can be resumed.
func (call *call) letGo(c *Client, now engine.Time) {
	call.writeAhead(c)
	c.abort(call.x)
	call.x = 0
	if call.stream.State() != link.StateWaiting {
		call.cuts++
		call.stream.Broken(now, engine.EndClean, false, &c.random)
		if call.policy != nil {
			call.disconnected(c, now, 0, 0)
		}
	}
	call.touchAt = call.nextTouch(now)
}

// takeUp resumes the call as soon as the server allows.
func (call *call) takeUp(now engine.Time) {
	call.stream.Park()
	call.stream.Unpark(now)
}

// Listen gives the lease to hold the stream for what the server says unasked, or
// takes it back: of the tabs that share a session, or few connections, one has it, and
// tells the others. missed: another tab had it before.
func (c *Client) Listen(now engine.Time, lease, missed bool) {
	c.effects.Begin(now)
	if c.listen.lease == lease {
		return
	}
	c.listen.lease = lease
	switch {
	case c.state != stateOpen || c.cfg.NoListen || c.channel.state != channelClosed:
	case c.revision.SelfDescribing:
		if c.scarce && (lease || !c.listens()) { // a page that is about to be frozen keeps what it asks for itself
			c.relisten(now, missed)
		}
	case !c.listens():
	case lease:
		c.listen.open(c, now)
		c.listen.missed = missed
	case c.listen.state > listenOff:
		c.listen.stop(c)
	}
}

// mayListen reports whether this tab is the one that listens. Requests that describe
// themselves belong to no session that tabs could share: what each asks for says subscriptionFilter.
func (c *Client) mayListen() bool {
	return !c.cfg.NoListen && (!c.cfg.Tabs || c.listen.lease || c.revision.SelfDescribing)
}
