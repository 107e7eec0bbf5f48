package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Notify sends a notification; the returned call settles with null once the
// agent's server has it.
func (c *Client) Notify(now engine.Time, session uint32, method string, params []byte) engine.CallID {
	c.effects.Begin(now)
	c.lastCall++
	id := engine.CallID(c.lastCall)
	s, failure := c.scope(method, session)
	away := s != nil && s.state != sessionOwned
	switch {
	case failure == nil && away && !c.cfg.Tabs:
		failure = elsewhere(method)
	case failure == nil && away:
		c.forwardRequest(now, s, id, method, params, true)
		return id
	}
	if failure != nil {
		c.settleFailure(id, failure)
		return id
	}
	c.notify(now, s, id, method, params)
	return id
}

// notify sends a notification of a session of this tab's, or of the connection's
// where s is nil.
func (c *Client) notify(now engine.Time, s *session, id engine.CallID, method string, params []byte) {
	conn := c.home
	if s != nil {
		conn = s.conn
		params = withSession(params, s)
		s.want(c, now) // what comes of it
	}
	p := &post{conn: conn, session: s, call: id, op: method, again: true,
		body: jsonrpc.AppendNotification(nil, method, append([]byte(nil), params...), nil)}
	cancels := method == "session/cancel" && s != nil
	if cancels {
		p.after = s.takeBack(c, now)
	}
	switch {
	case conn != nil && conn.state == connOpen:
		if cancels {
			s.cancelled(c, now)
		}
		c.send(now, p)
	case cancels && len(p.after) == 0 && !s.turn.open():
		p.taken(c, now) // all that was asked for is taken back
	default:
		c.settleFailure(id, &engine.Error{Code: engine.CodeNetwork, Op: method, Retryable: true, Message: "the agent is not connected"})
	}
}

// takeBack ends the prompts that have not left, since the app cancels what it has
// asked for, and returns those on their way: the agent does not cancel a prompt
// that comes after the word (RFD v2 prompt lifecycle).
func (s *session) takeBack(c *Client, now engine.Time) (onTheirWay []*post) {
	for _, r := range c.allRequests() {
		if r.session != s || r.method != "session/prompt" {
			continue
		}
		switch {
		case r.state == requestQueued || r.isHeld():
			r.fail(c, now, cancelledByApp(r))
		case r.state == requestSent:
			onTheirWay = append(onTheirWay, r.post)
		}
	}
	return onTheirWay
}

func cancelledByApp(r *request) *engine.Error {
	return &engine.Error{Code: engine.CodeCancelled, Op: r.method, Message: "cancelled by the app"}
}

// Cancel asks the agent to end a request ($/cancel_request): of a prompt that it
// holds, to give it back. What has not left is ended here.
func (c *Client) Cancel(now engine.Time, id engine.CallID) {
	c.effects.Begin(now)
	for _, r := range c.requests {
		if r.call != id || id == 0 {
			continue
		}
		switch {
		case r.state == requestElsewhere:
			r.forwardCancel(c)
		case r.state == requestQueued || r.isHeld():
			r.fail(c, now, cancelledByApp(r))
		case r.conn != nil && r.conn.state == connOpen:
			r.unwanted = true
			params := append(appendUint([]byte(`{"requestId":`), r.id), '}')
			c.send(now, &post{conn: r.conn, op: "$/cancel_request", again: true, after: []*post{r.post},
				body: jsonrpc.AppendNotification(nil, "$/cancel_request", params, nil)})
		}
		return
	}
}
