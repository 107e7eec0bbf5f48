package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// tailTime is how long a stream may stay open after its response, in ms. An
// aborted HTTP/1.1 exchange costs its connection, so the server gets the time
// to end the stream itself.
const tailTime = 1_000

// callStream is the stream that carries a call, over as many exchanges as it takes.
type callStream struct {
	stream     link.Stream
	series     jsonrpc.Series // the messages on it
	generation uint32         // the handshake in whose session it was sent
	inSession  bool           // that session had an id
	policy     *resumePolicy  // SEP-975: the server lets the request be resumed
	parked     parking        // who has let go of it for now
	touchAt    engine.Time    // parked: when the server has to hear of it
	paused     bool           // the app asked to read no further for now
	cuts       int            // connections lost since it was sent
	cutHeads   int            // answers to its resumes, in a row, that ended inside their heads
	chunks     int            // that have come of its answer
	namesTask  bool           // the result that it has brought names a task beside its content
	partials   int            // parts of a task's result that it has brought, and that more may follow
	tailBy     engine.Time    // callEnding: until when it may be open still
}

// streamDue returns when advanceStream is due.
func (s *callStream) streamDue() engine.Time {
	if s.parked != 0 {
		return s.touchAt
	}
	return s.stream.Deadline()
}

// advanceStream does what is due for the stream: it is resumed, or cut.
func (call *call) advanceStream(c *Client, now engine.Time) {
	if call.parked != 0 {
		call.advanceParked(c, now)
		return
	}
	switch call.stream.Advance(now) {
	case link.ActionReconnect:
		if c.token.Asking() {
			// Its arrival wakes the stream; a deadline left in the past
			// would make the driver spin.
			call.stream.Park()
			call.tellAwaiting(c)
			return
		}
		call.resume(c, now)
	case link.ActionAbort:
		c.abort(call.x)
		if call.policy != nil && !call.exchange.Opened() {
			call.policy.since = now // that nothing was said does not mean that nobody heard us
		}
		call.broken(c, now, engine.EndNetwork, cutSilent)
	}
}

// newStream returns the stream of a request of the call's that leaves now, or that an
// earlier page has sent.
func (call *call) newStream(c *Client) link.Stream {
	s := link.NewStream(max(call.timeouts.Idle, 0), &c.cfg.Retry)
	s.Share(&c.marks)
	s.Watch(c.effects.Now, &c.heads)
	return s
}

// resume asks for the rest of the stream from the cursor.
func (call *call) resume(c *Client, now engine.Time) {
	if call.generation != c.session.generation && !call.joinSession(c, now) {
		return
	}
	if call.policy != nil {
		call.resumeRequest(c, now)
		return
	}
	if c.cursorHeader.refused() {
		call.answerLost(c, now, engine.Unknown, headerError(call.method))
		return
	}
	if call.keeper().uncommitted() {
		// The server may forget what a higher Last-Event-ID covers.
		call.stream.Park()
		c.whenStored(now, call.keeper(), true, &resumption{call})
		return
	}
	call.begin(c, attemptCursor)
	call.withCursor = true
	call.stream.Reconnecting(now, call.timeouts.Answer)
	call.x = c.fetch(call, "GET", nil, call.stream.Cursor.Header())
	c.status(call, engine.StreamReconnecting, &streamReport{attempt: call.stream.Attempts()})
}

// resumption resumes a stream: that of the call itself, or of the request for the result
// of its task.
type resumption struct{ of *call }

func (s *resumption) goOn(c *Client, _ *call, now engine.Time) {
	c.reschedule(s.of)
	s.of.stream.Unpark(now)
}

// pull asks for the next chunk, unless the app has paused the call.
func (call *call) pull(c *Client) {
	if call.paused || call.record != nil && c.writer.Full() {
		call.withheld, c.withheld = true, true
		return
	}
	c.read(call.x)
}

// bodyBy returns when more of a JSON body is due: never while it is not read.
func (call *call) bodyBy(now engine.Time) engine.Time {
	if call.paused {
		return engine.Never
	}
	return in(now, call.timeouts.Idle)
}

// Pause withholds reading of a call's stream while its app cannot take more
// (fault 50), or lets it go on. It stops nobody else's stream.
func (c *Client) Pause(now engine.Time, id engine.CallID, paused bool) {
	c.effects.Begin(now)
	call := c.callOf(id)
	if call == nil || call.state >= callEnding || call.paused == paused {
		return
	}
	call.paused = paused
	call.stream.Hold(now, paused)
	if call.state == callReading {
		call.answerBy = call.bodyBy(now)
	}
	call.readWithheld(c)
}

// readWithheld asks for the chunk that was withheld, if it may be read now.
func (call *call) readWithheld(c *Client) {
	if !call.withheld || call.paused {
		return
	}
	call.withheld = false
	if call.x != 0 {
		call.pull(c)
	}
}

// readAllWithheld asks for the chunks that were withheld for want of the store. It
// is run after each commit, of which few withhold anything.
func (c *Client) readAllWithheld() {
	if !c.withheld {
		return
	}
	c.withheld = false
	for _, call := range append([]*call(nil), c.calls...) {
		call.readWithheld(c)
	}
}
