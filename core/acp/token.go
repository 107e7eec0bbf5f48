package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// token is the bearer token and what is known of it. It stays in memory.
type token struct {
	value  string
	number int  // how many there have been: tells which one a request carried
	asking bool // the provider has been asked and has not answered
}

// askToken asks the provider, once, however many requests need it.
func (c *Client) askToken() {
	if !c.token.asking {
		c.token.asking = true
		c.effects.Add(engine.Effect{Kind: engine.Token})
	}
}

// refreshToken asks for another token than the one of that number, which was
// refused. False where there is a newer one already.
func (c *Client) refreshToken(number int) bool {
	if number != c.token.number && !c.token.asking {
		return false
	}
	c.token.value = ""
	c.askToken()
	return true
}

// Token takes the provider's answer to effect Token: the token alone, without a
// scheme, or why there is none.
func (c *Client) Token(now engine.Time, value string, failure *engine.Error) {
	c.begin(now)
	if !c.token.asking || c.state >= stateClosing {
		return
	}
	c.token.asking = false
	if failure == nil && !link.Sendable(value) {
		failure = &engine.Error{Code: engine.CodeBadArgument, Op: "token", Message: "the token holds characters that a header cannot carry"}
	}
	if failure != nil && c.state == stateConnecting && (c.home == nil || c.home.id == "" && c.home.state == connNew) {
		c.fail(now, failure)
		return
	}
	if failure == nil {
		c.token.value = value
		c.token.number++
	}
	if c.state == stateConnecting && (c.home == nil || c.home.state == connNew) {
		c.begun(now)
		return
	}
	for _, p := range append([]*post(nil), c.posts...) {
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
		for _, t := range n.streams(c) {
			t.link.Unpark(now)
		}
	}
}
