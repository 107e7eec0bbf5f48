package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// answered takes the agent's answer.
func (r *request) answered(c *Client, now engine.Time, m jsonrpc.Message) {
	result := append([]byte(nil), m.Result...)
	failure := append([]byte(nil), m.Error...)
	r.over(c)
	ok := m.Kind == jsonrpc.Response
	switch r.role {
	case roleInitialize:
		code := jsonrpc.ErrorCode(failure)
		if ok {
			r.conn.initialized(c, now, r.connection, result)
		} else if code != invalidRequest && code != invalidParams || !r.conn.withoutLifecycle(c, now) {
			r.conn.failed(c, now, rpcError(r.method, failure))
		}
		return
	case roleReplay:
		if s := r.session; s.replay != nil && s.replay.request == r {
			s.conn.useful = s.conn.useful || ok
			end := replayFailed
			switch {
			case ok && s.replay.state != replayBare:
				s.toldAll(c, now, result)
				return
			case ok:
				end = replayWhole
			case jsonrpc.ErrorCode(failure) == resourceNotFound:
				end = replayMissing
			case jsonrpc.ErrorCode(failure) == authRequired:
				s.refused = s.history
			}
			s.replayed(c, now, end, result)
		}
		return
	case roleProbe:
		return
	}
	if r.conn != nil {
		r.conn.useful = true
	}
	defer c.settleUnclaimed()
	defer r.dropPassing(c, now)
	if ok {
		r.learn(c, now, result)
		r.settle(c, now, result)
		return
	}
	code := jsonrpc.ErrorCode(failure)
	r.unlearn(c, now, code)
	if code == resourceNotFound && (r.method == "session/close" || r.method == "session/delete") {
		// As good as done: the agent has no such session.
		c.effects.Add(engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeResult, Data: []byte("{}")})
		return
	}
	c.effects.Add(engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeRPCError, Data: failure})
}

// settle gives the app the answer. Another tab's prompt has it behind what it can read in the log by then:
// the end of a turn before its own would be that of its own there (fault 609).
func (r *request) settle(c *Client, now engine.Time, result []byte) {
	e := engine.Effect{Kind: engine.Settle, C: r.call, Outcome: engine.OutcomeResult, Data: result}
	if r.method == "session/prompt" && r.served {
		c.writer.WhenStored(now, false, &servedAnswer{c, e})
		return
	}
	c.effects.Add(e)
}

// servedAnswer is the answer to another tab's prompt, until the log is stored (durable.Waiter).
type servedAnswer struct {
	c      *Client
	answer engine.Effect
}

// Stored gives it.
func (w *servedAnswer) Stored(engine.Time) { w.c.effects.Add(w.answer) }

// fail ends the request without an answer.
func (r *request) fail(c *Client, now engine.Time, failure *engine.Error) {
	if r.state == requestOver {
		return
	}
	away := r.state == requestElsewhere
	r.over(c)
	if away { // what it has done to the session the other tab's log tells
		c.dropped[r.id] = true
		c.settleFailure(r.call, failure)
		return
	}
	switch r.role {
	case roleInitialize:
		if failure.Status != 400 && failure.Status != 422 || !r.conn.withoutLifecycle(c, now) {
			r.conn.failed(c, now, failure)
		}
	case roleReplay:
		c.dropped[r.id] = true
		if s := r.session; s.replay != nil && s.replay.request == r {
			s.replayed(c, now, replayFailed, nil)
		}
	case roleProbe:
	default:
		r.unlearn(c, now, 0)
		c.settleFailure(r.call, failure)
		r.dropPassing(c, now)
		c.settleUnclaimed()
	}
}

// over takes the request out of what is under way.
func (r *request) over(c *Client) {
	r.enter(c, requestOver)
	r.by, r.again = engine.Never, engine.Never
	if p := r.post; p != nil && (p.State == link.PostParked || p.State == link.PostWaiting ||
		p.X != 0 && !p.Exchange.Opened()) {
		r.post.finish(c) // answered before its server has said that it has it
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
		c.setServers(r.session, r.params)
		r.session.joined(c, now, r, result)
	case "session/prompt":
		r.session.accepted(c, now, r, result)
	case "auth/login", "authenticate":
		c.loggedIn(now)
	case "session/set_config_option":
		r.session.apply(c, now, sessionValues(result))
	case "session/set_mode": // its answer is empty, and no update follows (S1 SetSessionModeResponse)
		if mode, ok := jsonrpc.Member(r.params, "modeId"); ok {
			r.session.apply(c, now, sessionValues(append(append([]byte(`{"modes":{"currentModeId":`), mode...), "}}"...)))
		}
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
		c.drop(now, r.session, 0)
	case methods[r.method].joins && r.session.replay != nil && r.session.replay.state >= replayOfApp:
		r.session.replayed(c, now, replayFailed, nil)
	case (r.method == "session/close" || r.method == "session/delete") && code == resourceNotFound:
		c.dropNamed(now, r.session, r.params) // as good as done: the agent has no such session
	}
}

// Error codes of ACP ("Schema", ErrorCode).
const (
	invalidRequest     = -32600
	invalidParams      = -32602
	resourceNotFound   = -32002
	authRequired       = -32000
	unsupportedVersion = -32022
	methodNotFound     = -32601
)

// rpcError makes an Error of the agent's, for what the app did not ask for.
func rpcError(op string, object []byte) *engine.Error {
	value, _ := jsonrpc.Member(object, "message")
	text, _ := jsonrpc.String(value)
	code := engine.CodeProtocol
	switch jsonrpc.ErrorCode(object) {
	case authRequired:
		code = engine.CodeUnauthorized
	case unsupportedVersion:
		code = CodeNoVersion
	}
	return &engine.Error{Code: code, Op: op, Message: "the agent refused", Cause: link.Cause(text)}
}

// dropPassing drops the session of a request that is over, where it was there for
// that alone.
func (r *request) dropPassing(c *Client, now engine.Time) {
	if s := r.session; s != nil && s.passing && s.state != sessionDropped && !s.requested(c) {
		c.drop(now, s, 0)
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
