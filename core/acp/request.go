package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// requestRole says whom the answer is for.
type requestRole uint8

const (
	roleApp        requestRole = iota
	roleInitialize             // a connection's
	roleReplay                 // a session's, which wants its history anew
	roleProbe                  // a socket's, which has to show that it is alive
)

// requestPhase is where a request stands.
type requestPhase uint8

const (
	requestQueued requestPhase = iota // waits for a connection, a stream or the store
	requestSent                       // under way, or taken by the agent's host
	requestOver
)

// request is a request to the agent, from its making to its answer, which comes
// in its own time on a stream.
type request struct {
	id         uint64
	call       engine.CallID // of the app's; 0 for none
	role       requestRole
	phase      requestPhase
	method     string
	params     []byte
	session    *session // whose scope it has; nil for the connection's
	conn       *connection
	connection string // of initialize: the id that its answer's head named
	by         engine.Time
	again      engine.Time   // when it is asked once more, its answer having been lost
	cut        bool          // the stream that brings its answer broke since it was sent
	turn       uint32        // a prompt's: which turn there was when it was made
	storing    bool          // what is written ahead of it is being stored
	doubtful   *engine.Error // why nobody knows whether the agent has it
	post       *post
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
	r := &request{id: c.ids.Next(), method: method, session: s, params: append([]byte(nil), params...), by: engine.Never, again: engine.Never}
	if !methods[method].patient {
		r.by = in(now, c.cfg.Timeouts.Answer)
	}
	c.requests = append(c.requests, r)
	return r
}

// Request makes a request; session is the handle of the one whose scope it has, 0
// for the connection's. Settle ends it: with the agent's answer, which for
// session/prompt of version 2 says that the prompt is accepted.
func (c *Client) Request(now engine.Time, session uint32, method string, params []byte) engine.CallID {
	c.begin(now)
	c.lastCall++
	id := engine.CallID(c.lastCall)
	s, failure := c.scope(method, session)
	if failure == nil && len(c.requests) >= c.cfg.Limits.Requests {
		failure = &engine.Error{Code: engine.CodeLimit, Op: method, Retryable: true, Message: "too many requests are under way"}
	}
	if failure != nil {
		c.settleFailure(id, failure)
		return id
	}
	switch {
	case s != nil:
		params = withSession(params, s)
	case methods[method].joins:
		s = c.join(now, method, params)
	case sessionIn(params) != "":
		// Its answer comes on that session's stream, which has to be read, and both
		// want the session's header (spec/acp.md 2.1).
		if s = c.sessionOf(sessionIn(params)); s == nil {
			s = c.newSession(sessionIn(params), params)
			s.passing = true
		}
	}
	r := c.newRequest(now, method, s, params)
	r.call = id
	if method == "session/prompt" {
		s.prompted(c, now, r)
		return id
	}
	r.dispatch(c, now)
	return id
}

// RequestRecord makes a request for another tab, which follows the session of
// that record. What becomes of it is told here, and for the page to pass on.
func (c *Client) RequestRecord(now engine.Time, record uint64, method string, params []byte) engine.CallID {
	handle := ^uint32(0) // none
	if s := c.sessionOfRecord(record); s != nil {
		handle = s.handle
	}
	return c.Request(now, handle, method, params)
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
	case handle == 0 && method == "session/prompt", handle != 0 && c.session(handle) == nil:
		return nil, &engine.Error{Code: CodeNoSession, Op: method, Message: "there is no such session here"}
	case handle == 0:
		return nil, nil
	}
	s := c.session(handle)
	if !s.owned {
		return nil, &engine.Error{Code: CodeElsewhere, Op: method, Retryable: true, Message: "another tab carries the session"}
	}
	return s, nil
}

// dispatch sends the request as soon as it can be.
func (r *request) dispatch(c *Client, now engine.Time) {
	conn := c.home
	if r.session != nil {
		conn = r.session.conn
	}
	if conn == nil || conn.state != connOpen || r.session != nil && (!r.session.ready(c, now) || !r.session.takes(r)) {
		return // connection.opened or session.release lets it go
	}
	r.send(c, now)
}

// send sends the request.
func (r *request) send(c *Client, now engine.Time) {
	if r.conn == nil || r.role != roleInitialize && r.role != roleProbe {
		r.conn = c.home
		if r.session != nil {
			r.conn = r.session.conn
		}
	}
	r.phase, r.doubtful, r.cut, r.again = requestSent, nil, false, engine.Never
	r.conn.answers = append(r.conn.answers, r)
	r.post = &post{conn: r.conn, session: r.session, request: r, op: r.method, again: methods[r.method].repeats,
		body: jsonrpc.AppendRequest(nil, r.id, r.method, r.params, nil)}
	c.send(now, r.post)
}

// doubt notes that nobody knows whether the agent has the request: its answer may
// come yet.
func (r *request) doubt(now engine.Time, failure *engine.Error) {
	r.doubtful = &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method, Cause: failure,
		Message: "the connection failed before the agent's host said that it has the request"}
	r.by = min(r.by, now.After(doubtFor))
}

// doubtFor is how long the answer to a request of unknown fate is waited for, in ms.
const doubtFor = 15_000

// unsend takes back a request that its host has not taken.
func (r *request) unsend() {
	r.conn.answers = without(r.conn.answers, r)
	r.phase, r.conn = requestQueued, nil
}

// lost notes that the stream which was cut is up again, and that the answer may
// have gone with it. What survived comes now.
func (r *request) lost(now engine.Time) {
	switch m := methods[r.method]; {
	case !r.cut || r.phase != requestSent:
	case r.role == roleReplay || m.repeats:
		r.again = now.After(quietFor)
	case !m.patient:
		r.doubt(now, nil)
	}
	r.cut = false
}

// quietFor is how long a stream that was cut has to be quiet, once it is up, for
// an answer to count as lost, in ms.
const quietFor = 2_000

// ask makes the request once more, under another id: an answer to the first may
// come all the same.
func (r *request) ask(c *Client, now engine.Time) {
	r.again = engine.Never
	if r.role == roleReplay {
		if s := r.session; s.replay != nil && s.replay.request == r {
			s.replay.cut(c)
			s.replay.again(c, now, s)
		}
		return
	}
	c.dropped[r.id] = true
	r.unsend()
	r.id = c.ids.Next()
	r.afresh(c)
	r.dispatch(c, now)
}

// afresh notes that what a request brings of a history it brings again.
func (r *request) afresh(c *Client) {
	if s := r.session; methods[r.method].joins && s.replay == nil && replays(r.method, r.params) {
		s.replay = &replay{asked: true}
	}
}

func (r *request) advance(c *Client, now engine.Time) {
	if now >= r.again {
		r.ask(c, now)
		return
	}
	if now < r.by {
		return
	}
	if r.role == roleProbe {
		r.over(c)
		r.conn.gone(c, now)
		return
	}
	if r.doubtful != nil {
		r.fail(c, now, r.doubtful)
		return
	}
	r.fail(c, now, &engine.Error{Code: engine.CodeTimeout, Op: r.method, Retryable: methods[r.method].repeats, Message: "the agent did not answer in time"})
}

// answered takes the agent's answer.
func (r *request) answered(c *Client, now engine.Time, m jsonrpc.Message) {
	result := append([]byte(nil), m.Result...)
	failure := append([]byte(nil), m.Error...)
	r.over(c)
	ok := m.Kind == jsonrpc.Response
	switch r.role {
	case roleInitialize:
		if ok {
			r.conn.initialized(c, now, r.connection, result)
		} else {
			r.conn.failed(c, now, rpcError(r.method, failure))
		}
		return
	case roleReplay:
		if s := r.session; s.replay != nil && s.replay.request == r {
			s.replay.missing = !ok && jsonrpcCode(failure) == resourceNotFound
			s.replayed(c, now, ok, result)
		}
		return
	case roleProbe:
		return
	}
	defer c.settleEarly()
	defer r.dropPassing(c, now)
	if ok {
		r.learn(c, now, result)
		c.effects.Add(engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeResult, Data: result})
		return
	}
	code := jsonrpcCode(failure)
	r.unlearn(c, now, code)
	if code == resourceNotFound && (r.method == "session/close" || r.method == "session/delete") {
		// As good as done (spec/acp.md 4).
		c.effects.Add(engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeResult, Data: []byte("{}")})
		return
	}
	c.effects.Add(engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeRPCError, Data: failure})
}

// fail ends the request without an answer.
func (r *request) fail(c *Client, now engine.Time, failure *engine.Error) {
	if r.phase == requestOver {
		return
	}
	r.over(c)
	switch r.role {
	case roleInitialize:
		r.conn.failed(c, now, failure)
	case roleReplay:
		c.dropped[r.id] = true
		if s := r.session; s.replay != nil && s.replay.request == r {
			s.replayed(c, now, false, nil)
		}
	case roleProbe:
	default:
		r.unlearn(c, now, 0)
		c.settleFailure(r.call, failure)
		r.dropPassing(c, now)
		c.settleEarly()
	}
}

// over takes the request out of what is under way.
func (r *request) over(c *Client) {
	r.phase, r.by, r.again = requestOver, engine.Never, engine.Never
	if r.post != nil && (r.post.waiting || r.post.x != 0 && !r.post.exchange.Opened()) {
		r.post.finish(c) // answered before its host has said that it has it
	}
	c.requests = without(c.requests, r)
	if r.conn != nil {
		r.conn.answers = without(r.conn.answers, r)
	}
}

func without(all []*request, r *request) []*request {
	for i, other := range all {
		if other == r {
			return append(all[:i:i], all[i+1:]...)
		}
	}
	return all
}

// stranded decides about a request whose connection is gone. What may be asked
// twice is asked again; a prompt waits for the history, which shows it.
func (r *request) stranded(c *Client, now engine.Time) {
	if r.post != nil {
		r.post.finish(c)
	}
	switch {
	case r.role == roleInitialize:
		r.fail(c, now, &engine.Error{Code: engine.CodeNetwork, Op: r.method, Retryable: true, Message: "the connection was lost"})
	case r.role == roleReplay, r.role == roleProbe:
		r.over(c) // the next connection's history is asked for anew
	case methods[r.method].repeats:
		r.phase, r.conn, r.again = requestQueued, nil, engine.Never
		r.afresh(c)
	case r.method == "session/prompt" && r.session.version() == 1:
		// Its answer would have ended the turn, and nothing else tells of it.
		r.fail(c, now, &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method, Message: "the connection was lost before the turn ended"})
	case r.method == "session/prompt":
		r.doubtful = &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method, Message: "the connection was lost before the agent answered; it may have the prompt"}
		r.conn = nil
	default:
		r.fail(c, now, &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method, Message: "the connection was lost before the agent answered"})
	}
}

// learn takes what an answer says of sessions.
func (r *request) learn(c *Client, now engine.Time, result []byte) {
	switch r.method {
	case "session/new", "session/fork":
		value, _ := jsonrpc.Member(result, "sessionId")
		if id, ok := jsonrpc.String(value); ok && id != "" {
			s := c.made(now, id, r.params)
			s.apply(c, now, sessionValues(result))
		}
	case "session/load", "session/resume":
		r.session.joined(c, now, result)
	case "session/prompt":
		r.session.accepted(c, now, r, result)
	case "session/set_config_option":
		r.session.apply(c, now, sessionValues(result))
	case "session/close", "session/delete":
		c.dropNamed(now, r.session, r.params)
	}
}

// unlearn takes a refusal, or a failure where code is 0.
func (r *request) unlearn(c *Client, now engine.Time, code int64) {
	switch {
	case r.method == "session/prompt":
		r.session.unsent(c, now, r)
	case methods[r.method].joins && !r.session.known:
		c.drop(now, r.session, "")
	case methods[r.method].joins && r.session.replay != nil && r.session.replay.asked:
		r.session.replayed(c, now, false, nil)
	case (r.method == "session/close" || r.method == "session/delete") && code == resourceNotFound:
		c.dropNamed(now, r.session, r.params) // spec/acp.md 4: as good as done
	}
}

// JSON-RPC error codes of ACP's (spec/acp.md 3.4).
const (
	resourceNotFound   = -32002
	authRequired       = -32000
	unsupportedVersion = -32022
	methodNotFound     = -32601
)

func jsonrpcCode(object []byte) int64 {
	value, _ := jsonrpc.Member(object, "code")
	code, _ := jsonrpc.Int(value)
	return code
}

// rpcError makes an Error of the agent's, for what the app did not ask for.
func rpcError(op string, object []byte) *engine.Error {
	value, _ := jsonrpc.Member(object, "message")
	text, _ := jsonrpc.String(value)
	code := engine.CodeProtocol
	switch jsonrpcCode(object) {
	case authRequired:
		code = engine.CodeUnauthorized
	case unsupportedVersion:
		code = CodeNoVersion
	}
	return &engine.Error{Code: code, Op: op, Message: "the agent refused", Cause: reason(text)}
}

// Notify sends a notification; the returned call settles with null once the
// agent's host has it.
func (c *Client) Notify(now engine.Time, session uint32, method string, params []byte) engine.CallID {
	c.begin(now)
	c.lastCall++
	id := engine.CallID(c.lastCall)
	s, failure := c.scope(method, session)
	conn := c.home
	if s != nil {
		conn = s.conn
		params = withSession(params, s)
		s.attach(c, now) // what comes of it is wanted
	}
	if failure == nil && (conn == nil || conn.state != connOpen) {
		failure = &engine.Error{Code: engine.CodeNetwork, Op: method, Retryable: true, Message: "the agent is not connected"}
	}
	if failure != nil {
		c.settleFailure(id, failure)
		return id
	}
	if method == "session/cancel" && s != nil {
		s.cancelled(c, now)
	}
	c.send(now, &post{conn: conn, session: s, call: id, op: method, again: true,
		body: jsonrpc.AppendNotification(nil, method, append([]byte(nil), params...), nil)})
	return id
}

// dropPassing drops the session of a request that is over, where it was there for
// that alone.
func (r *request) dropPassing(c *Client, now engine.Time) {
	if s := r.session; s != nil && s.passing && s.transcript != nil && !s.requested(c) {
		c.drop(now, s, "")
	}
}

// requested reports whether a request of the session is under way.
func (s *session) requested(c *Client) bool {
	for _, r := range c.requests {
		if r.session == s {
			return true
		}
	}
	return false
}

// Cancel asks the agent to end a request ($/cancel_request): of a prompt that it
// holds, to give it back. What has not left is ended here.
func (c *Client) Cancel(now engine.Time, id engine.CallID) {
	c.begin(now)
	for _, r := range c.requests {
		if r.call != id || id == 0 {
			continue
		}
		if r.phase == requestQueued {
			r.fail(c, now, &engine.Error{Code: engine.CodeCancelled, Op: r.method, Message: "cancelled by the app"})
		} else if r.conn != nil && r.conn.state == connOpen {
			params := append(appendUint([]byte(`{"requestId":`), r.id), '}')
			c.send(now, &post{conn: r.conn, op: "$/cancel_request", again: true,
				body: jsonrpc.AppendNotification(nil, "$/cancel_request", params, nil)})
		}
		return
	}
}
