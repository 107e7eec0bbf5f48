package acp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Over a WebSocket one socket carries all sessions, and is the connection: where
// it closes, the agent's host ends the connection, too (spec/acp.md 2.2). Work
// that goes on is found again by session/resume.

// openSocket opens the connection's socket.
func (n *connection) openSocket(c *Client) {
	n.state = connSocket
	c.lastX++
	n.socket = c.lastX
	c.effects.Add(engine.Effect{Kind: engine.Socket, X: n.socket, Request: &engine.Request{URL: c.cfg.URL, Limit: c.cfg.Limits.Event}})
}

func (n *connection) closeSocket(c *Client) {
	if n.socket != 0 {
		c.effects.Add(engine.Effect{Kind: engine.Abort, X: n.socket})
		n.socket = 0
	}
}

// socketOf returns the connection of a socket, nil for none.
func (c *Client) socketOf(x engine.ExchangeID) *connection {
	for _, n := range c.connections() {
		if n.socket == x && x != 0 {
			return n
		}
	}
	return nil
}

// SocketOpened reports that socket x is open.
func (c *Client) SocketOpened(now engine.Time, x engine.ExchangeID) {
	c.begin(now)
	if n := c.socketOf(x); n != nil && n.state == connSocket {
		n.initialize(c, now)
	}
}

// SocketMessage reports a text frame; text is lent for the call.
func (c *Client) SocketMessage(now engine.Time, x engine.ExchangeID, text []byte) {
	c.begin(now)
	n := c.socketOf(x)
	switch {
	case n == nil:
	case len(text) > c.cfg.Limits.Event:
		c.integrity(nil, "oversized_event")
	default:
		n.heard(c, now, nil, text)
	}
}

// SocketClosed reports that socket x is closed, or could not be opened.
func (c *Client) SocketClosed(now engine.Time, x engine.ExchangeID, code int, why string) {
	c.begin(now)
	n := c.socketOf(x)
	if n == nil {
		return
	}
	n.socket = 0
	c.counters.Cuts++
	if n.state == connOpen {
		n.gone(c, now)
		return
	}
	for _, r := range append([]*request(nil), n.answers...) {
		r.over(c)
	}
	cause := why
	if cause == "" {
		cause = "close code " + strconv.Itoa(code)
	}
	n.failed(c, now, &engine.Error{Code: engine.CodeNetwork, Op: "initialize", Retryable: true,
		Message: "the WebSocket could not be opened, or was closed", Cause: reason(cause)})
}

// probe sends what the agent ignores: a socket that died while the machine slept
// is found out only by sending.
func (n *connection) probe(c *Client, now engine.Time) {
	if n.socket != 0 && n.state == connOpen {
		c.effects.Add(engine.Effect{Kind: engine.Frame, X: n.socket,
			Data: jsonrpc.AppendNotification(nil, "$/cancel_request", []byte(`{"requestId":0}`), nil)})
	}
}
