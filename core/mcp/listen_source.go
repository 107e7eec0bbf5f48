package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/sse"
)

// usesEventSource reports whether a GET stream may be the browser's EventSource:
// it can carry no header field. It spares the page a preflight. Comments are
// invisible in it, so nothing watches for silence there.
func (c *Client) usesEventSource() bool {
	return c.cfg.EventSource && !c.cfg.HasTokenProvider && len(c.cfg.Header) == 0 && c.session.id == ""
}

// source starts an EventSource for o. Its first error ends it: core alone
// reconnects.
func (c *Client) source(o owner) engine.ExchangeID {
	if !c.mayBegin(o) {
		return 0
	}
	x := c.exchanges.Begin(o)
	c.effects.Add(engine.Effect{Kind: engine.Source, X: x, Request: &engine.Request{Method: "GET", URL: c.cfg.URL}})
	return x
}

// SourceOpened reports that an EventSource is connected.
func (c *Client) SourceOpened(now engine.Time, x engine.ExchangeID) {
	c.Head(now, x, engine.Head{Status: 200, Header: []engine.Field{{Name: "content-type", Value: "text/event-stream"}}})
}

// SourceEvent reports an event that the browser has parsed: its type, data and
// last event id.
func (c *Client) SourceEvent(now engine.Time, x engine.ExchangeID, kind, data, id []byte) {
	c.effects.Begin(now)
	e := sse.Event{Kind: sse.Message, Type: kind, Data: data, ID: id, HasID: len(id) > 0, Retry: -1}
	switch o := c.exchanges.Owner(x).(type) {
	case *listen:
		c.sourced(now, &o.stream, &e)
	case *channel:
		c.sourced(now, &o.stream, &e)
	}
}

// SourceFailed reports the first error of an EventSource, which is over then.
func (c *Client) SourceFailed(now engine.Time, x engine.ExchangeID) {
	c.End(now, x, engine.EndNetwork, "the event source failed")
}

// SourceRedirected reports that an EventSource has followed a redirect to another
// origin, which no page can prevent. The host has closed it and delivered nothing
// of it: the target might be anybody's (fault 142).
func (c *Client) SourceRedirected(now engine.Time, x engine.ExchangeID) {
	c.effects.Begin(now)
	o := c.exchanges.Owner(x)
	c.exchanges.End(x)
	switch o := o.(type) {
	case *listen:
		o.x = 0
		c.integrity("redirected_stream", httpError("listen", link.StatusRedirect))
		o.off(c)
	case *channel:
		o.x, o.first = 0, nil
		failure := httpError("initialize", link.StatusRedirect)
		o.failed(c, now, failure)
		if c.state < stateClosing { // opened again it would be led there again
			c.failure = failure
			c.fail(now)
		}
	}
}

func (c *Client) sourced(now engine.Time, stream *link.Stream, e *sse.Event) {
	if stream.Accept(e) {
		c.event(now, nil, e)
	} else {
		c.counters.DuplicateEvents++
	}
	stream.Arrived(now, false)
}
