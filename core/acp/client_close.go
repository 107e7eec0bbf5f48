package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Close ends the client and leaves the connection as it is, without a DELETE: the agent
// works on, and whoever comes back finds what it said.
func (c *Client) Close(now engine.Time) {
	c.effects.Begin(now)
	c.shut(now, nil)
}

// CloseKeepingSession is Close.
func (c *Client) CloseKeepingSession(now engine.Time) { c.Close(now) }

// Terminate ends the client and the connection, and with it whatever the agent
// still does on it. The connection is out of the store before its server hears of it:
// whoever reads the store from then on makes a new one (fault 138).
func (c *Client) Terminate(now engine.Time) {
	c.effects.Begin(now)
	n := c.home
	if c.state >= stateClosing {
		return
	}
	if n == nil || n.state != connOpen || n.id == "" {
		c.shut(now, nil)
		return
	}
	c.end(now, &engine.Error{Code: engine.CodeClosed, Message: "the agent's client was closed"})
	c.setState(stateClosing)
	c.unstoreConnection(n)
	c.writer.WhenStored(now, false, &connectionEnd{c, n})
}

// connectionEnd sends the DELETE of a connection (durable.Waiter).
type connectionEnd struct {
	c *Client
	n *connection
}

// Stored sends it.
func (w *connectionEnd) Stored(now engine.Time) {
	if w.c.state == stateClosing {
		w.c.send(now, &post{conn: w.n, op: "DELETE"})
	}
}

// unstoreConnection writes that the sessions which this page carries have n no more.
func (c *Client) unstoreConnection(n *connection) {
	for _, s := range c.sessions {
		if s.record == nil || s.record.conn != n.id {
			continue
		}
		if s.writes() && s.record.Await() {
			s.record.conn = ""
			c.writeSecret(s, journal.Entry{Kind: journal.Connection})
		}
	}
}

// terminated takes the answer to the DELETE, whatever it was.
func (c *Client) terminated(now engine.Time) { c.shut(now, nil) }

// fail ends the client with a reason.
func (c *Client) fail(now engine.Time, failure *engine.Error) { c.shut(now, failure) }

func (c *Client) shut(now engine.Time, failure *engine.Error) {
	if c.state == stateClosed || c.state == stateFailed {
		return
	}
	why := failure
	if why == nil {
		why = &engine.Error{Code: engine.CodeClosed, Message: "the agent's client was closed"}
	}
	c.end(now, why)
	for _, p := range c.posts.all() {
		p.finish(c)
	}
	for _, n := range c.connections() {
		n.enter(c, connGone)
		n.at, n.openBy = engine.Never, engine.Never // nothing is made again
	}
	c.failure = failure
	if failure != nil {
		c.setState(stateFailed)
	} else {
		c.setState(stateClosed)
	}
}

// end rejects what is pending and closes what is open.
func (c *Client) end(now engine.Time, why *engine.Error) {
	c.enter(max(c.state, stateReconnecting)) // nothing is made again from here on
	for _, r := range c.allRequests() {
		r.over(c)
		failure := *why
		failure.Op = r.method
		c.settleFailure(r.call, &failure)
	}
	c.abort(c.reach.X)
	c.reach.End()
	for _, n := range c.connections() {
		n.closeSocket(c)
		if n.stream != nil {
			n.stream.close(c)
			n.stream = nil
		}
	}
	for _, s := range c.sessions {
		if s.state != sessionDropped {
			s.detach(c)
			s.disownAt, s.turn.grace = engine.Never, noGrace
		}
	}
	c.rotateAt = engine.Never
	c.token.Stop()
}
