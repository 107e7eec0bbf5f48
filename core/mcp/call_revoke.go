package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// Revoke takes back a call or notification that has not left: nobody has made it. It ends as closed, and
// nothing of it stays in the store, or a later page would send it. So ends what a page has made while a token
// was asked for that turns out to be another user's (fault 452).
func (c *Client) Revoke(now engine.Time, id engine.CallID) {
	c.effects.Begin(now)
	if call := c.byCall[id]; call != nil && !call.left && call.isQueued() {
		c.takeBack(now, call, revokedError(call.method))
	}
	for _, p := range c.posts.all() {
		if p.role == postNotification && p.State == link.PostParked && p.call == id {
			c.posted(now, p, revokedError(p.method))
		}
	}
}

// LogOut takes back what has not left: its user logs out here, and the app closes the client next (fault
// 718).
func (c *Client) LogOut(now engine.Time) {
	c.effects.Begin(now)
	for _, call := range append([]*call(nil), c.calls...) {
		if call.role == roleApp && !call.left && call.state <= callStoring && call.state != callFollowed {
			c.takeBack(now, call, durable.Unsent(call.method))
		}
	}
}

// takeBack ends a call that has not left, and deletes what is stored of it.
func (c *Client) takeBack(now engine.Time, call *call, failure *engine.Error) {
	if r := call.record; r != nil {
		if r.deferred == deferredAll { // nothing of it is stored
			r.Disown()
		} else {
			r.Delete(0)
		}
		r.deferred = deferredNothing
		c.unrecord(call)
		call.record = nil
	}
	call.fold = nil
	c.settle(now, call, engine.OutcomeFailure, nil, failure)
}

func revokedError(op string) *engine.Error {
	return &engine.Error{Code: engine.CodeClosed, Op: op, Message: "the token provider gave a token of another user"}
}
