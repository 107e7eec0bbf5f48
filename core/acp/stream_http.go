package acp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// stream is an event stream of a connection's, or of a session on it, over as
// many GETs as it takes (spec/acp.md 2.1).
type stream struct {
	conn     *connection
	session  *session // nil: the connection's own
	link     link.Stream
	exchange link.Exchange
	x        engine.ExchangeID
	token    int
	denied   bool        // a 401 has been answered with another token already
	cuts     int         // connections of it that broke, since the session was whole
	opened   bool        // a connection of it was accepted
	resumes  bool        // it goes on behind an id
	heardAt  engine.Time // when something came on it last
	comments uint64
	withheld bool // a Read that waits for the store
}

func newStream(c *Client, n *connection, s *session) *stream {
	t := &stream{conn: n, session: s, link: link.NewStream(max(c.cfg.Timeouts.Idle, 0), &c.cfg.Retry)}
	t.link.Watch(c.now, &c.heads)
	t.link.Reopen = true // agents keep what they say while nobody reads
	return t
}

// connect makes a GET, once there is an answer about the token.
func (t *stream) connect(c *Client, now engine.Time) {
	if c.token.Asking() {
		t.link.Broken(now, engine.EndNetwork, c.offline, &c.random)
		t.link.Park() // the token's arrival wakes it
		return
	}
	header := []engine.Field{
		{Name: "Accept", Value: "text/event-stream"},
		{Name: "Acp-Connection-Id", Value: t.conn.id},
	}
	if t.session != nil {
		header = append(header, engine.Field{Name: "Acp-Session-Id", Value: t.session.id})
	}
	if t.resumes = t.link.Cursor.Resumable(); t.resumes {
		header = append(header, t.link.Cursor.Header()) // of agents whose frames have ids
	}
	t.exchange = link.NewExchange(link.Limits{Line: c.cfg.Limits.Line, Event: c.cfg.Limits.Event, Body: c.cfg.Limits.Body})
	t.token = c.token.Number()
	t.x = c.fetch(t, "GET", header, nil)
}

func (t *stream) head(c *Client, now engine.Time, head engine.Head) {
	kind := t.exchange.Head(head)
	switch status := head.Status; {
	case t.exchange.OK() && kind == link.BodyStream:
		t.link.Opened(now)
		t.heardAt = now
		t.denied, t.comments = false, 0
		c.read(t.x)
		t.up(c, now)
		return
	case status == 401 && c.cfg.HasTokenProvider && !t.denied:
		t.denied = true
		t.broken(c, now, engine.EndNetwork, head)
		t.link.Park()
		if !c.refreshToken(t.token) {
			t.link.Unpark(now)
		}
		return
	case status == 404 || status == 410:
		c.abort(t.x)
		t.x = 0
		t.conn.gone(c, now)
		return
	case kind == link.BodyCut && t.link.Attempts() < link.MaxCutHeads:
		// Its head was cut: tried again, as after any cut.
	case status == 409 || status == 408 || status == 429 || status >= 500:
		if t.session == nil {
			t.conn.streamAnswered(c)
		}
	case t.session == nil:
		if !t.conn.restored && !t.opened && c.home == t.conn && !c.served {
			c.fail(now, httpError("GET", status, true)) // it has no such thing
			return
		}
		t.denied = false // while its host is deployed anew
	default:
		t.refused(c, now, httpError("GET", status, true))
		return
	}
	// 409: the page before this one, or a dead connection of ours, still has it.
	t.broken(c, now, engine.EndNetwork, head)
}

// refused notes that the agent's host will not let the session be heard.
func (t *stream) refused(c *Client, now engine.Time, why *engine.Error) {
	t.close(c)
	t.session.stream = nil // what is asked next tries again
	c.status(t.session, "refused", -1)
	for _, r := range append([]*request(nil), c.requests...) {
		if r.session == t.session && r.phase == requestQueued {
			failure := *why
			if failure.Status != 0 {
				failure.Op = r.method
			}
			r.fail(c, now, &failure)
		}
	}
}

// up notes that the stream is there: what was said while it was not follows.
func (t *stream) up(c *Client, now engine.Time) {
	again := t.opened
	t.opened = true
	c.served = true
	for _, r := range append([]*request(nil), t.conn.answers...) {
		if t.brings(r) {
			r.lost(now)
		}
	}
	s := t.session
	if s == nil {
		t.conn.streamAnswered(c)
		return
	}
	c.heardOne = true
	if s.silent {
		c.status(s, "open", -1)
	}
	s.streamUp(c, now, again)
}

// brings reports whether the answer to r may come on the stream: to session/load
// it comes on the connection's (spec/acp.md 2.1).
func (t *stream) brings(r *request) bool {
	return r.session == t.session || t.session == nil && r.method == "session/load"
}

func (t *stream) chunk(c *Client, now engine.Time, p []byte) {
	if err := t.exchange.Chunk(p); err != nil {
		c.integrity(t.session, "oversized_event")
		t.broken(c, now, engine.EndNetwork, engine.Head{})
		return
	}
	t.heardAt = now
	events := false
	for {
		e, ok, err := t.exchange.Next()
		if err != nil {
			c.integrity(t.session, "oversized_event")
			t.broken(c, now, engine.EndNetwork, engine.Head{})
			return
		}
		if !ok {
			break
		}
		events = true
		if !t.link.Accept(&e) || len(e.Data) == 0 {
			continue
		}
		t.conn.heard(c, now, t.session, e.Data)
		if t.x == 0 {
			return // what it said has ended the connection
		}
	}
	for _, r := range t.conn.answers {
		if r.again != engine.Never && t.brings(r) {
			r.again = now.After(quietFor) // it is not quiet yet
		}
	}
	comments := t.exchange.Comments()
	t.link.Arrived(now, !events && comments > t.comments)
	t.comments = comments
	t.link.Retry(t.exchange.Retry())
	if c.writer.Full() {
		t.withheld = true
		return
	}
	c.read(t.x)
}

func (t *stream) end(c *Client, now engine.Time, how engine.Ending, detail string) {
	t.x = 0
	t.broken(c, now, how, engine.Head{})
	if t.session == nil {
		t.conn.unreachable(c, now, detail)
	} else {
		t.unheard(c, now, detail)
	}
}

// unheard takes the failure of a session's second GET, where the connection's own
// stream is up and no session has been heard yet: what CORS lets the one send it
// denies the other, and what waits for it would wait for ever.
func (t *stream) unheard(c *Client, now engine.Time, detail string) {
	own := t.conn.stream
	if t.opened || c.heardOne || t.conn.restored || t.session.strayed || own == nil || own.x == 0 || !own.exchange.OK() || t.link.Attempts() < 2 {
		return
	}
	t.refused(c, now, &engine.Error{Code: engine.CodeNetwork, Op: "GET", Retryable: true,
		Message: "the agent answers, but the session's event stream cannot be opened", Cause: reason(detail)})
}

// close ends the stream from this side, for good.
func (t *stream) close(c *Client) {
	c.abort(t.x)
	t.x = 0
	t.link.End()
}

func (t *stream) broken(c *Client, now engine.Time, how engine.Ending, head engine.Head) {
	c.abort(t.x)
	t.x = 0
	if t.link.Phase() == link.PhaseOver {
		return
	}
	up := t.link.Phase() == link.PhaseUp
	b := t.link.Broken(now, how, c.offline, &c.random)
	delay := b.Delay
	if wait := link.RetryAfter(head.Get("retry-after")); wait > 0 {
		delay = t.link.RetryAfter(now, wait, &c.random) // the others that were refused were told the same
	}
	if !up {
		if t.session != nil {
			c.status(t.session, "reconnecting", delay)
		}
		return
	}
	t.cuts++
	c.counters.Cuts++
	t.interrupt()
	if t.session != nil {
		t.session.cut(c, now)
		c.status(t.session, "cut", delay)
	}
}

// interrupt notes that what was on its way is lost, answers too.
func (t *stream) interrupt() {
	for _, r := range t.conn.answers {
		if t.brings(r) {
			r.cut, r.again = true, engine.Never
		}
	}
}

func (t *stream) advance(c *Client, now engine.Time) {
	switch t.link.Advance(now) {
	case link.ActionReconnect:
		t.link.Reconnecting(now, c.cfg.Timeouts.Answer)
		t.connect(c, now)
	case link.ActionAbort:
		t.broken(c, now, engine.EndNetwork, engine.Head{})
	}
}

func (t *stream) deadline() engine.Time { return t.link.Deadline() }

// readWithheld goes on reading where the store has caught up.
func (t *stream) readWithheld(c *Client) {
	if t.withheld && !c.writer.Full() {
		t.withheld = false
		c.read(t.x)
	}
}

// status tells the app what a session's stream does: {"state":"cut","delay":250}.
func (c *Client) status(s *session, state string, delay int64) {
	switch state {
	case "open", "cut", "reconnecting", "parked", "refused":
		s.silent = state != "open"
	}
	b := jsonrpc.AppendString([]byte(`{"state":`), state)
	if delay >= 0 {
		b = strconv.AppendInt(append(b, `,"delay":`...), delay, 10)
	}
	c.deliver(s, engine.EventStatus, 0, append(b, '}'))
}
