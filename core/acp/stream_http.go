package acp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// stream is an event stream of a connection's, or of a session on it, over as
// many GETs as it takes (RFD streamable-http-websocket-transport).
type stream struct {
	conn     *connection
	session  *session // nil: the connection's own
	link     link.Stream
	exchange link.Exchange
	x        engine.ExchangeID
	token    int
	refusals uint8       // in a row, for want of authorization
	cuts     int         // connections of it that broke, since the session was whole
	opened   bool        // a connection of it was accepted
	resumes  bool        // it goes on behind an id
	heardAt  engine.Time // when something came on it last
	comments uint64
	withheld bool // a Read that waits for the store

	unseen   bool        // its GET has had no answer for so long that it is taken for open (link.Heads.Unseen)
	unseenAt engine.Time // when that will be so
}

func newStream(c *Client, n *connection, s *session) *stream {
	es := &stream{conn: n, session: s, unseenAt: engine.Never, link: link.NewStream(max(c.cfg.Timeouts.Idle, 0), &c.cfg.Retry)}
	es.link.Watch(c.effects.Now, &c.heads)
	es.link.Reopen = true // agents keep what they say while nobody reads
	return es
}

// connect makes a GET, once there is an answer about the token.
func (es *stream) connect(c *Client, now engine.Time) {
	if c.token.Asking() {
		es.link.Broken(now, engine.EndNetwork, c.IsOffline, &c.random)
		es.link.Park() // the token's arrival wakes it
		c.tellAwaiting(es.session)
		return
	}
	header := []engine.Field{
		{Name: "Accept", Value: "text/event-stream"},
		{Name: "Acp-Connection-Id", Value: es.conn.id},
	}
	if es.session != nil {
		header = append(header, engine.Field{Name: "Acp-Session-Id", Value: es.session.id})
	}
	if es.resumes = es.link.Cursor.Resumable(); es.resumes {
		header = append(header, es.link.Cursor.Header()) // of agents whose frames have ids
	}
	es.exchange = link.NewExchange(link.Limits{Line: c.cfg.Limits.Line, Event: c.cfg.Limits.Event, Body: c.cfg.Limits.Body})
	es.token = c.token.Number()
	es.x = c.fetch(es, "GET", header, nil)
	if es.session == nil || !c.heads.Prompt() {
		es.unseenAt = now.After(c.heads.Unseen())
	}
}

// mayLose reports whether the agent's server may write to a connection of the
// stream that is dead, this page's or an earlier one's, and take that for sent.
func (es *stream) mayLose() bool {
	return es != nil && es.link.State() != link.StateUp && (es.opened || es.conn.restored)
}

func (es *stream) head(c *Client, now engine.Time, head engine.Head) {
	kind := es.exchange.Head(head)
	switch status := head.Status; {
	case es.exchange.OK() && kind == link.BodyStream:
		es.link.Opened(now)
		es.heardAt = now
		es.refusals, es.comments = 0, 0
		c.read(es.x)
		es.up(c, now)
		return
	case status == 401 && es.refusals < c.maxRefusals():
		es.refusals++
		es.broken(c, now, engine.EndNetwork, head)
		es.link.Park()
		if !c.refreshToken(es.token) {
			es.link.Unpark(now)
			return
		}
		c.tellAwaiting(es.session)
		return
	case status == 404 || status == 410:
		c.abort(es.x)
		es.x = 0
		es.conn.gone(c, now)
		return
	case kind == link.BodyCut && es.link.Attempts() < link.MaxCutHeads:
		// Its head was cut: tried again, as after any cut.
	case status == 409 || status == 408 || status == 429 || status >= 500:
		if es.session == nil {
			es.conn.streamAnswered(c)
		}
	case es.session == nil:
		if !es.conn.restored && !es.opened && c.home == es.conn && !c.served {
			c.fail(now, httpError("GET", status, true)) // it has no such thing
			return
		}
		es.refusals = 0 // while its server is deployed again
	default:
		es.refused(c, now, httpError("GET", status, true))
		return
	}
	// 409: the page before this one, or a dead connection of ours, still has it.
	es.broken(c, now, engine.EndNetwork, head)
}

// holds reports whether a request waits for the stream: one that may be asked once
// only, and whose answer is due. A login has all the time it likes, and may be what
// the stream waits for.
func (es *stream) holds(method string) bool {
	m := methods[method]
	return !m.repeats && !m.patient && es.mayLose() && !es.unseen
}

// refused notes that the agent's server will not let the session be heard.
func (es *stream) refused(c *Client, now engine.Time, why *engine.Error) {
	es.close(c)
	es.session.stream = nil // what is asked next tries again
	c.status(es.session, engine.StreamRefused, -1)
	for _, r := range c.allRequests() {
		if r.session == es.session && r.state == requestQueued {
			failure := *why
			if failure.Status != 0 {
				failure.Op = r.method
			}
			r.fail(c, now, &failure)
		}
	}
}

// up notes that the stream is there: what was said while it was not follows.
func (es *stream) up(c *Client, now engine.Time) {
	es.opened = true
	es.unseen, es.unseenAt = false, engine.Never
	c.served = true
	es.regained(now)
	s := es.session
	if s == nil {
		es.conn.streamAnswered(c)
		es.conn.release(c, now)
		return
	}
	c.heardOne = true
	if s.silent {
		c.status(s, engine.StreamOpen, -1)
	}
	s.agentHeard(now)
	s.streamUp(c, now)
}

// takenForOpen lets through what waits for the stream, whose head has not come: that
// may be with the first byte behind it, and the agent may say nothing until it is asked.
func (es *stream) takenForOpen(c *Client, now engine.Time) {
	es.unseen, es.unseenAt = true, engine.Never
	if es.session == nil {
		es.conn.streamAnswered(c)
		es.conn.release(c, now)
		return
	}
	es.regained(now)
	es.session.streamUp(c, now)
}

// regained has the answers that were lost with the last connection be missed.
func (es *stream) regained(now engine.Time) {
	for _, r := range append([]*request(nil), es.conn.answers...) {
		if es.brings(r) {
			r.lost(now)
		}
	}
}

// brings reports whether the answer to r may come on the stream: to session/load
// it comes on the connection's (RFD streamable-http-websocket-transport).
func (es *stream) brings(r *request) bool {
	return r.session == es.session || es.session == nil && r.method == "session/load"
}

func (es *stream) chunk(c *Client, now engine.Time, p []byte) {
	if err := es.exchange.Chunk(p); err != nil {
		c.integrity(es.session, "oversized_event")
		es.broken(c, now, engine.EndNetwork, engine.Head{})
		return
	}
	es.heardAt = now
	events := false
	for {
		e, ok, err := es.exchange.Next()
		if err != nil {
			c.integrity(es.session, "oversized_event")
			es.broken(c, now, engine.EndNetwork, engine.Head{})
			return
		}
		if !ok {
			break
		}
		events = true
		if !es.link.Accept(&e) || len(e.Data) == 0 {
			continue
		}
		es.conn.heard(c, now, es.session, e.Data)
		if es.x == 0 {
			return // what it said has ended the connection
		}
	}
	for _, r := range es.conn.answers {
		if r.again != engine.Never && es.brings(r) {
			r.again = now.After(quietFor) // it is not quiet yet
		}
	}
	comments := es.exchange.Comments()
	es.link.Arrived(now, !events && comments > es.comments)
	es.comments = comments
	es.link.Retry(es.exchange.Retry())
	if c.writer.Full() {
		es.withheld = true
		return
	}
	c.read(es.x)
}

func (es *stream) end(c *Client, now engine.Time, how engine.Ending, detail string) {
	es.x = 0
	es.broken(c, now, how, engine.Head{})
	if es.session == nil {
		es.conn.unreachable(c, now, detail)
	} else {
		es.unheard(c, now, detail)
	}
}

// unheard takes the failure of a session's second GET, where the connection's own
// stream is up and no session has been heard yet: what CORS lets the one send it
// denies the other, and what waits for it would wait for ever.
func (es *stream) unheard(c *Client, now engine.Time, detail string) {
	own := es.conn.stream
	if es.opened || c.heardOne || es.conn.restored || es.session.history == historyUnbound || own == nil || own.x == 0 || !own.exchange.OK() || es.link.Attempts() < 2 {
		return
	}
	es.refused(c, now, &engine.Error{Code: engine.CodeNetwork, Op: "GET", Retryable: true,
		Message: "the agent answers, but the session's event stream cannot be opened", Cause: link.Cause(detail)})
}

// close ends the stream from this side, for good.
func (es *stream) close(c *Client) {
	c.abort(es.x)
	es.x = 0
	es.link.End()
}

func (es *stream) broken(c *Client, now engine.Time, how engine.Ending, head engine.Head) {
	c.abort(es.x)
	up := es.link.State() == link.StateUp || es.unseen && es.session != nil
	es.x, es.unseen, es.unseenAt = 0, false, engine.Never
	if es.link.State() == link.StateOver {
		return
	}
	b := es.link.Broken(now, how, c.IsOffline, &c.random)
	delay := b.Delay
	if wait := link.RetryAfter(head.Get("retry-after")); wait > 0 {
		delay = es.link.RetryAfter(now, wait, &c.random) // the others that were refused were given the same
	}
	if !up {
		if es.session != nil {
			c.status(es.session, engine.StreamReconnecting, delay)
		}
		return
	}
	es.cuts++
	c.counters.Cuts++
	es.interrupt()
	if es.session != nil {
		es.session.cut(c, now)
		c.status(es.session, engine.StreamCut, delay)
	}
}

// interrupt notes that what was on its way is lost, answers too.
func (es *stream) interrupt() {
	for _, r := range es.conn.answers {
		if es.brings(r) {
			r.cut, r.again = true, engine.Never
		}
	}
}

func (es *stream) advance(c *Client, now engine.Time) {
	switch es.link.Advance(now) {
	case link.ActionReconnect:
		es.link.Reconnecting(now, c.cfg.Timeouts.Answer)
		es.connect(c, now)
	case link.ActionAbort:
		es.broken(c, now, engine.EndNetwork, engine.Head{})
	}
	if now >= es.unseenAt {
		es.takenForOpen(c, now)
	}
}

func (es *stream) deadline() engine.Time { return min(es.link.Deadline(), es.unseenAt) }

// readWithheld goes on reading where the store has caught up.
func (es *stream) readWithheld(c *Client) {
	if es.withheld && !c.writer.Full() {
		es.withheld = false
		c.read(es.x)
	}
}

// status tells the app what a session's stream does: {"state":"cut","delay":250}.
func (c *Client) status(s *session, state engine.StreamState, delay int64) {
	s.awaits = state == engine.StreamAwaiting
	switch state {
	case engine.StreamOpen, engine.StreamCut, engine.StreamReconnecting, engine.StreamParked, engine.StreamRefused:
		s.silent = state != engine.StreamOpen
	}
	b := jsonrpc.AppendString([]byte(`{"state":`), state.String())
	if delay >= 0 {
		b = strconv.AppendInt(appendName(b, "delay"), delay, 10)
	}
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventStatus, Stream: state, C: engine.SubjectID(s.handle), Data: append(b, '}')})
}
