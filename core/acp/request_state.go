package acp

import "github.com/holdfast-mcp/holdfast/core/engine"

// requestState is where a request stands. enter alone changes it.
type requestState uint8

const (
	requestQueued    requestState = iota // waits for a connection, a stream or the store
	requestSent                          // under way, or taken by the agent's server
	requestOver                          // answered, failed, or nobody's any more
	requestElsewhere                     // the tab that carries the session makes it
)

// requestTransitions are the states that may follow each.
var requestTransitions = engine.Transitions{
	requestQueued:    1<<requestSent | 1<<requestOver | 1<<requestElsewhere,
	requestSent:      1<<requestQueued | 1<<requestOver | 1<<requestElsewhere,
	requestOver:      0,
	requestElsewhere: 1<<requestQueued | 1<<requestSent | 1<<requestOver,
}

// enter has the request in another state.
func (r *request) enter(c *Client, next requestState) {
	engine.Enter(&requestTransitions, &r.state, next, &c.illegalTransitions)
}

// forwardState is how far a request has come that another tab makes for this one, as
// far as this one has heard. enter alone changes it.
type forwardState uint8

const (
	forwardUnheard forwardState = iota // that tab has not said that it has it
	forwardTaken                       // it has: the request may have left
	forwardStored                      // it is a prompt that is in the store: it has left, or was about to
	forwardPlaced                      // and it is in the history
	forwardIdle                        // and since then nobody was at work
)

// forwardTransitions are the states that may follow each.
var forwardTransitions = engine.Transitions{
	forwardUnheard: 1<<forwardTaken | 1<<forwardStored | 1<<forwardPlaced,
	forwardTaken:   1<<forwardUnheard | 1<<forwardStored | 1<<forwardPlaced,
	forwardStored:  1 << forwardPlaced,
	forwardPlaced:  1<<forwardStored | 1<<forwardIdle,
	forwardIdle:    1<<forwardStored | 1<<forwardPlaced,
}

// forwarded is what is known of a request that another tab makes for this one. What is
// no part of its way stands beside the state.
type forwarded struct {
	state    forwardState
	notify   bool // it is a notification: so from the first, wherever it is
	unwanted bool // the app has cancelled it, which it may in every state
}

// enter has the forwarded request in another state.
func (f *forwarded) enter(c *Client, next forwardState) {
	engine.Enter(&forwardTransitions, &f.state, next, &c.illegalTransitions)
}

// atLeast enters a state that comes later; one that is behind it stays.
func (f *forwarded) atLeast(c *Client, next forwardState) {
	f.enter(c, max(f.state, next))
}
