package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

const (
	acceptBoth   = "application/json, text/event-stream"
	acceptStream = "text/event-stream"
)

// fetch starts an exchange for o; 0 where nothing may begin any more. The protocol's own fields come first;
// the app's cannot replace them (the API refuses their names).
func (c *Client) fetch(o owner, method string, body []byte, extra ...engine.Field) engine.ExchangeID {
	if !c.mayBegin(o) {
		return 0 // leave ends what it was for
	}
	header := make([]engine.Field, 0, 8+len(c.cfg.Header))
	if method == "POST" {
		header = append(header,
			engine.Field{Name: "Content-Type", Value: "application/json"},
			engine.Field{Name: "Accept", Value: acceptBoth})
	} else if method == "GET" {
		header = append(header, engine.Field{Name: "Accept", Value: acceptStream})
	}
	if c.session.id != "" {
		header = append(header, engine.Field{Name: "Mcp-Session-Id", Value: c.session.id})
	}
	if c.sendsVersion() {
		header = append(header, engine.Field{Name: "MCP-Protocol-Version", Value: c.revision.Name})
	}
	header = append(header, extra...)
	header = append(c.token.AppendField(header), c.cfg.Header...)
	target := c.cfg.URL
	if method == "POST" {
		target = c.postURL()
	}
	x := c.exchanges.Begin(o)
	call, isCall := o.(*call)
	c.effects.Add(engine.Effect{Kind: engine.Fetch, X: x, Request: &engine.Request{
		Method: method, URL: target, Header: header, Body: body, Once: isCall && call.once,
	}})
	return x
}

// sendsVersion reports whether requests carry MCP-Protocol-Version now: always
// where they describe themselves, else after a handshake and not while another
// one is under way.
func (c *Client) sendsVersion() bool {
	if c.revision == nil || !c.revision.VersionHeader {
		return false
	}
	return c.revision.SelfDescribing || c.session.ready && !c.skipVersionHeader
}

// read asks for the next chunk of x.
func (c *Client) read(x engine.ExchangeID) {
	c.effects.Add(engine.Effect{Kind: engine.Read, X: x})
}

// abort ends x from this side; its owner hears nothing more of it.
func (c *Client) abort(x engine.ExchangeID) {
	if c.exchanges.End(x) {
		c.effects.Add(engine.Effect{Kind: engine.Abort, X: x})
	}
}
