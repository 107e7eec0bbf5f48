package mcp_test

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// wantHeader checks the header fields of an exchange, as "Name: value", all of
// them and in order.
func (r *rig) wantHeader(what string, x engine.ExchangeID, want ...string) {
	r.t.Helper()
	var got []string
	for _, f := range r.Exchange(x).Request.Header {
		got = append(got, f.Name+": "+f.Value)
	}
	if !slices.Equal(got, want) {
		r.t.Errorf("%s: header %q, want %q", what, got, want)
	}
}

// TestHeadersByPhase: which fields a request carries depends on where the
// client stands (2025-11-25 basic/transports); the app's own come last.
func TestHeadersByPhase(t *testing.T) {
	const (
		content = "Content-Type: application/json"
		both    = "Accept: application/json, text/event-stream"
		stream  = "Accept: text/event-stream"
		session = "Mcp-Session-Id: s1"
		version = "MCP-Protocol-Version: 2025-11-25"
		token   = "Authorization: Bearer t1"
		own     = "X-App: 1"
	)
	r := newRig(t, mcp.Config{HasTokenProvider: true, Header: []engine.Field{{Name: "X-App", Value: "1"}}})
	initialized := r.handshake("2025-11-25")
	r.wantHeader("initialize", initialized-1, content, both, token, own)
	r.wantHeader("initialized", initialized, content, both, session, version, token, own)
	r.wantHeader("GET", r.Newest(), stream, session, version, token, own)
	r.Head(r.Newest(), 405)
	r.End(initialized, engine.EndClean)
	o := r.primed("p")
	r.wantHeader("a call", o.x, content, both, session, version, token, own)
	o.event("e1", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	r.wantHeader("an answer", r.Newest(), content, both, session, version, token, own)
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	r.wantHeader("a reconnect", o.x, stream, session, version, "Last-Event-ID: e1", token, own)
	r.notify("notifications/roots/list_changed")
	r.wantHeader("a notification", r.Newest(), content, both, session, version, token, own)
	lost := r.post("tools/list")
	r.Advance(10_000)
	lost.Head(lost.x, 404)
	r.wantHeader("the next initialize", r.Newest(), content, both, token, own)
	x := r.Newest()
	id := coretest.RequestID(r.Exchange(x).Request)
	r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s2")
	r.Chunk(x, coretest.Result(id, `{"protocolVersion":"2025-06-18","capabilities":{}}`))
	r.End(x, engine.EndClean)
	r.wantHeader("the next initialized", r.Newest(), content, both, "Mcp-Session-Id: s2",
		"MCP-Protocol-Version: 2025-06-18", token, own)
	r.close()
	r.wantHeader("DELETE", r.Newest(), "Mcp-Session-Id: s2", "MCP-Protocol-Version: 2025-06-18", token, own)
}
