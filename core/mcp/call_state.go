package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// callState is what carries a call now: one value, which enter alone changes.
type callState uint8

// The order counts: before callSent no exchange of the call's has started, from
// callEnding on it has its outcome.
const (
	callQueued    callState = iota // waits for the client to be open, for a token, a connection or the store's word on its key
	callRetrying                   // is run again, after a delay
	callRestored                   // came back from the journal, or from another tab; goes on once the client is open
	callFollowed                   // another tab carries it, and shows what it has stored
	callStoring                    // what is written ahead of its request is being stored
	callSent                       // its POST is under way, no head yet
	callAccepted                   // the server has taken it, and the response comes on another stream
	callReading                    // a JSON body is being read: the answer, or an error's
	callStreaming                  // an event stream carries it, now or after a reconnect
	callTask                       // a task of the server's carries it
	callAsking                     // it asked for input; the app is getting it
	callEnding                     // settled; its stream ends by itself, or is ended soon
	callDone                       // settled, and nothing of it is under way
)

// callTransitions are the states that may follow each. What is not here is a defect: it
// is counted, and tests fail (docs/states.md is written from this table).
var callTransitions = engine.Transitions[callState]{
	callQueued:    engine.StatesOf(callStoring, callSent, callStreaming, callRetrying, callFollowed, callDone),
	callRetrying:  engine.StatesOf(callQueued, callFollowed, callDone),
	callRestored:  engine.StatesOf(callQueued, callStreaming, callTask, callAsking, callFollowed, callDone),
	callFollowed:  engine.StatesOf(callRestored, callDone),
	callStoring:   engine.StatesOf(callQueued, callFollowed, callDone),
	callSent:      engine.StatesOf(callAccepted, callReading, callStreaming, callQueued, callRetrying, callFollowed, callDone),
	callAccepted:  engine.StatesOf(callQueued, callRetrying, callFollowed, callDone),
	callReading:   engine.StatesOf(callStreaming, callTask, callAsking, callQueued, callRetrying, callFollowed, callDone),
	callStreaming: engine.StatesOf(callReading, callTask, callAsking, callQueued, callRetrying, callFollowed, callEnding, callDone),
	callTask:      engine.StatesOf(callRetrying, callFollowed, callEnding, callDone),
	callAsking:    engine.StatesOf(callStoring, callRetrying, callFollowed, callDone),
	callEnding:    engine.StatesOf(callFollowed, callDone),
	callDone:      engine.StatesOf(callFollowed),
}

// enter has another state carry the call. To enter the one that it is in changes nothing.
func (t *call) enter(c *Client, next callState) {
	c.reschedule(t)
	if !callTransitions.May(t.state, next) {
		c.illegalTransitions++
	}
	t.state = next
}

// IllegalTransitions returns how often a call has entered a state that may not follow the
// one before. It is 0, or there is a defect.
func (c *Client) IllegalTransitions() uint32 { return c.illegalTransitions }

// isQueued reports whether the call waits to be sent, for the first time or again.
func (t *call) isQueued() bool { return t.state <= callRetrying }
