package mcp

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/sse"
)

// readEvents takes bytes of an event stream: the call's, or the GET stream's where the call
// is nil. The error is a limit's: the stream yields nothing after it.
func (c *Client) readEvents(now engine.Time, call *call, x *link.Exchange, stream *link.Stream,
	p []byte) error {
	comments := x.Comments()
	if err := x.Chunk(p); err != nil {
		return err
	}
	events := 0
	for {
		e, ok, err := x.Next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		events++
		c.messageFrom = x
		switch {
		case stream.Accept(&e):
			c.event(now, call, &e)
		case !c.takesAgain(now, call, &e):
			c.counters.DuplicateEvents++
		}
		c.messageFrom = nil
	}
	stream.Arrived(now, events == 0 && x.Comments() > comments)
	stream.Retry(x.Retry())
	return nil
}

// event takes one event of a stream. Blocks without data only move the cursor;
// types other than message are not MCP's and are counted.
func (c *Client) event(now engine.Time, call *call, e *sse.Event) {
	// The event before it in the same chunk may have ended the client.
	if e.Kind != sse.Message || c.state >= stateClosing {
		return
	}
	// A priming event has an id and empty data: nothing to parse (SEP-1699),
	// whatever its type (the Go SDK's is prime).
	if len(e.Data) == 0 {
		return
	}
	if call == nil && c.channel.state != channelClosed && string(e.Type) == "endpoint" {
		c.channel.named(c, now, e)
		return
	}
	if len(e.Type) > 0 && string(e.Type) != "message" &&
		!(string(e.Type) == "error" && call != nil && call.failedBy(c, e.Data)) {
		c.counters.IgnoredEvents++
		return
	}
	c.message(now, call, e.Data)
}

// failedBy reports whether an event's data is the JSON-RPC error that ends this very call, of whatever type
// the event is.
func (call *call) failedBy(c *Client, data []byte) bool {
	m, err := jsonrpc.Parse(data, jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
	return err == nil && m.Kind == jsonrpc.ErrorResponse && !m.ID.IsZero() && c.findByID(m.ID) == call
}

// takesAgain takes what cannot be a duplicate although its event id was seen before: the
// response to a call that has none yet, and a request of the server's that was not made on the
// call. The server gives its ids from the start on each connection, and without these
// two the call would wait for ever (fault 531). Reports whether it was one.
func (c *Client) takesAgain(now engine.Time, call *call, e *sse.Event) bool {
	if call == nil || call.state >= callEnding || e.Kind != sse.Message || len(e.Data) == 0 {
		return false
	}
	m, err := jsonrpc.Parse(e.Data, jsonrpc.Limits{Depth: c.cfg.Limits.Depth})
	switch {
	case err != nil:
		return false
	case m.Kind == jsonrpc.Response, m.Kind == jsonrpc.ErrorResponse:
		if c.findByID(m.ID) != call {
			return false
		}
	case m.Kind != jsonrpc.Request, !slices.Contains(c.cfg.Handles, string(m.Method)),
		call.keeper().askedBefore(c, m.ID),
		slices.ContainsFunc(call.keeper().replayed,
			func(id []byte) bool { return bytes.Equal(id, questionID(m.ID)) }):
		return false
	}
	c.dispatch(now, call, &m)
	return true
}
