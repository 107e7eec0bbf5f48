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
func (t *call) advanceStream(c *Client, now engine.Time) {
	if t.parked != 0 {
		t.advanceParked(c, now)
		return
	}
	switch t.stream.Advance(now) {
	case link.ActionReconnect:
		if c.token.Asking() {
			// Its arrival wakes the stream; a deadline left in the past
			// would make the driver spin.
			t.stream.Park()
			return
		}
		t.resume(c, now)
	case link.ActionAbort:
		c.abort(t.x)
		if t.policy != nil && !t.exchange.Opened() {
			t.policy.since = now // that nothing was said does not mean that nobody heard us
		}
		t.broken(c, now, engine.EndNetwork, cutSilent)
	}
}

// newStream returns the stream of a request of the call's that leaves now, or that an
// earlier page has sent.
func (t *call) newStream(c *Client) link.Stream {
	s := link.NewStream(max(t.timeouts.Idle, 0), &c.cfg.Retry)
	s.Share(&c.marks)
	s.Watch(c.now, &c.heads)
	return s
}

// resume asks for the rest of the stream from the cursor.
func (t *call) resume(c *Client, now engine.Time) {
	if t.generation != c.session.generation && !t.joinSession(c, now) {
		return
	}
	if t.policy != nil {
		t.resumeRequest(c, now)
		return
	}
	if c.cursorHeader.refused() {
		t.answerLost(c, now, engine.Unknown, headerError(t.method))
		return
	}
	if t.keeper().uncommitted() {
		// The server may forget what a higher Last-Event-ID covers.
		t.stream.Park()
		c.whenStored(now, t.keeper(), true, &resumption{t})
		return
	}
	t.begin(c, attemptCursor)
	t.withCursor = true
	t.stream.Reconnecting(now, t.timeouts.Answer)
	t.x = c.fetch(t, "GET", nil, t.stream.Cursor.Header())
	c.status(t, engine.StreamReconnecting, &streamReport{attempt: t.stream.Attempts()})
}

// resumption resumes a stream: that of the call itself, or of the request for the result
// of its task.
type resumption struct{ of *call }

func (s *resumption) goOn(c *Client, _ *call, now engine.Time) {
	c.reschedule(s.of)
	s.of.stream.Unpark(now)
}

// pull asks for the next chunk, unless the app has paused the call.
func (t *call) pull(c *Client) {
	if t.paused || t.record != nil && c.writer.Full() {
		t.withheld, c.withheld = true, true
		return
	}
	c.read(t.x)
}

// bodyBy returns when more of a JSON body is due: never while it is not read.
func (t *call) bodyBy(now engine.Time) engine.Time {
	if t.paused {
		return engine.Never
	}
	return in(now, t.timeouts.Idle)
}

// Pause withholds reading of a call's stream while its app cannot take more
// (fault 50), or lets it go on. It stops nobody else's stream.
func (c *Client) Pause(now engine.Time, id engine.CallID, paused bool) {
	c.begin(now)
	t := c.callOf(id)
	if t == nil || t.state >= callEnding || t.paused == paused {
		return
	}
	t.paused = paused
	t.stream.Hold(now, paused)
	if t.state == callReading {
		t.answerBy = t.bodyBy(now)
	}
	t.readWithheld(c)
}

// readWithheld asks for the chunk that was withheld, if it may be read now.
func (t *call) readWithheld(c *Client) {
	if !t.withheld || t.paused {
		return
	}
	t.withheld = false
	if t.x != 0 {
		t.pull(c)
	}
}

// readAllWithheld asks for the chunks that were withheld for want of the store. It
// is run after each commit, of which few withhold anything.
func (c *Client) readAllWithheld() {
	if !c.withheld {
		return
	}
	c.withheld = false
	for _, t := range append([]*call(nil), c.calls...) {
		t.readWithheld(c)
	}
}
