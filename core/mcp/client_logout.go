package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// loggedOut has the client leave, whose user has logged out (durable.Unsent): nothing begins from here on.
func (c *Client) loggedOut() {
	c.exchanges.Shut()
	c.memory = memory{}
	if c.state == stateOpen || c.state == stateReconnecting {
		c.setState(stateLeaving)
	}
}

// mayBegin reports whether o may begin an exchange: behind a logout nothing does but what ends something.
func (c *Client) mayBegin(o owner) bool {
	if !c.exchanges.IsShut() {
		return true
	}
	switch o := o.(type) {
	case *post:
		return o.role == postDelete || o.role == postCancelled
	case *call:
		return o.method == cancelTaskMethod
	}
	return false
}

// leave ends the calls that have nothing open, after each input behind a logout. Once nothing is under way
// the client says so. Its host closes it, and knows whether other clients use the session.
func (c *Client) leave(now engine.Time) {
	if c.state >= stateClosing {
		return
	}
	c.token.Stop()
	c.session.initializeAt = engine.Never
	c.answers.waiting = nil
	if c.listen.state != listenOff {
		c.listen.stop(c)
	}
	for _, call := range append([]*call(nil), c.calls...) {
		if call.state < callEnding && !call.hasOpen(c) {
			call.leave(c, now)
		}
	}
	if c.state == stateConnecting {
		c.failure = durable.LoggedOut("connect")
		c.fail(now)
		return
	}
	for _, p := range c.posts.all() {
		if p.State != link.PostOver && !c.exchanges.Live(p.X) {
			c.posted(now, p, durable.Unsent(p.method))
		}
	}
	if c.state == stateLeaving && !c.idle && !c.isBusy() {
		c.idle = true
		c.effects.Add(engine.Effect{Kind: engine.State, Data: []byte(`{"state":"leaving","idle":true}`)})
	}
}

// isBusy reports whether a call waits for its outcome, or a message for its answer.
func (c *Client) isBusy() bool {
	return slices.ContainsFunc(c.calls, func(call *call) bool { return call.state < callEnding }) ||
		slices.ContainsFunc(c.posts, func(p *post) bool { return p.State != link.PostOver })
}

// hasOpen reports whether something is open that may bring the call's answer: an exchange of its own, or one
// about its task.
func (call *call) hasOpen(c *Client) bool {
	if c.exchanges.Live(call.x) && !call.opensClient() || call.state == callAccepted && c.exchanges.Live(c.channel.x) {
		return true
	}
	for _, other := range c.calls {
		if other.parent == call && other.method != cancelTaskMethod && other.hasOpen(c) {
			return true
		}
	}
	return false
}

// leave ends a call that has nothing open. It is unsent where it has not left, or was not run.
func (call *call) leave(c *Client, now engine.Time) {
	left, followed := call.left, call.state == callFollowed
	if call.fold != nil {
		left = call.fold.Sent && (!call.fold.Refused || call.fold.MayHaveRun)
	}
	refused := call.state == callQueued && call.reruns == 0 && !call.mayHaveRun && !call.roundOver // its server has not taken it
	failure := durable.Ended(call.method, left && !refused)
	call.fold = nil
	c.abort(call.x)
	call.x = 0
	switch {
	case call.role != roleApp:
		c.finish(call)
	case followed:
		c.part(now, call, failure)
	default:
		c.settle(now, call, engine.OutcomeFailure, nil, failure)
	}
}
