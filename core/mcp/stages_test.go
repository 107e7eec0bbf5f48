package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// stage brings a client with one call to some point of its life.
type stage struct {
	name string
	to   func(t *testing.T) *onStream
	sent bool // the server has heard of the call
}

// queued makes a call that waits for the handshake.
func queued(r *rig) *onStream {
	c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{})
	return &onStream{rig: r, c: c}
}

var (
	withToken = mcp.Config{HasTokenProvider: true}
	withIdle  = mcp.Config{Timeouts: mcp.Timeouts{Idle: -1}} // silence never ends a stream
)

// stages are the points at which a call may be left.
var stages = []stage{
	{"new", func(t *testing.T) *onStream { return queued(newRig(t, mcp.Config{})) }, false},
	{"token wait", func(t *testing.T) *onStream {
		r := newRig(t, withToken)
		r.Start()
		return queued(r)
	}, false},
	{"connect", func(t *testing.T) *onStream {
		r := newRig(t, mcp.Config{})
		r.Start()
		return queued(r)
	}, false},
	{"handshake answer", func(t *testing.T) *onStream {
		r := newRig(t, mcp.Config{})
		r.Start()
		r.Head(r.Newest(), 200, "content-type", coretest.Stream, "mcp-session-id", "s1")
		r.Chunk(r.Newest(), "id: 1\ndata:\n\n")
		return queued(r)
	}, false},
	{"initialized", func(t *testing.T) *onStream {
		r := newRig(t, mcp.Config{})
		r.Start()
		x := r.Newest()
		id := coretest.RequestID(r.Exchange(x).Request)
		r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s1")
		r.Chunk(x, coretest.Result(id, `{"protocolVersion":"2025-11-25","capabilities":{}}`))
		r.End(x, engine.EndClean)
		return queued(r)
	}, false},
	{"sent", func(t *testing.T) *onStream { return connected(t, mcp.Config{}).post("tools/call") }, true},
	{"listening",
		func(t *testing.T) *onStream { return newRig(t, mcp.Config{}).connectListening().post("tools/call") },
		true},
	{"listen backoff", func(t *testing.T) *onStream {
		r := newRig(t, mcp.Config{}).connectListening()
		r.End(r.Newest(), engine.EndNetwork)
		return r.post("tools/call")
	}, true},
	{"JSON body", func(t *testing.T) *onStream {
		o := connected(t, mcp.Config{}).post("tools/call")
		o.Head(o.x, 200, "content-type", coretest.JSON)
		o.say(`{"jsonrpc"`)
		return o
	}, true},
	{"stream", func(t *testing.T) *onStream { return connected(t, mcp.Config{}).primed("p") }, true},
	{"backoff", func(t *testing.T) *onStream {
		o := connected(t, mcp.Config{}).primed("p")
		o.cut(engine.EndNetwork)
		return o
	}, true},
	{"offline backoff", func(t *testing.T) *onStream {
		o := connected(t, mcp.Config{}).primed("p")
		o.offline()
		o.cut(engine.EndNetwork)
		return o
	}, true},
	{"reconnect", func(t *testing.T) *onStream {
		o := connected(t, mcp.Config{}).primed("p")
		o.cut(engine.EndNetwork)
		o.resumeStarts()
		return o
	}, true},
	{"replay", func(t *testing.T) *onStream {
		o := connected(t, mcp.Config{}).primed("p")
		o.progress(1)
		o.cut(engine.EndNetwork)
		o.resume()
		o.say("id: e1\ndata: {")
		return o
	}, true},
	{"token wait of a reconnect", func(t *testing.T) *onStream {
		o := connected(t, withToken).primed("p")
		o.cut(engine.EndNetwork)
		o.resumeStarts()
		o.Head(o.x, 401)
		return o
	}, true},
	{"token wait of a call", func(t *testing.T) *onStream {
		o := connected(t, withToken).post("tools/call")
		o.Head(o.x, 401)
		return o
	}, false},
	{"paused", func(t *testing.T) *onStream {
		o := connected(t, mcp.Config{}).primed("p")
		o.pause(o.c, true)
		o.progress(1)
		return o
	}, true},
	{"session lost", func(t *testing.T) *onStream {
		o := connected(t, mcp.Config{}).post("tools/call")
		o.Head(o.x, 404)
		return o
	}, false},
	{"answering the server", func(t *testing.T) *onStream {
		o := connected(t, mcp.Config{}).primed("p")
		o.event("e1", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		return o
	}, true},
	{"the server's answer to an answer has no end", func(t *testing.T) *onStream {
		o := connected(t, mcp.Config{}).primed("p")
		o.event("e1", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		o.Head(o.Newest(), 202)
		return o
	}, true},
}
