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
	storing    bool          // what is written ahead of it is being stored
	doubtful   *engine.Error // why nobody knows whether the agent has it
	post       *post
}

// methods says what is particular about a method.
var methods = map[string]struct {
	joins    bool // it gives the client a session that the agent has
	patient  bool // it may take as long as it likes
	repeats  bool // the agent may get it twice
	inParams bool // its session is the one that its params name, if the client knows it
}{
	"initialize":                {repeats: false},
	"session/new":               {},
	"session/load":              {joins: true, patient: true, repeats: true},
	"session/resume":            {joins: true, patient: true, repeats: true},
	"session/prompt":            {patient: true},
	"session/list":              {repeats: true},
	"session/close":             {repeats: true, inParams: true},
	"session/delete":            {repeats: true, inParams: true},
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
	r := &request{id: c.ids.Next(), method: method, session: s, params: append([]byte(nil), params...), by: engine.Never}
	if !methods[method].patient && method != "initialize" {
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
	if s == nil && methods[method].joins {
		s = c.join(now, params)
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
	if conn == nil || conn.state != connOpen || r.session != nil && !r.session.ready(c, now) {
		return // connection.opened or session.streamUp lets it go
	}
	r.send(c, now)
}

// send sends the request.
func (r *request) send(c *Client, now engine.Time) {
	if r.conn == nil || r.role != roleInitialize {
		r.conn = c.home
		if r.session != nil {
			r.conn = r.session.conn
		}
	}
	r.phase, r.doubtful = requestSent, nil
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

func (r *request) advance(c *Client, now engine.Time) {
	if now < r.by {
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
		r.session.replayed(c, now, ok, result)
		return
	}
	if ok {
		r.learn(c, now, result)
		c.effects.Add(engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeResult, Data: result})
		return
	}
	r.unlearn(c, now, jsonrpcCode(failure))
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
		r.session.replayed(c, now, false, nil)
	default:
		r.unlearn(c, now, 0)
		c.settleFailure(r.call, failure)
	}
}

// over takes the request out of what is under way.
func (r *request) over(c *Client) {
	r.phase, r.by = requestOver, engine.Never
	if r.post != nil && r.post.x != 0 && r.post.exchange.Opened() == false {
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
	case r.role == roleReplay:
		r.over(c) // the next connection's history is asked for anew
	case methods[r.method].repeats:
		r.phase, r.conn = requestQueued, nil
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
	case (r.method == "session/close" || r.method == "session/delete") && code == resourceNotFound:
		c.dropNamed(now, r.session, r.params) // spec/acp.md 4: as good as done
	}
}

// JSON-RPC error codes of ACP's (spec/acp.md 3.4).
const (
	resourceNotFound = -32002
	requestCancelled = -32800
	methodNotFound   = -32601
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
	if jsonrpcCode(object) == -32000 {
		code = engine.CodeUnauthorized
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
