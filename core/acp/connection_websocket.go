package acp

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// Over a WebSocket one socket carries all sessions, and is the connection: where
// it closes, the official SDK's server ends the connection, too. Work
// that goes on is found again by session/resume.

// socketWithin is how long a socket may take to open, in ms: where nothing answers
// at all, a browser goes on trying for minutes.
const socketWithin = 20_000

// openSocket opens the connection's socket.
func (n *connection) openSocket(c *Client, now engine.Time) {
	n.enter(c, connSocket)
	n.at = now.After(socketWithin)
	n.socket = c.exchanges.NewID()
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
	c.effects.Begin(now)
	if n := c.socketOf(x); n != nil && n.state == connSocket {
		n.at = engine.Never
		n.initialize(c, now)
	}
}

// SocketMessage reports a text frame; text is lent for the call.
func (c *Client) SocketMessage(now engine.Time, x engine.ExchangeID, text []byte) {
	c.effects.Begin(now)
	n := c.socketOf(x)
	switch {
	case n == nil:
	case len(text) > c.cfg.Limits.Event:
		c.integrity(nil, "oversized_event")
	default:
		n.proved()
		n.heard(c, now, nil, text)
	}
}

// SocketClosed reports that socket x is closed, or could not be opened.
func (c *Client) SocketClosed(now engine.Time, x engine.ExchangeID, code int, why string) {
	c.effects.Begin(now)
	n := c.socketOf(x)
	if n == nil {
		return
	}
	n.socket, n.at = 0, engine.Never
	c.counters.Cuts++
	if code == engine.CloseInvalid {
		for _, r := range append([]*request(nil), n.answers...) {
			r.over(c)
		}
		n.failed(c, now, &engine.Error{Code: engine.CodeBadArgument, Op: "initialize",
			Message: "the browser cannot open the WebSocket", Cause: link.Cause(why)})
		return
	}
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
		Message: "the WebSocket could not be opened, or was closed", Cause: link.Cause(cause)})
}

// neverOpened takes a socket that has not opened in time.
func (n *connection) neverOpened(c *Client, now engine.Time) {
	n.at = engine.Never
	n.failed(c, now, &engine.Error{Code: engine.CodeNetwork, Op: "initialize", Retryable: true,
		Message: "the WebSocket did not open within " + strconv.Itoa(socketWithin/1000) + " s"})
}

// probe asks what has to be answered: a socket that died while the machine slept
// says nothing of it, neither a message nor its end.
func (n *connection) probe(c *Client, now engine.Time) {
	if n.socket == 0 || n.state != connOpen {
		return
	}
	for _, r := range n.answers {
		if r.role == roleProbe {
			return
		}
	}
	// An unknown method is answered too, with -32601 (client MUST 7 is the agent's as well).
	method := "_holdfast/alive"
	if n.lists() {
		method = "session/list"
	}
	r := c.newRequest(now, method, nil, []byte("{}"))
	r.role, r.conn, r.by = roleProbe, n, now.After(link.ProveWithin)
	r.send(c, now)
}

// lists reports whether the agent has session/list: in version 2 all do that have
// sessions.
func (n *connection) lists() bool {
	if n.version == 1 {
		agent, _ := jsonrpc.Member(n.result, "agentCapabilities")
		session, _ := jsonrpc.Member(agent, "sessionCapabilities")
		list, _ := jsonrpc.Member(session, "list")
		return jsonrpc.IsObject(list)
	}
	method, _ := n.replayMethod()
	return method != ""
}

// proved notes that the socket has brought something.
func (n *connection) proved() {
	for _, r := range n.answers {
		if r.role == roleProbe {
			r.by = engine.Never
		}
	}
}
