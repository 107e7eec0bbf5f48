package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// askToken asks the provider, once, however many requests need it.
func (c *Client) askToken() {
	if c.token.Ask() {
		c.effects.Add(engine.Effect{Kind: engine.Token})
	}
}

// refreshToken drops the token of that number, which was refused, and asks for
// another. It returns false where there is a newer one already.
func (c *Client) refreshToken(number int) bool {
	if !c.token.Refused(number) {
		return false
	}
	if c.cfg.SignIn && !c.token.Asking() {
		c.effects.Add(link.AwaitingAuthorization())
	}
	c.askToken()
	return true
}

// awaitAuthorization has the app hear that something of a session waits until somebody has signed
// in; s is nil for what is of none.
func (c *Client) awaitAuthorization(s *session) {
	if c.cfg.SignIn && s != nil {
		c.status(s, engine.StreamAwaiting, -1)
	}
}

// Token takes the provider's answer to effect Token: the token alone, without a
// scheme, or why there is none.
func (c *Client) Token(now engine.Time, value string, failure *engine.Error) {
	c.begin(now)
	if !c.token.Answerable() || c.state >= stateClosing {
		return
	}
	if failure != nil && failure.Code == engine.CodeNetwork && c.waitForToken(now) {
		return
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
	for _, p := range c.allPosts() {
		if !p.waiting || p.at != engine.Never {
			continue
		}
		if failure == nil {
			p.post(c, now)
		} else {
			p.finish(c)
			p.refused(c, now, failure)
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
