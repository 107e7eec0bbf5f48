package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// sourced returns the EventSource that the last input started.
func sourced(t *testing.T, w coretest.MCP) engine.ExchangeID {
	t.Helper()
	for _, e := range w.Effects {
		if e.Kind == engine.Source {
			return e.X
		}
	}
	t.Fatalf("no EventSource is opened\n%s", w.Log())
	return 0
}

// failedWith returns why the client has failed with the last input; nil where it has not.
func failedWith(w coretest.MCP) *engine.Error {
	for _, e := range w.Effects {
		if e.Kind == engine.State && e.Failure != nil {
			return e.Failure
		}
	}
	return nil
}

func redirects(w coretest.MCP, x engine.ExchangeID) {
	w.Input("redirected", func(c *mcp.Client, now engine.Time) { c.SourceRedirected(now, x) })
}

// Fault 142: an HTTP+SSE connection that leads to another origin is none: the
// client fails with the status that stands for a redirect, in whatever state,
// nothing is POSTed anywhere, and it is not opened again.
func TestFault142_ConnectionIsRedirected(t *testing.T) {
	for name, before := range map[string]func(w coretest.MCP, x engine.ExchangeID){
		"before it is open": func(coretest.MCP, engine.ExchangeID) {},
		"while connecting": func(w coretest.MCP, x engine.ExchangeID) {
			w.Input("open", func(c *mcp.Client, now engine.Time) { c.SourceOpened(now, x) })
		},
		"after the endpoint": func(w coretest.MCP, x engine.ExchangeID) {
			w.Input("open", func(c *mcp.Client, now engine.Time) { c.SourceOpened(now, x) })
			w.Input("endpoint",
				func(c *mcp.Client, now engine.Time) {
					c.SourceEvent(
						now, x, []byte("endpoint"), []byte("/post"), nil)
				})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := coretest.NewMCP(t, mcp.Config{EventSource: true, Revision: "2024-11-05"})
			w.Start()
			x := sourced(t, w)
			before(w, x)
			redirects(w, x)
			if f := failedWith(w); f == nil || f.Code != engine.CodeHTTP || f.Status != 300 {
				t.Fatalf("it ends with %v\n%s", f, w.Log())
			}
			w.Advance(3_600_000)
			if w.Open() != 0 || w.NextDeadline() >= 0 || len(w.Effects) > 0 {
				t.Fatalf("the client goes on\n%s", w.Log())
			}
		})
	}
}

// Fault 142: a call on such a connection that was open may have run.
func TestFault142_OpenConnectionIsRedirected(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{EventSource: true, Revision: "2024-11-05"})
	w.Start()
	x := sourced(t, w)
	says := func(kind, data string) {
		w.Input(kind,
			func(c *mcp.Client, now engine.Time) { c.SourceEvent(now, x, []byte(kind), []byte(data), nil) })
	}
	w.Input("open", func(c *mcp.Client, now engine.Time) { c.SourceOpened(now, x) })
	says("endpoint", "/post")
	post := w.Fetched()
	w.Head(post, 202)
	says("message", coretest.Result(coretest.RequestID(w.Request(post)),
		`{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"w","version":"1"}}`))
	w.Head(w.Fetched(), 202)
	id, _ := w.Call("tools/call", `{"name":"t"}`, mcp.CallOptions{})
	w.Head(w.Fetched(), 202)
	redirects(w, x)
	settled := w.Settled(id)
	if settled == nil || settled.Failure == nil || settled.Failure.Code != engine.CodeOutcomeUnknown {
		t.Fatalf("the call is not of unknown outcome\n%s", w.Log())
	}
	if !strings.Contains(w.Log(), `{"state":"failed"}`) {
		t.Fatalf("the client has not failed\n%s", w.Log())
	}
}

// Fault 142: the stream for unasked messages is given up, and the client, whose
// requests go where they should, works on.
func TestFault142_ListenIsRedirected(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{EventSource: true, Revision: "2025-03-26"})
	w.Start()
	initialized := w.AnswerInitialize(w.Fetched(), "2025-03-26", "")
	x := sourced(t, w)
	w.End(initialized, engine.EndClean)
	w.Input("open", func(c *mcp.Client, now engine.Time) { c.SourceOpened(now, x) })
	redirects(w, x)
	if told := w.Log(); !strings.Contains(told, `"what":"redirected_stream"`) ||
		!strings.Contains(told, `{"state":"off"}`) {
		t.Fatalf("it is not told\n%s", told)
	}
	w.Input("late", func(c *mcp.Client, now engine.Time) {
		c.SourceEvent(now, x, []byte("message"),
			[]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`), nil)
	})
	if len(w.Effects) > 0 {
		t.Fatalf("what came of it is delivered\n%s", w.Log())
	}
	w.Advance(3_600_000)
	if w.Open() != 0 {
		t.Fatalf("it is opened again\n%s", w.Log())
	}
	w.Call("ping", "", mcp.CallOptions{})
	w.Fetched()
}
