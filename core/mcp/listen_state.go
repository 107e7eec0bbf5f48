package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// listenState is where the stream for unasked messages stands. enter alone changes it.
type listenState uint8

const (
	listenStopped listenState = iota // not opened yet, or ended until it is opened again
	// the server does not offer it, or it ended for good: for this session
	listenOff
	listenParked  // waits for a token, or for a request to pass where none came
	listenRunning // it is opened, open, or cut and due again: link.Stream knows which
	// the same, and the server has said what it honours of the subscription
	listenAcknowledged
)

// listenTransitions are the states that may follow each.
var listenTransitions = engine.Transitions{
	listenStopped:      1<<listenParked | 1<<listenRunning,
	listenOff:          1<<listenParked | 1<<listenRunning,
	listenParked:       1<<listenStopped | 1<<listenRunning,
	listenRunning:      1<<listenStopped | 1<<listenOff | 1<<listenParked | 1<<listenAcknowledged,
	listenAcknowledged: 1<<listenStopped | 1<<listenOff | 1<<listenParked | 1<<listenRunning,
}

// enter has the stream in another state.
func (l *listen) enter(c *Client, next listenState) {
	engine.Enter(&listenTransitions, &l.state, next, &c.illegalTransitions)
}

// runs reports whether there is a stream, or a reconnect of it is due.
func (l *listen) runs() bool { return l.state >= listenRunning }

// trial reports whether the stream is taskListen.next, or was that when it failed: it has
// not taken the place of the client's.
func (l *listen) trial(c *Client) bool { return l != c.listen }
