package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// Close ends the client because its app asked: calls in flight are rejected
// with closed, then the session is deleted at the server. The state becomes
// closed when that is answered, or after two seconds. It is never sent on
// pagehide: other calls of the session may outlive the page.
func (c *Client) Close(now engine.Time) { c.close(now, false) }

// Leave closes the client as Close does, without ending the session: another tab
// uses it too.
func (c *Client) Leave(now engine.Time) { c.close(now, true) }

func (c *Client) close(now engine.Time, shared bool) {
	c.begin(now)
	if c.state >= stateClosing {
		return
	}
	for _, t := range c.calls {
		// The session outlives this client where a call in it will go on.
		shared = shared || t.isKept() && t.phase < callTail
	}
	shared = shared || len(c.kept) > 0
	c.end(now, stateClosing)
	if c.session.id == "" || shared {
		c.ended()
		return
	}
	c.post(now, postDelete, nil)
}

// end stops everything: no timer is left, no exchange, no call.
func (c *Client) end(now engine.Time, s clientState) {
	c.listen.stop(c)
	c.abort(c.channel.x)
	c.channel.state, c.channel.x = channelClosed, 0
	for _, p := range append([]*post(nil), c.posts...) {
		c.abort(p.x)
		if c.forget(p) && p.phase != postDone && p.role == postNotification {
			c.effects.Add(engine.Effect{Kind: engine.Settle, C: p.call, Outcome: engine.OutcomeFailure, Failure: c.closedError(p.method)})
		}
	}
	c.setState(s)
	for _, t := range append([]*call(nil), c.calls...) {
		c.abort(t.x)
		t.x = 0
		c.settle(now, t, engine.OutcomeFailure, nil, c.closedError(t.method))
		c.finish(t)
	}
	c.writer.Release(now)
	c.session.initializeAt = engine.Never
	c.token.asking = false
	c.answers, c.asked = answers{}, nil
}

// ended notes that the DELETE is over, however it went (a 405 is allowed).
func (c *Client) ended() {
	if c.state == stateClosing {
		c.session.id = ""
		c.setState(stateClosed)
	}
}
