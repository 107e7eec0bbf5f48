package acp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// requestRole says whom the answer is for.
type requestRole uint8

const (
	roleApp        requestRole = iota
	roleInitialize             // a connection's
	roleReplay                 // a session's, which wants its history again
	roleProbe                  // a socket's, which has to show that it is alive
)

// request is a request to the agent, from its making to its answer, which comes
// in its own time on a stream.
type request struct {
	id         uint64
	call       engine.CallID // of the app's; 0 for none
	role       requestRole
	state      requestState
	method     string
	params     []byte
	session    *session // whose scope it has; nil for the connection's
	conn       *connection
	connection string // of initialize: the id that its answer's head named
	by         engine.Time
	again      engine.Time   // when it is asked once more, its answer having been lost
	cut        bool          // the stream that brings its answer was broken when it was sent, or broke since
	made       uint32        // which turn of its session there was when it was made
	turn       uint32        // and when it left
	outlasted  bool          // a prompt's: a turn has ended since then that was another prompt's
	overIn     uint32        // a prompt's: the turn that ended when it was in the history already; 0 for none
	storing    bool          // what is written ahead of it is being stored
	leaves     bool          // a prompt of version 1: it is in the log as one that has left
	unwanted   bool          // the app has cancelled it
	served     bool          // another tab has asked for it
	refusals   uint8         // of its POSTs before, for want of authorization
	doubtful   *engine.Error // why nobody knows whether the agent has it
	post       *post
	forwarded  forwarded // while it is elsewhere
}

// methods says what is particular about a method.
var methods = map[string]struct {
	joins   bool // it gives the client a session that the agent has
	patient bool // it may take as long as it likes
	repeats bool // the agent may get it twice
}{
	"session/new":               {},
	"session/load":              {joins: true, patient: true, repeats: true},
	"session/resume":            {joins: true, patient: true, repeats: true},
	"session/prompt":            {patient: true},
	"session/list":              {repeats: true},
	"session/close":             {repeats: true},
	"session/delete":            {repeats: true},
	"session/set_config_option": {repeats: true},
	"session/set_mode":          {repeats: true},
	"session/set_model":         {repeats: true},
	"session/status":            {repeats: true},
	"auth/login":                {patient: true},
	"authenticate":              {patient: true},
	"tool_call/cancel":          {repeats: true},
	"terminal/cancel":           {repeats: true},
}

func (c *Client) newRequest(now engine.Time, method string, s *session, params []byte) *request {
	r := &request{id: c.ids.Next(), method: method, session: s, params: append([]byte(nil), params...), again: engine.Never}
	if s != nil {
		r.made, r.turn = s.turn.n, s.turn.n
	}
	r.by = r.answerBy(c, now)
	c.requests = append(c.requests, r)
	return r
}

// answerBy returns until when the answer to a request is waited for that leaves now.
func (r *request) answerBy(c *Client, now engine.Time) engine.Time {
	switch {
	case r.role == roleReplay:
		return now.After(replayQuiet)
	case methods[r.method].patient:
		return engine.Never
	}
	return in(now, c.cfg.Timeouts.Answer)
}

// waitsForToken reports whether the request leaves once there is a token, where one is asked for: a
// person may be signing in, and nothing is answered before it has left.
func (r *request) waitsForToken() bool {
	return r.doubtful == nil && r.by != engine.Never && (r.state == requestQueued || r.isHeld())
}

// isHeld reports whether the request waits for a token: the agent's server has not seen it, or has
// refused it.
func (r *request) isHeld() bool {
	return r.state == requestSent && r.post != nil && r.post.State == link.PostParked
}

// Request makes a request; session is the handle of the one whose scope it has, 0
// for the connection's. Settle ends it: with the agent's answer, which for
// session/prompt of version 2 says that the prompt is accepted.
func (c *Client) Request(now engine.Time, session uint32, method string, params []byte) engine.CallID {
	c.effects.Begin(now)
	return c.submit(now, session, method, params, 0)
}

// submit makes a request, under the id that another tab has given it or, for 0,
// the next one.
func (c *Client) submit(now engine.Time, session uint32, method string, params []byte, wire uint64) engine.CallID {
	c.lastCall++
	id := engine.CallID(c.lastCall)
	s, failure := c.scope(method, session)
	if s == nil && sessionIn(params) != "" {
		if named := c.sessionOf(sessionIn(params)); named != nil && named.state != sessionOwned {
			s = named // an answer would come on a stream that this tab does not read
		}
	}
	away := s != nil && s.state != sessionOwned
	if failure == nil && away && !c.cfg.Tabs {
		failure = elsewhere(method)
	}
	if failure == nil && len(c.requests) >= c.cfg.Limits.Requests {
		failure = &engine.Error{Code: engine.CodeLimit, Op: method, Retryable: true, Message: "too many requests are under way"}
	}
	if failure == nil {
		failure = c.offered(s, method, params)
	}
	if failure == nil && away {
		params, failure = withoutServers(method, params)
	}
	if failure != nil {
		c.settleFailure(id, failure)
		return id
	}
	switch {
	case away:
		c.forwardRequest(now, s, id, method, params, false)
		return id
	case s != nil:
		params = withSession(params, s)
	case methods[method].joins:
		s = c.join(now, method, params)
	case sessionIn(params) != "":
		// Its answer comes on that session's stream, which has to be read, and both
		// want the session's header (RFD streamable-http-websocket-transport).
		if s = c.sessionOf(sessionIn(params)); s == nil {
			s = c.newSession(sessionIn(params), params)
			s.passing = true
		}
	}
	r := c.newRequest(now, method, s, params)
	r.call = id
	if wire != 0 {
		r.id, r.served = wire, true
	}
	if method == "session/prompt" {
		s.prompted(c, now, r)
		return id
	}
	r.dispatch(c, now)
	return id
}

// withSession returns params with the session's id, where they lack it.
func withSession(params []byte, s *session) []byte {
	if _, ok := jsonrpc.Member(params, "sessionId"); ok {
		return params
	}
	return jsonrpc.AppendObject(nil, params, jsonrpc.AppendString([]byte(`"sessionId":`), s.id))
}

// scope returns the session of a request, nil for none.
func (c *Client) scope(method string, handle uint32) (*session, *engine.Error) {
	switch {
	case c.state >= stateClosing || c.state == stateNew:
		return nil, &engine.Error{Code: engine.CodeClosed, Op: method, Message: "the agent's client is closed"}
	case c.exchanges.IsShut() && method != "session/cancel":
		return nil, durable.Unsent(method)
	case handle == 0 && method == "session/prompt", handle != 0 && c.session(handle) == nil:
		return nil, &engine.Error{Code: CodeNoSession, Op: method, Message: "there is no such session here"}
	case handle == 0:
		return nil, nil
	}
	return c.session(handle), nil
}

func elsewhere(method string) *engine.Error {
	return &engine.Error{Code: engine.CodeElsewhere, Op: method, Retryable: true, Message: "another tab carries the session, and cannot be reached"}
}

// dispatch sends the request as soon as it can be.
func (r *request) dispatch(c *Client, now engine.Time) {
	conn := c.home
	if r.session != nil {
		conn = r.session.conn
	}
	switch {
	case conn == nil || conn.state != connOpen:
		return // connection.opened lets it go
	case r.session != nil && (!r.session.ready(c, now) || !r.session.takes(c, r)):
		return // session.release lets it go
	case r.session == nil && conn.stream.holds(r.method):
		return // stream.up or stream.advance lets it go
	}
	r.send(c, now)
}

// send sends the request, unless the app has cancelled it since it was sent for the
// first time.
func (r *request) send(c *Client, now engine.Time) {
	if c.exchanges.IsShut() {
		return // leave ends it
	}
	if r.unwanted {
		r.fail(c, now, cancelledByApp(r))
		return
	}
	if r.conn == nil || r.role != roleInitialize && r.role != roleProbe {
		r.conn = c.home
		if r.session != nil {
			r.conn = r.session.conn
		}
	}
	if r.method == "session/prompt" && r.turn != r.session.turn.n {
		r.turn = r.session.turn.n // those that were over by then are not its own (fault 595)
		if r.served && r.session.version() != 1 {
			content, _ := jsonrpc.Member(r.params, "prompt")
			c.writePrompt(r.session, r.id, content) // the tab that waits for it reads how many they were
		}
	}
	if r.writesAhead(c, now) {
		return
	}
	r.enter(c, requestSent)
	if r.method == "session/prompt" {
		r.session.transcript.Leaves(r.id, r.session.emit(c))
		r.session.works(c, now)
	}
	if r.role == roleApp && r.session != nil && r.session.known {
		r.afresh(c)
	}
	if methods[r.method].joins {
		if r.session.heardOn = r.conn; r.role == roleApp && r.session.replay != nil {
			r.session.replay.alone = false
		}
	}
	r.doubtful, r.again = nil, engine.Never
	m := methods[r.method]
	r.cut = m.repeats && !m.patient && r.conn.stream.mayLose() && r.conn.stream.brings(r)
	r.conn.answers = append(r.conn.answers, r)
	r.post = &post{conn: r.conn, session: r.session, request: r, op: r.method, again: m.repeats,
		body: jsonrpc.AppendRequest(nil, r.id, r.method, r.params, nil)}
	c.send(now, r.post)
}
