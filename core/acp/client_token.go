package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// askToken asks the provider, once, however many requests need it.
func (c *Client) askToken() {
	if !c.exchanges.IsShut() && c.token.Ask() {
		c.effects.Add(engine.Effect{Kind: engine.Token})
	}
}

// refreshToken drops the token of that number, which was refused, and asks for
// another. It returns false where there is a newer one already.
func (c *Client) refreshToken(number int) bool {
	if c.exchanges.IsShut() {
		return true // and it never comes
	}
	awaited := c.token.Awaited()
	if !c.token.Refused(number) {
		return false
	}
	if c.cfg.SignIn && !awaited {
		c.effects.Add(link.AwaitingAuthorization())
	}
	c.askToken()
	return true
}

// maxRefusals is how often in a row a request is refused before that is its answer.
func (c *Client) maxRefusals() uint8 { return link.MaxRefusals(c.cfg.HasTokenProvider, c.cfg.SignIn) }

// tellAwaiting tells the app, once, that something of a session waits until somebody has signed in: it
// was refused, or cannot leave, since something else was. s is nil for what is of none.
func (c *Client) tellAwaiting(s *session) {
	if c.cfg.SignIn && c.token.Awaited() && s != nil && !s.awaits {
		c.status(s, engine.StreamAwaiting, -1)
	}
}

// unauthorized reports whether the session cannot be read before somebody has signed in. A stream for it
// would keep a connection from other tabs, and bring nothing (fault 747).
func (c *Client) unauthorized(s *session) bool {
	return c.cfg.SignIn && c.token.Awaited() && !s.reads(c)
}

// awaited tells the apps of sessions that wait no more.
func (c *Client) awaited() {
	for _, s := range c.sessions {
		switch {
		case !s.awaits:
		case s.state != sessionOwned:
			s.awaits = false
		case s.stream == nil:
			c.status(s, engine.StreamParked, -1)
		case s.stream.link.State() == link.StateUp:
			c.status(s, engine.StreamOpen, -1)
		default:
			c.status(s, engine.StreamReconnecting, -1)
		}
	}
}

// Token takes the provider's answer to effect Token: the token alone, without a
// scheme, or why there is none.
func (c *Client) Token(now engine.Time, value string, failure *engine.Error) {
	c.effects.Begin(now)
	if !c.token.Answerable() || c.state >= stateClosing {
		return
	}
	if failure != nil && failure.Code == engine.CodeNetwork && c.waitForToken(now) {
		return
	}
	var held []*request
	for _, r := range c.requests {
		if r.awaitsToken(c) && !r.storing && r.session.reads(c) {
			held = append(held, r)
		}
	}
	failure = c.token.Answered(value, failure)
	if failure != nil && c.state == stateConnecting && (c.home == nil || c.home.id == "" && c.home.state == connNew) {
		c.fail(now, failure)
		return
	}
	if c.state == stateConnecting && (c.home == nil || c.home.state == connNew) {
		c.begun(now)
		return
	}
	c.awaited()
	for _, r := range c.requests {
		if r.waitsForToken() {
			r.by = r.answerBy(c, now)
		}
	}
	for _, p := range c.posts.all() {
		switch r := p.request; {
		case p.State != link.PostParked:
		case failure != nil:
			p.finish(c)
			p.refused(c, now, failure)
		case r != nil && r.session != nil && !r.session.reads(c):
			p.finish(c)
			r.unsend(c, now) // it leaves once the session's stream is up, which was refused as well
		default:
			p.post(c, now)
		}
	}
	for _, r := range held {
		if failure != nil {
			r.fail(c, now, failure)
		} else {
			r.dispatch(c, now)
		}
	}
	for _, n := range c.connections() {
		for _, es := range n.streams(c) {
			es.link.Unpark(now)
		}
	}
}

// waitForToken has the provider, which needs the network and could not reach it,
// asked again later. What waits for a token waits on, as it does for an agent that is
// away; a page that has an earlier one's connection has its sessions meanwhile. It
// returns false for a client that was never open: it has nothing that it could wait
// with.
func (c *Client) waitForToken(now engine.Time) bool {
	opens := c.state == stateConnecting && c.home != nil && c.home.id != "" && c.home.state == connNew
	if !opens && c.state != stateOpen && c.state != stateReconnecting {
		return false
	}
	c.token.Away(now, &c.cfg.Retry, &c.random)
	if opens {
		c.begun(now)
	}
	return true
}

// advanceToken asks the provider again.
func (c *Client) advanceToken(now engine.Time) {
	if c.token.Due(now) {
		c.effects.Add(engine.Effect{Kind: engine.Token})
	}
}
