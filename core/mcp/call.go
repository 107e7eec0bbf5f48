package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
	"github.com/holdfast-mcp/holdfast/core/mcp/segments"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// callRole says what settling a call means: most belong to the app, but the
// handshake is a request like any other and travels the same road.
type callRole uint8

const (
	roleApp callRole = iota
	roleInitialize
	roleDiscover
	roleStatus // requests/getStatus of a parked call
	roleTask   // a request about the task that carries a call
	rolePing   // finds out whether the server can be reached
)

// tailTime is how long a stream may stay open after its response, in ms. An
// aborted HTTP/1.1 exchange costs its connection, so the server gets the time
// to end the stream itself.
const tailTime = 1_000

// maxResends bounds how often a request is sent again because the server had
// forgotten its session: a server that forgets every session is broken.
const maxResends = 3

// call is one request of ours, over as many exchanges as it takes.
type call struct {
	id       engine.CallID
	request  requestID
	method   string
	params   []byte         // raw JSON object without _meta, nil for none
	meta     []byte         // the app's members of _meta, nil for none
	header   []engine.Field // the app's further fields: Mcp-Param-*
	role     callRole
	timeouts Timeouts
	flags    journal.Flags

	state callState
	attempt
	stream       link.Stream
	series       jsonrpc.Series // the messages on it
	parked       parking        // who has let go of its stream for now
	touchAt      engine.Time    // parked: when the server has to hear of it
	generation   uint32         // the handshake in whose session it was sent
	inSession    bool           // that session had an id
	refreshed    bool           // a 401 has been answered with a new token once
	paused       bool           // the app asked to read no further for now
	rounds       int            // times that it asked for input
	round        []byte         // members of params that answer the last of them
	requestState []byte         // raw, to be sent back as it is
	askedAt      engine.Time    // when it asked
	asks         []byte         // the request for input, where it is kept
	questions    [][]byte       // ids of the server's requests on its stream
	outbox       []*reply       // answers to those that the server has not taken
	drafts       drafts         // of answers to any of these
	asking       int            // requests of the server's on its stream that the app is answering
	cuts         int            // connections lost since it was sent
	cutHeads     int            // answers to its resumes, in a row, that ended inside their heads
	chunks       int            // that have come of its answer
	resends      int            // times it was sent again in a new session
	position     uint32
	heard        uint32         // events up to here the app has had while another hand carried the call
	left         bool           // its request has left, from here or from an earlier page
	sendBy       engine.Time    // until when it may leave for the first time
	tellQueuedAt engine.Time    // isQueued: when its app is told that it waits; Never once it is, or where it need not be
	tellsQueued  bool           // its guarantee says what a reload does to it while it waits
	restored     bool           // another page has made it
	reruns       int            // times it was run again because that is harmless, or allowed
	rerunAt      engine.Time    // callRetrying: not before
	record       *record        // what of it is stored; nil where nothing is
	fold         *recorded.Call // callRestored, callFollowed: what is known of it
	policy       *resumePolicy  // SEP-975: the server lets the request be resumed
	parent       *call          // roleStatus, roleTask: the call that it is about
	task         *task          // callTask

	streamed segments.Tracker // callRestored, callFollowed: what its task had streamed

	answerBy engine.Time // the head of the response, or more of a JSON body, is due
	totalBy  engine.Time
	tailBy   engine.Time

	due         engine.Deadline // the first of all that is due
	changed     bool            // it may be another one by now
	nextChanged *call           // of which that is noted, too
}

// CallOptions are what an app may say of one request.
type CallOptions struct {
	// Meta is a JSON object whose members go into params._meta, nil for none.
	Meta []byte
	// Header is sent with the request where the revision mirrors arguments: the
	// values as they are, encoded here where a header could not carry them.
	Header []engine.Field
	// Timeouts replaces those of the Config where a field is not zero.
	Timeouts Timeouts
	// Durable: the call is written to the journal, where there is one.
	Durable bool
	// Connected: the host has a connection for a durable call from the beginning,
	// so that its head and that it leaves are one commit.
	Connected bool
	// Key is the app's own name for a durable call.
	Key string
	// Flags are what is known of the request: a copy of its tool's annotations.
	Flags journal.Flags
}

// Call makes a request and returns its id. params is a JSON object without a
// _meta member, or nil. Progress is always asked for. The call ends with one
// Settle effect, whatever happens.
func (c *Client) Call(now engine.Time, method string, params []byte, options CallOptions) engine.CallID {
	c.begin(now)
	t := c.newCall(now, method, options.Timeouts)
	// Copies: what the app lent may be needed again, in another session or in
	// another round, and is encoded by the revision in force then.
	t.params, t.meta = append([]byte(nil), params...), append([]byte(nil), options.Meta...)
	for _, f := range options.Header {
		t.header = append(t.header, engine.Field{Name: f.Name, Value: wire.HeaderValue(f.Value)})
	}
	t.flags = options.Flags
	t.sendBy = in(now, t.timeouts.Send)
	switch {
	case c.state >= stateClosing:
		c.settle(now, t, engine.OutcomeFailure, nil, c.closedError(method))
	case len(c.calls) > c.cfg.Limits.Calls:
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
			Code: engine.CodeLimit, Op: method, Retryable: true, Message: "too many calls in flight"})
	default:
		if options.Durable {
			c.keep(t, &options)
			if !options.Connected {
				t.awaitConnection(c)
			}
		}
		if c.state == stateOpen && !c.token.Asking() {
			t.send(c, now)
		}
		if t.state == callQueued {
			t.tellQueuedAt = now.After(waitsQuietly)
		}
	}
	return t.id
}

// opensClient reports whether the call is a handshake, which leaves before the
// client is open.
func (t *call) opensClient() bool { return t.role == roleInitialize || t.role == roleDiscover }

// newCall books a call; it is queued until send.
func (c *Client) newCall(now engine.Time, method string, timeouts Timeouts) *call {
	id, request := c.newID()
	t := &call{id: id, request: request, method: method, timeouts: timeouts.or(c.cfg.Timeouts), tailBy: engine.Never, tellQueuedAt: engine.Never,
		series: jsonrpc.Series{Param: progressToken}}
	t.answerBy = in(now, t.timeouts.Answer)
	t.totalBy = in(now, t.timeouts.Total)
	t.sendBy = engine.Never
	c.calls = append(c.calls, t)
	c.byID[request], c.byCall[id] = t, t
	c.reschedule(t)
	return t
}

// send sends the request, for the first time or again where the server is known
// not to have taken it (a session it had lost, a token it refused), once it is
// stored that it may have left. A request that changes nothing need not wait,
// unless another page may have made the same call.
func (t *call) send(c *Client, now engine.Time) {
	t.enter(c, callQueued)
	if t.parked != 0 {
		return // Hold lets it go
	}
	if now >= t.sendDue(c) {
		t.unsent(c, now, waitedTooLong)
		return
	}
	if t.record == nil {
		t.transmit(c, now)
		return
	}
	if t.undecided(c) {
		c.claims.wait(now)
		return
	}
	t.record.cursor, t.record.retry = t.record.cursor[:0], -1 // a new stream: its own are stored when they come
	c.write(t, journal.Entry{Kind: journal.Sent, N: [3]uint64{uint64(t.request), uint64(c.session.generation)}})
	t.record.sentIn = min(t.record.sentIn, c.writer.Next())
	// Its head is in the same commit: nobody else knows of the call, and a power cut
	// takes both or neither. Else this is on disk before it leaves, and by the hand
	// of who carries the call: another page may have taken it over (fault 128).
	alone := t.record.headIn == c.writer.Next()
	if alone && t.flags.Harmless() && !t.claimsKey(c) {
		t.transmit(c, now)
		return
	}
	t.enter(c, callStoring)
	c.tellGuarantee(t)
	c.whenStored(now, t, !alone, &transmission{c.session.generation})
}

// transmission posts a request of which it is stored that it may have left, in the
// session of that generation.
type transmission struct{ generation uint32 }

func (s *transmission) goOn(c *Client, t *call, now engine.Time) {
	if t.state != callStoring {
		return
	}
	t.enter(c, callQueued)
	switch {
	case t.undecided(c):
		c.claims.wait(now)
	case t.looksUnsent(c):
		// Sent from here, it would be sent once more from there.
		t.unsent(c, now, "the store has failed, and could not note that the request leaves")
	case c.state != stateOpen || c.token.Asking(): // whoever opens the client sends it
	case s.generation != c.session.generation:
		t.send(c, now)
	default:
		t.transmit(c, now)
	}
}

// transmit posts the request.
func (t *call) transmit(c *Client, now engine.Time) {
	t.left = true
	t.enter(c, callSent)
	t.begin(c, attemptRequest)
	t.generation, t.inSession = c.session.generation, c.session.id != ""
	t.answerBy = in(now, t.timeouts.Answer)
	t.policy, t.parked = nil, 0 // an earlier request's
	t.stream = t.newStream(c)
	t.stream.Hold(now, t.paused)
	// On a legacy connection the caller has them only for a server that asked.
	extra := t.header
	if c.revision != nil && c.revision.SelfDescribing {
		extra = append(wire.MirroredHeader(t.method, t.params), t.header...)
		t.stream.Once = true
	}
	t.x = c.fetch(t, "POST", c.encodeRequest(t), extra...)
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
	if c.cursorHeader.refused {
		t.stranded(c, now, engine.Unknown, headerError(t.method))
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
// (RELIABILITY fault 50), or lets it go on. It stops nobody else's stream.
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

// advance does what is due for this call.
func (t *call) advance(c *Client, now engine.Time) {
	if t.state == callDone || t.state == callFollowed {
		return
	}
	if t.state == callRetrying && now >= t.rerunAt {
		t.enter(c, callQueued)
		if c.state == stateOpen && !c.token.Asking() {
			t.send(c, now)
		}
		return
	}
	if t.state == callEnding {
		if now >= t.tailBy {
			c.finish(t)
		}
		return
	}
	if t.isQueued() && now >= t.tellQueuedAt {
		t.tellQueued(c, now)
	}
	switch {
	case now >= t.sendDue(c):
		t.unsent(c, now, waitedTooLong)
		return
	case now >= t.totalBy && !t.left && t.isQueued() && t.role == roleApp:
		t.unsent(c, now, "its total time is over")
		return
	case now >= t.totalBy && !t.waitsForApp():
		c.giveUp(now, t, timeoutError(t.method, "no result within the total time"))
		return
	case now >= t.answerDue(c) && t.state == callReading && t.resumes():
		c.abort(t.x)
		t.resumeCut(c, now, engine.EndNetwork, cutSilent)
		return
	case now >= t.answerDue(c):
		c.giveUp(now, t, timeoutError(t.method, "no answer in time"))
		return
	}
	t.advanceOutbox(c, now)
	t.writeDrafts(c, now)
	if t.state == callTask {
		t.advanceTask(c, now)
		return
	}
	if t.state != callStreaming {
		return
	}
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

// answerDue returns when an answer is due: never while a token is being asked
// for, since a person may be signing in (RELIABILITY fault 112).
func (t *call) answerDue(c *Client) engine.Time {
	switch t.state {
	case callQueued:
		if c.token.Asking() || t.parked != 0 || t.role == roleApp && !t.left {
			return engine.Never // what has not left is not answered: sendDue limits that
		}
	case callRetrying, callRestored, callFollowed:
		return engine.Never
	}
	return t.answerBy
}

// deadline returns when advance is due.
func (t *call) deadline(c *Client) engine.Time {
	if t.state >= callEnding {
		return t.tailBy
	}
	if t.state == callFollowed {
		return engine.Never
	}
	at := min(t.answerDue(c), t.sendDue(c))
	if t.isQueued() {
		at = min(at, t.tellQueuedAt)
	}
	if t.state == callRetrying {
		at = min(at, t.rerunAt)
	}
	if !t.waitsForApp() {
		at = min(at, t.totalBy)
	}
	if t.state == callTask {
		at = min(at, t.taskDue(c))
	}
	if t.state == callStreaming {
		if t.parked != 0 {
			at = min(at, t.touchDue())
		} else {
			at = min(at, t.stream.Deadline())
		}
	}
	return min(at, t.outboxDue(), t.draftsDue(c))
}
