package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// callState is what carries a call now: one value, which enter alone changes.
type callState uint8

// The order counts: before callSent no exchange of the call's has started, from
// callEnding on it has its outcome.
const (
	// waits for the client to be open, for a token, a connection or the store's word on its key
	callQueued   callState = iota
	callRetrying           // is run again, after a delay
	// came back from the journal, or from another tab; goes on once the client is open
	callRestored
	callFollowed  // another tab carries it, and shows what it has stored
	callStoring   // what is written ahead of its request is being stored
	callSent      // its POST is under way, no head yet
	callAccepted  // the server has taken it, and the response comes on another stream
	callReading   // a JSON body is being read: the answer, or an error's
	callStreaming // an event stream carries it, now or after a reconnect
	callTask      // a task of the server's carries it
	callAsking    // it asked for input; the app is getting it
	callEnding    // settled; its stream ends by itself, or is ended soon
	callDone      // settled, and nothing of it is under way
)

// callTransitions are the states that may follow each. What is not here is a defect: it
// is counted, and tests fail (docs/states.md is written from this table).
var callTransitions = engine.Transitions{
	callQueued: 1<<callStoring | 1<<callSent | 1<<callStreaming | 1<<callRetrying | 1<<callFollowed |
		1<<callDone,
	callRetrying: 1<<callQueued | 1<<callFollowed | 1<<callDone,
	callRestored: 1<<callQueued | 1<<callStreaming | 1<<callTask | 1<<callAsking | 1<<callFollowed |
		1<<callDone,
	callFollowed: 1<<callRestored | 1<<callDone,
	callStoring:  1<<callQueued | 1<<callFollowed | 1<<callDone,
	callSent: 1<<callAccepted | 1<<callReading | 1<<callStreaming | 1<<callQueued | 1<<callRetrying |
		1<<callFollowed | 1<<callDone,
	callAccepted: 1<<callQueued | 1<<callRetrying | 1<<callFollowed | 1<<callDone,
	callReading: 1<<callStreaming | 1<<callTask | 1<<callAsking | 1<<callQueued | 1<<callRetrying |
		1<<callFollowed | 1<<callDone,
	callStreaming: 1<<callReading | 1<<callTask | 1<<callAsking | 1<<callQueued | 1<<callRetrying |
		1<<callFollowed | 1<<callEnding | 1<<callDone,
	callTask:   1<<callRetrying | 1<<callFollowed | 1<<callEnding | 1<<callDone,
	callAsking: 1<<callStoring | 1<<callRetrying | 1<<callFollowed | 1<<callDone,
	callEnding: 1<<callFollowed | 1<<callDone,
	callDone:   1 << callFollowed,
}

// enter has another state carry the call. To enter the one that it is in changes nothing.
func (call *call) enter(c *Client, next callState) {
	c.reschedule(call)
	engine.Enter(&callTransitions, &call.state, next, &c.illegalTransitions)
}

// IllegalTransitions returns how often a call, or another machine, has entered a state that may not follow
// the one before. It is 0, or there is a defect.
func (c *Client) IllegalTransitions() uint32 {
	n := c.illegalTransitions + c.listen.stream.IllegalTransitions() + c.channel.stream.IllegalTransitions() +
		c.reach.IllegalTransitions() + c.bodies.IllegalTransitions()
	for _, call := range c.calls {
		n += call.stream.IllegalTransitions()
	}
	return n
}

// isQueued reports whether the call waits to be sent, for the first time or again.
func (call *call) isQueued() bool { return call.state <= callRetrying }
