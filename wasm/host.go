//go:build js && wasm

package main

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp"
	"github.com/holdfast-mcp/holdfast/core/tabs"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// table is what JavaScript reads after each export.
var table jsbridge.Table

// client is one connection: its machine, its driver, and the host that turns
// its effects into records.
type client struct {
	handle  uint32
	machine machine
	mcp     *mcp.Client   // the machine, where it speaks MCP
	agent   agent         // the machine, where it speaks ACP
	tabs    *tabs.Machine // who carries what is stored; nil where nothing is
	now     engine.Time   // of the input under way
	driver  *engine.Driver
}

// clients holds the open ones by handle; a handle is never used twice.
var (
	clients    = map[uint32]*client{}
	lastHandle uint32
)

// open gives a client its handle and its driver.
func (c *client) open() uint32 {
	lastHandle++
	c.handle = lastHandle
	c.driver = engine.NewDriver(c.machine, c)
	if c.tabs != nil {
		c.driver.Beside(c.tabs)
	}
	clients[c.handle] = c
	return c.handle
}

// drain carries out what the client asks for, then what is asked of the other tabs.
func (c *client) drain(now engine.Time) {
	c.now = now
	c.driver.Drain(now)
	c.carryOut()
}

// Do writes an effect into the table.
func (c *client) Do(e engine.Effect) {
	switch e.Kind {
	case engine.Fetch:
		header := make([]jsbridge.Field, len(e.Request.Header))
		for i, f := range e.Request.Header {
			header[i] = jsbridge.Field(f)
		}
		table.Fetch(jsbridge.Request{
			Client: c.handle, Exchange: uint32(e.X),
			Method: e.Request.Method, URL: e.Request.URL, Header: header, Body: e.Request.Body, Once: e.Request.Once,
		})
	case engine.Read:
		table.Add(jsbridge.Record{Kind: jsbridge.KindRead, Client: c.handle, ID: uint32(e.X)}, nil)
	case engine.Abort:
		table.Add(jsbridge.Record{Kind: jsbridge.KindAbort, Client: c.handle, ID: uint32(e.X)}, nil)
	case engine.Deliver:
		if e.Event == engine.EventQuarantined && c.tabs != nil {
			c.quarantined(e.Data)
			return
		}
		if e.Failure != nil {
			e.Data = table.Keep(link.AppendFailure(nil, e.Failure))
		}
		table.Add(jsbridge.Record{
			Kind: jsbridge.KindDeliver, Client: c.handle, ID: uint32(e.C), Number: e.Position, Sub: uint32(e.Event), Extra: uint32(e.Stream),
		}, e.Data)
	case engine.Settle:
		if e.Failure != nil {
			e.Data = table.Keep(link.AppendFailure(nil, e.Failure))
		}
		table.Add(jsbridge.Record{Kind: jsbridge.KindSettle, Client: c.handle, ID: uint32(e.C), Sub: uint32(e.Outcome)}, e.Data)
	case engine.State:
		if e.Failure != nil {
			data := append([]byte(nil), e.Data[:len(e.Data)-1]...)
			data = link.AppendFailure(append(data, `,"error":`...), e.Failure)
			e.Data = table.Keep(append(data, '}'))
		}
		table.Add(jsbridge.Record{Kind: jsbridge.KindState, Client: c.handle, Number: e.Position}, e.Data)
	case engine.Store:
		unawaited := c.tabs != nil && c.tabs.Committing(c.now, e.Ticket, e.Data)
		if unawaited && e.Ticket != 0 {
			e.Data = table.Keep(append([]byte(nil), e.Data...)) // the machine uses its memory again
			c.tabs.Stored(c.now, e.Ticket, journal.ResultOK, 0)
		}
		table.Store(c.handle, e.Ticket, e.Strict, unawaited, e.Data)
	case engine.Recall:
		table.Add(jsbridge.Record{Kind: jsbridge.KindRecall, Client: c.handle, ID: uint32(e.C)}, e.Data)
	case engine.Replay:
		table.Add(jsbridge.Record{Kind: jsbridge.KindReplay, Client: c.handle, ID: uint32(e.C), Number: e.Position}, e.Data)
	case engine.Handshake:
		table.Add(jsbridge.Record{Kind: jsbridge.KindHandshake, Client: c.handle}, nil)
	case engine.Source:
		table.Source(c.handle, uint32(e.X), e.Request.URL)
	case engine.Socket:
		table.Socket(c.handle, uint32(e.X), e.Request.URL, subprotocols(e.Request.Header), e.Request.Limit)
	case engine.Frame:
		table.Add(jsbridge.Record{Kind: jsbridge.KindFrame, Client: c.handle, ID: uint32(e.X)}, e.Data)
	case engine.Token:
		table.Add(jsbridge.Record{Kind: jsbridge.KindToken, Client: c.handle}, nil)
	}
}

// Wake arms the client's timer.
func (c *client) Wake(delay int64) { table.Timeout(c.handle, delay) }

// subprotocols returns what a WebSocket offers, as the browser takes it: one by
// one. In a header field they are a list (RFC 6455 11.3.4).
func subprotocols(header []engine.Field) []string {
	var list []string
	for _, f := range header {
		if f.Name != "Sec-WebSocket-Protocol" {
			continue
		}
		for p := range strings.SplitSeq(f.Value, ",") {
			list = append(list, strings.TrimSpace(p))
		}
	}
	return list
}
