package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// listen is the stream for what the server says without having been asked: a
// GET, or a subscriptions/listen.
// It is opened again for ever, since nothing else tells of what it carries.
type listen struct {
	state      listenState
	x          engine.ExchangeID
	exchange   link.Exchange
	stream     link.Stream
	generation uint32
	request    requestID // of the subscriptions/listen under way
	token      int       // number of the token that x carries
	ids        []string  // of the tasks that the request under way asks for

	// Facts that hold in every state, each for a time of its own.
	lease      bool  // this tab may hold the stream, of those that share the session: until another one may
	missed     bool  // another tab had it before: until it is open here
	hadStream  bool  // this session has had it: as long as there is the session
	refusals   uint8 // for want of authorization, since the stream was open
	withCursor bool  // x carries Last-Event-ID: as long as there is x
}

// open opens the stream for a new session.
func (l *listen) open(c *Client, now engine.Time) {
	l.stop(c)
	*l = listen{state: l.state, lease: l.lease, generation: c.session.generation, stream: link.NewStream(max(c.cfg.Timeouts.Idle, 0), &c.cfg.Retry)}
	l.stream.Reopen = true
	l.stream.Watch(now, &c.heads)
	l.connect(c, now)
}

// openForHandshake opens the stream before the client is open: the server has
// accepted initialize by 202 with a session id and no body, and says the rest on a
// GET, as e2e/peer/seed.go does.
func (l *listen) openForHandshake(c *Client, now engine.Time) {
	if c.failure == nil { // else the id cannot be sent back
		l.open(c, now)
	}
}

// unheard ends a handshake whose answer was to come on the stream, which the
// server does not have.
func (l *listen) unheard(c *Client, now engine.Time) {
	if l.state != listenOff || c.state == stateOpen {
		return
	}
	for _, call := range append([]*call(nil), c.calls...) {
		if call.role == roleInitialize && call.state == callAccepted && c.channel.state == channelClosed {
			c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{Code: engine.CodeProtocol, Op: call.method, Status: 202,
				Message: "the server accepted initialize, and neither its answer nor a GET brings the result"})
		}
	}
}

// carries reports whether the stream is that of the session that has just been
// agreed on: opened for its handshake.
func (l *listen) carries(c *Client) bool {
	return l.runs() && l.generation == c.session.generation
}

func (l *listen) connect(c *Client, now engine.Time) {
	modern := c.revision != nil && c.revision.SelfDescribing
	if c.token.Asking() {
		l.enter(c, listenParked)
		l.x = 0
		return
	}
	l.enter(c, listenRunning)
	l.exchange = link.NewExchange(c.linkLimits())
	l.stream.Reconnecting(now, c.cfg.Timeouts.Answer)
	l.token = c.token.Number()
	l.withCursor = !modern && l.stream.Cursor.Resumable() && !c.cursorHeader.refused()
	switch {
	case modern:
		l.x = l.fetchSubscriptions(c)
	case l.withCursor:
		l.x = c.fetch(l, "GET", nil, l.stream.Cursor.Header())
	case c.revision != nil && c.revision.BareGET && c.usesEventSource():
		l.stream.NoIdle()
		l.x = c.source(l)
	default:
		l.x = c.fetch(l, "GET", nil)
	}
}

// answeredBy reports whether an id is that of the subscriptions/listen.
func (l *listen) answeredBy(id jsonrpc.ID) bool {
	n, ok := id.Uint()
	return ok && l.request != 0 && requestID(n) == l.request
}

// listenAnswered takes the answer to a subscriptions/listen on its stream, and reports whether it is one.
// With a result, or behind the acknowledgement, the server has ended the subscription, and the
// stream's end follows. An error in place of the acknowledgement is a no.
func (c *Client) listenAnswered(now engine.Time, m *jsonrpc.Message) bool {
	for _, l := range [...]*listen{c.listen, c.taskListen.next} {
		if l == nil || !l.answeredBy(m.ID) {
			continue
		}
		if m.Kind == jsonrpc.ErrorResponse && l.state == listenRunning {
			c.abort(l.x)
			l.x = 0
			l.declined(c, now)
		}
		return true
	}
	return false
}

// declined takes the server's no to the stream. It may be the tasks that it does not take.
func (l *listen) declined(c *Client, now engine.Time) {
	if l.trial(c) {
		c.taskListen.failed(c, now, false, 0)
		return
	}
	if len(l.ids) > 0 {
		c.taskListen.refused = true
		if c.listens() {
			l.connect(c, now)
			return
		}
	}
	l.off(c)
}

// stop ends the stream without a word: a new session will open it again, or
// the client is at its end.
func (l *listen) stop(c *Client) {
	if l == c.listen {
		c.taskListen.drop(c)
	}
	c.abort(l.x)
	if l.x = 0; l.state != listenOff { // which it stays until it is opened for another session
		l.enter(c, listenStopped)
	}
	l.stream.End()
}

// off ends the stream for good and tells the app.
func (l *listen) off(c *Client) {
	l.enter(c, listenOff)
	l.stop(c)
	c.status(nil, engine.StreamOff, nil)
}

// admitted opens the stream that no token came for: the server lets the client in again.
func (l *listen) admitted(c *Client, now engine.Time) {
	if l.state == listenParked && !c.token.Asking() {
		l.connect(c, now)
	}
}

func (l *listen) head(c *Client, now engine.Time, head engine.Head) {
	kind := l.exchange.Head(head)
	if l.withCursor {
		c.headerPassed()
	}
	if l.exchange.OK() && kind == link.BodyStream {
		missed := (l.hadStream || l.missed) && !l.withCursor
		l.refusals, l.hadStream, l.missed = 0, true, false
		l.stream.Opened(now)
		if !l.trial(c) { // to the app it is the stream that is open already
			c.status(nil, engine.StreamOpen, &streamReport{missed: missed})
		}
		c.read(l.x)
		return
	}
	c.abort(l.x)
	l.x = 0
	verdict := wire.VerdictOnListen(head.Status, l.withCursor, l.hadStream)
	if kind == link.BodyCut && l.stream.Attempts() < link.MaxCutHeads {
		verdict = wire.ListenRetry
	}
	if l.trial(c) && verdict != wire.ListenOff {
		c.taskListen.failed(c, now, true, link.RetryAfter(l.exchange.Header("retry-after")))
		return
	}
	switch verdict {
	case wire.ListenAuthorize:
		if l.refusals >= c.maxRefusals() {
			l.off(c)
			return
		}
		l.refusals++
		c.refreshToken(l.token)
		l.connect(c, now)
	case wire.ListenSessionGone:
		had := c.session.id != ""
		l.off(c)
		if had {
			c.sessionLost(now, l.generation)
		}
	case wire.ListenWithoutCursor:
		l.reopen(c, now)
	case wire.ListenRetry:
		l.broken(c, now, engine.EndNetwork, cutRefused, link.RetryAfter(l.exchange.Header("retry-after")))
	default:
		l.declined(c, now)
	}
	l.unheard(c, now)
}

// reopen opens the stream without its cursor, which the server does not know any
// more or the browser cannot send. What it had covered is not asked for again.
func (l *listen) reopen(c *Client, now engine.Time) {
	l.stream.Cursor.ID = l.stream.Cursor.ID[:0]
	l.connect(c, now)
}

func (l *listen) chunk(c *Client, now engine.Time, p []byte) {
	x := l.x
	if err := c.readEvents(now, nil, &l.exchange, &l.stream, p); err != nil {
		// Opened again, the stream would bring the same event again.
		c.integrity("oversized_event", err)
		if l.trial(c) {
			c.taskListen.failed(c, now, false, 0)
			return
		}
		l.off(c)
		return
	}
	if c.exchanges.Live(x) {
		c.read(x)
	}
}

func (l *listen) end(c *Client, now engine.Time, how engine.Ending, _ string) {
	switch {
	case l.trial(c):
		c.taskListen.failed(c, now, how != engine.EndInvalid, 0)
	case how == engine.EndNetwork && l.withCursor && !l.exchange.Opened() && c.headerFailed(now, nil, l.x),
		how == engine.EndInvalid && l.withCursor:
		l.reopen(c, now)
	case how == engine.EndInvalid:
		l.off(c)
		l.unheard(c, now)
	case how == engine.EndClean:
		l.broken(c, now, how, cutEnd, 0)
	default:
		l.broken(c, now, how, cutNetwork, 0)
	}
}

func (l *listen) broken(c *Client, now engine.Time, how engine.Ending, why string, floor int64) {
	l.x = 0
	b := l.stream.Broken(now, how, c.IsOffline, &c.random)
	if !b.Resumable {
		l.off(c)
		return
	}
	delay := l.stream.RetryAfter(now, floor, &c.random)
	c.status(nil, engine.StreamCut, &streamReport{why: why, attempt: b.Attempt, delay: delay, looping: b.Looping})
}

func (l *listen) advance(c *Client, now engine.Time) {
	if !l.runs() {
		return
	}
	switch l.stream.Advance(now) {
	case link.ActionReconnect:
		l.connect(c, now)
	case link.ActionAbort:
		c.abort(l.x)
		l.broken(c, now, engine.EndNetwork, cutSilent, 0)
	}
}

func (l *listen) deadline() engine.Time {
	if !l.runs() {
		return engine.Never
	}
	return l.stream.Deadline()
}
