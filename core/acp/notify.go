package acp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Notify sends a notification; the returned call settles with null once the
// agent's host has it.
func (c *Client) Notify(now engine.Time, session uint32, method string, params []byte) engine.CallID {
	c.begin(now)
	c.lastCall++
	id := engine.CallID(c.lastCall)
	s, failure := c.scope(method, session)
	away := s != nil && !s.owned
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
	var failure *engine.Error
	conn := c.home
	if s != nil {
		conn = s.conn
		params = withSession(params, s)
		s.want(c, now) // what comes of it
	}
	if conn == nil || conn.state != connOpen {
		failure = &engine.Error{Code: engine.CodeNetwork, Op: method, Retryable: true, Message: "the agent is not connected"}
	}
	if failure != nil {
		c.settleFailure(id, failure)
		return
	}
	if method == "session/cancel" && s != nil {
		s.cancelled(c, now)
	}
	c.send(now, &post{conn: conn, session: s, call: id, op: method, again: true,
		body: jsonrpc.AppendNotification(nil, method, append([]byte(nil), params...), nil)})
}

// Cancel asks the agent to end a request ($/cancel_request): of a prompt that it
// holds, to give it back. What has not left is ended here.
func (c *Client) Cancel(now engine.Time, id engine.CallID) {
	c.begin(now)
	for _, r := range c.requests {
		if r.call != id || id == 0 {
			continue
		}
		if r.phase == requestElsewhere {
			r.forwardCancel(c)
		} else if r.phase == requestQueued {
			r.fail(c, now, &engine.Error{Code: engine.CodeCancelled, Op: r.method, Message: "cancelled by the app"})
		} else if r.conn != nil && r.conn.state == connOpen {
			params := append(appendUint([]byte(`{"requestId":`), r.id), '}')
			c.send(now, &post{conn: r.conn, op: "$/cancel_request", again: true,
				body: jsonrpc.AppendNotification(nil, "$/cancel_request", params, nil)})
		}
		return
	}
}
