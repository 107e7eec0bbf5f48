package acp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// loggedOut has the client leave, whose user has logged out (durable.Unsent): nothing begins from here on.
func (c *Client) loggedOut() {
	c.exchanges.Shut()
	if c.state == stateOpen || c.state == stateReconnecting {
		c.setState(stateLeaving)
	}
}

// LogOut ends what has not left: its user logs out here, and the app closes the client next (fault 718).
func (c *Client) LogOut(now engine.Time) {
	c.effects.Begin(now)
	for _, r := range c.allRequests() {
		if r.role == roleApp && r.waits(c) {
			r.fail(c, now, durable.Unsent(r.method))
		}
	}
}

// mayBegin reports whether o may send something: behind a logout nothing does but what ends something.
func (c *Client) mayBegin(o owner) bool {
	p, _ := o.(*post)
	ends := p != nil && (p.body == nil || p.op == "session/cancel" || p.op == "$/cancel_request")
	return ends || !c.exchanges.IsShut()
}

// leave ends the requests that have nothing open, after each input behind a logout. Once nothing is under way
// the client says so, and its host closes it.
func (c *Client) leave(now engine.Time) {
	if c.state >= stateClosing {
		return
	}
	c.token.Stop()
	c.rotateAt = engine.Never
	for _, r := range c.allRequests() {
		switch {
		case r.hasOpen(c):
		case r.role == roleApp:
			r.fail(c, now, durable.Ended(r.method, !r.waits(c)))
		default:
			r.over(c)
		}
	}
	if c.state < stateOpen {
		c.shut(now, durable.LoggedOut("connect"))
		return
	}
	for _, p := range c.posts.all() {
		if !c.exchanges.Live(p.X) {
			p.finish(c)
			c.settleFailure(p.call, durable.Unsent(p.op))
		}
	}
	underWay := len(c.requests) + len(c.posts)
	for _, n := range c.connections() {
		underWay += n.leave(c)
	}
	if c.state == stateLeaving && !c.idle && underWay == 0 {
		c.idle = true
		c.effects.Add(engine.Effect{Kind: engine.State, Data: []byte(`{"state":"leaving","idle":true}`)})
	}
}

// hasOpen reports whether something is open that may bring the answer.
func (r *request) hasOpen(c *Client) bool {
	switch {
	case r.state != requestSent || r.conn == nil || r.role == roleInitialize || r.waits(c):
		return false
	case c.cfg.Transport == TransportWebSocket:
		return r.conn.state == connOpen
	case r.post != nil && c.exchanges.Live(r.post.X):
		return true
	}
	for _, es := range r.conn.streams(c) {
		if es.brings(r) && c.exchanges.Live(es.x) {
			return true
		}
	}
	return false
}

// waits reports whether the request has not left, or its server has not taken it.
func (r *request) waits(c *Client) bool {
	held := r.post != nil && r.post.X == 0 && r.post.Failures == 0 && slices.Contains(c.posts, r.post)
	return r.doubtful == nil && (r.state == requestQueued || r.state == requestSent && held)
}

// leave ends the session, which nobody hears any more; of a turn that is under way nobody knows how it ends.
func (s *session) leave(c *Client) {
	s.detach(c)
	s.disownAt, s.turn.grace = engine.Never, noGrace
	if s.state == sessionOwned && s.turn.state != turnNone {
		s.turn.enter(c, turnNone)
		c.effects.Add(engine.Effect{
			Kind: engine.Deliver, Event: engine.EventStatus, Stream: engine.StreamClosed,
			C: engine.SubjectID(s.handle), Data: []byte(`{"state":"closed","unknown":true}`),
		})
	}
}

// leave closes the connection where it is not open any more. It returns how many turns can still be heard.
func (n *connection) leave(c *Client) (turns int) {
	n.at, n.openBy = engine.Never, engine.Never
	if n.state != connOpen && n.state != connGone {
		n.closeSocket(c)
		n.enter(c, connGone)
	}
	if n.stream != nil && !c.exchanges.Live(n.stream.x) {
		n.stream.close(c)
		n.stream = nil
	}
	for _, s := range c.sessions {
		switch {
		case s.conn != n || s.state == sessionDropped:
		case c.cfg.Transport == TransportHTTP && (s.stream == nil || !c.exchanges.Live(s.stream.x)), n.state != connOpen:
			s.leave(c)
		case s.state == sessionOwned && s.turn.state != turnNone:
			turns++
		}
	}
	return turns
}
