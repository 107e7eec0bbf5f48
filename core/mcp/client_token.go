package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// askToken asks the provider, once, however many requests need it.
func (c *Client) askToken() {
	if !c.exchanges.IsShut() && c.token.Ask() {
		c.rescheduleAll()
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
	if awaited || !c.cfg.SignIn {
		c.askToken()
		return true
	}
	c.effects.Add(link.AwaitingAuthorization())
	c.askToken()
	for _, call := range c.calls {
		if call.state == callQueued || call.state == callRestored {
			call.tellAwaiting(c)
		}
	}
	return true
}

// maxRefusals is how often in a row a request is refused before that is its answer.
func (c *Client) maxRefusals() uint8 { return link.MaxRefusals(c.cfg.HasTokenProvider, c.cfg.SignIn) }

// tellAwaiting tells the app of a call, once, that it waits until somebody has signed in: its request
// was refused, or one about it, or cannot leave, since another one was.
func (call *call) tellAwaiting(c *Client) {
	k := call.keeper()
	if !c.cfg.SignIn || !c.token.Awaited() || k.role != roleApp {
		return
	}
	if !k.awaits {
		c.status(k, engine.StreamAwaiting, nil)
	}
}

// awaited tells the apps of calls that wait no more. A stream says so itself as it is resumed, unless the
// host has to have a connection for it first.
func (c *Client) awaited() {
	for _, call := range c.calls {
		if call.awaits && (call.state != callStreaming || call.parked&byHost != 0) && call.state < callEnding {
			c.status(call, engine.StreamReconnecting, nil)
		}
		call.awaits = false
	}
}

// authorize parks a call whose request got a 401 until there is another token.
func (call *call) authorize(c *Client, now engine.Time) {
	call.x = 0
	if call.refusals >= c.maxRefusals() {
		c.settle(now, call, engine.OutcomeFailure, nil, httpError(call.method, 401))
		return
	}
	call.refusals++
	asked := c.refreshToken(call.token)
	if call.resumes() {
		// The stream waits with its cursor; the token's arrival wakes it.
		call.stream.Broken(now, engine.EndNetwork, false, &c.random)
		call.stream.Park()
	}
	switch {
	case !asked && call.resumes():
		call.resume(c, now)
	case !asked:
		call.send(c, now)
	case !call.resumes():
		call.enter(c, callQueued)
		call.answerBy = in(now, call.timeouts.Answer)
	}
	if asked && c.cfg.SignIn {
		call.tellAwaiting(c)
		call.noteRefusal()
	}
}

// noteRefusal has it stored that the call did not run, though it may look as if it had: a page that loads
// meanwhile sends it.
func (call *call) noteRefusal() {
	if call.resumes() || call.record == nil {
		return
	}
	if call.isKept() {
		call.record.refused()
	}
	call.denied = true
}

// Token takes the provider's answer to effect Token. value is the token alone,
// without a scheme; failure is set where there is none.
func (c *Client) Token(now engine.Time, value string, failure *engine.Error) {
	c.effects.Begin(now)
	if !c.token.Answerable() || c.state >= stateClosing {
		return
	}
	c.rescheduleAll()
	if failure != nil && failure.Code == engine.CodeNetwork && c.waitForToken(now) {
		return
	}
	if failure = c.token.Answered(value, failure); failure != nil {
		c.tokenFailed(now, failure)
		return
	}
	c.tokenArrived(now)
}

// waitForToken has the provider, which needs the network and could not reach it,
// asked again later. What waits for a token waits on, as it does for a server that
// is away; a page that has an earlier one's session has its calls meanwhile. False
// for a client that was never open: it has nothing that it could wait with.
func (c *Client) waitForToken(now engine.Time) bool {
	opens := c.state == stateConnecting && !c.session.begun && c.session.restored
	if !opens && c.state != stateOpen && c.state != stateReconnecting {
		return false
	}
	c.token.Away(now, &c.cfg.Retry, &c.random)
	if opens {
		c.begun(now)
		c.noteReachability(false)
	}
	return true
}

// advanceToken asks the provider again.
func (c *Client) advanceToken(now engine.Time) {
	if c.token.Due(now) {
		c.effects.Add(engine.Effect{Kind: engine.Token})
	}
}

// tokenArrived sends everything that waited for it.
func (c *Client) tokenArrived(now engine.Time) {
	c.awaited()
	if c.state == stateConnecting && !c.session.begun {
		c.begun(now)
		return
	}
	for _, call := range append([]*call(nil), c.calls...) {
		switch {
		case call.isQueued() && (call.opensClient() || c.state == stateOpen):
			call.send(c, now)
		case call.state == callRestored && c.state == stateOpen:
			call.carryOn(c, now) // taken over while the token was asked for
		case call.waitsForSession(c):
			call.takeUp(now)
		case call.state == callStreaming:
			call.stream.Unpark(now)
		}
	}
	for _, p := range c.posts.all() {
		if p.State == link.PostParked {
			p.send(c, now)
		}
	}
	if c.listen.state == listenParked {
		c.listen.connect(c, now)
	}
	if c.channel.state == channelParked {
		c.channel.open(c, now)
	}
}

// tokenFailed ends what waited for a token. Without one at the start there is
// no client; later, calls fail one by one and others may still succeed, and a
// handshake is tried again.
func (c *Client) tokenFailed(now engine.Time, failure *engine.Error) {
	if c.state == stateConnecting {
		c.failure = failure
		c.fail(now)
		return
	}
	for _, call := range append([]*call(nil), c.calls...) {
		switch {
		case call.isQueued() && call.opensClient(),
			call.refusals > 0 && (call.isQueued() || call.state == callStreaming):
			c.settle(now, call, engine.OutcomeFailure, nil, failure)
		case call.isQueued() && c.state == stateOpen:
			call.send(c, now) // without a token: its own 401 will ask again
		case call.state == callRestored && c.state == stateOpen:
			call.carryOn(c, now)
		case call.waitsForSession(c):
			call.takeUp(now)
		case call.state == callStreaming:
			call.stream.Unpark(now)
		}
	}
	for _, p := range c.posts.all() {
		if p.State == link.PostParked {
			c.posted(now, p, failure)
		}
	}
	c.awaited()
	if c.listen.state == listenParked {
		c.status(nil, engine.StreamOff, nil) // until the next token, or until a request passes
	}
	if c.channel.state == channelParked {
		c.channel.failed(c, now, failure)
	}
}
