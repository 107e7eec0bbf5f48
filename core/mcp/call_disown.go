package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Disown takes back what was asked of this client while its provider was asked for a token, since that token has shown
// another user: a call or notification of that id, or all of them where it is 0. It has not left, and ends
// as closed; nothing of it stays in the store, or a later page would send it with the last user's token (fault 452).
// What was made before the question, and what has left, is the last user's and goes on.
func (c *Client) Disown(now engine.Time, id engine.CallID) {
	c.begin(now)
	for _, call := range append([]*call(nil), c.calls...) {
		if call.unowned && !call.left && call.isQueued() && (id == 0 || call.id == id) {
			c.takeBack(now, call, disownedError(call.method))
		}
	}
	for _, p := range append([]*post(nil), c.posts...) {
		if p.unowned && p.role == postNotification && p.state == postParked && (id == 0 || p.call == id) {
			c.posted(now, p, disownedError(p.method))
		}
	}
}

// LogOut takes back what has not left: its user logs out here, and the app closes the client next (fault 718).
func (c *Client) LogOut(now engine.Time) {
	c.begin(now)
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

// owned notes that what waits for the token is the user's: it has come, and is theirs.
func (c *Client) owned() {
	for _, call := range c.calls {
		call.unowned = false
	}
	for _, p := range c.posts {
		p.unowned = false
	}
}

func disownedError(op string) *engine.Error {
	return &engine.Error{Code: engine.CodeClosed, Op: op, Message: "the token provider gave a token of another user"}
}
