package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// loggedOut tells the client that all of its user is deleted, in whatever page.
func loggedOut(w coretest.MCP) {
	w.Input("logged out", func(c *mcp.Client, now engine.Time) { c.StoreGone(now, durable.ReasonClosed) })
}

// ofUser is a client with a session, whose calls wait for connections where scarce.
func ofUser(t *testing.T, scarce bool) coretest.MCP {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Scarce: scarce,
		Wall: 1_790_000_000_000})
	w.Handshake("2025-11-25")
	store(w)
	return w
}

// waits has what a call may wait for when its user logs out, and what becomes of it.
var waits = map[string]struct {
	code  string
	until func(t *testing.T) (coretest.MCP, engine.CallID)
}{
	"a connection": {"unsent", func(t *testing.T) (coretest.MCP, engine.CallID) {
		w := ofUser(t, true)
		id, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true})
		store(w)
		return w, id
	}},
	"a session": {"unsent", func(t *testing.T) (coretest.MCP, engine.CallID) {
		w := ofUser(t, false)
		w.Call("ping", "", mcp.CallOptions{})
		w.Head(w.Newest(), 404)
		id, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true, Connected: true})
		store(w)
		return w, id
	}},
	"a token": {"unsent", func(t *testing.T) (coretest.MCP, engine.CallID) {
		w := refusedToken(t, mcp.Config{})
		id, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true, Connected: true})
		store(w)
		return w, id
	}},
	"a sign-in, refused": {"unsent", func(t *testing.T) (coretest.MCP, engine.CallID) {
		w, id := refusedCall(t)
		w.Head(w.Newest(), 401)
		store(w)
		return w, id
	}},
	"a commit": {"unsent", func(t *testing.T) (coretest.MCP, engine.CallID) {
		w := ofUser(t, false)
		id, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true, Connected: true})
		return w, id
	}},
	"the store's word on its key": {"unsent", func(t *testing.T) (coretest.MCP, engine.CallID) {
		w := ofUser(t, false)
		id, _ := w.Call("tools/call", `{"name":"pay"}`,
			mcp.CallOptions{Durable: true, Connected: true, Key: "k"})
		return w, id
	}},
	"a resume": {"outcome_unknown", func(t *testing.T) (coretest.MCP, engine.CallID) {
		w, id := streaming(t)
		w.End(w.Newest(), engine.EndNetwork)
		return w, id
	}},
	"input": {"outcome_unknown", func(t *testing.T) (coretest.MCP, engine.CallID) {
		w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Revision: "2026-07-28"})
		w.Start()
		w.Head(w.Newest(), 200, "content-type", "application/json")
		w.Chunk(w.Newest(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",`+
			`"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s",`+
			`"version":"1"}}}`, coretest.RequestID(w.Request(w.Newest()))))
		w.End(w.Newest(), engine.EndClean)
		store(w)
		id, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true, Connected: true})
		store(w)
		w.Head(w.Newest(), 200, "content-type", "application/json")
		w.Chunk(w.Newest(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required",`+
			`"inputRequests":{"q":{"method":"elicitation/create","params":{}}}}}`,
			coretest.RequestID(w.Request(w.Newest()))))
		w.End(w.Newest(), engine.EndClean)
		store(w)
		if !strings.Contains(w.Log(), "inputRequests") {
			t.Fatalf("nobody is asked\n%s", w.Log())
		}
		return w, id
	}},
}

// streaming is a client with a call on a stream that could be resumed.
func streaming(t *testing.T) (coretest.MCP, engine.CallID) {
	w := ofUser(t, false)
	id, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true, Connected: true})
	store(w)
	w.Head(w.Newest(), 200, "content-type", "text/event-stream")
	w.Chunk(w.Newest(), "id: a1\ndata: \n\n")
	store(w)
	return w, id
}

// passes has whatever might send something happen after a logout. The host's contract has it that nothing
// begins.
func passes(t *testing.T, w coretest.MCP) {
	t.Helper()
	from := len(w.Log())
	w.Input("online", (*mcp.Client).Online)
	w.Input("visited", (*mcp.Client).Visited)
	signIn(w)
	again, _ := w.Call("tools/call", `{"name":"again"}`, mcp.CallOptions{Durable: true, Connected: true})
	w.Advance(600_000)
	log := w.Log()[from:]
	if strings.Contains(log, "fetch ") || !strings.Contains(log, fmt.Sprintf("settle c%d unsent", again)) {
		t.Errorf("behind the logout\n%s", w.Log())
	}
}

// Fault 718: what has not left when its user logs out ends unsent, whatever it waits for; of what has left
// and has nothing open nobody knows what has come. Nothing begins behind it, and the client says that it is
// idle.
func TestFault718_WhateverACallWaitsFor(t *testing.T) {
	for name, row := range waits {
		t.Run(name, func(t *testing.T) {
			w, id := row.until(t)
			from := len(w.Log())
			loggedOut(w)
			log := w.Log()[from:]
			if strings.Count(log, fmt.Sprintf("settle c%d %s", id, row.code)) != 1 ||
				strings.Count(log, `"idle":true`) != 1 {
				t.Fatalf("want %s, and a client that is idle\n%s", row.code, w.Log())
			}
			passes(t, w)
		})
	}
}

// Fault 718: a call under way is read to the end of its open stream. It has its result, or, once that is cut,
// nobody knows, and nothing is resumed. It can be cancelled.
func TestFault718_UnderWayIsReadToItsEnd(t *testing.T) {
	for _, way := range []string{"result", "outcome_unknown", "cancelled"} {
		t.Run(way, func(t *testing.T) {
			w, id := streaming(t)
			loggedOut(w)
			x := w.Newest()
			switch way {
			case "result":
				w.Chunk(x, fmt.Sprintf("id: a2\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n",
					coretest.RequestID(w.Request(x))))
			case "outcome_unknown":
				w.End(x, engine.EndNetwork)
			case "cancelled":
				w.Input("cancel", func(c *mcp.Client, now engine.Time) { c.Cancel(now, id, "") })
				if leaves(w, "notifications/cancelled") != 1 {
					t.Fatalf("the server does not hear of it\n%s", w.Log())
				}
			}
			if !strings.Contains(w.Log(), fmt.Sprintf("settle c%d %s", id, way)) {
				t.Fatalf("want %s\n%s", way, w.Log())
			}
			passes(t, w)
			closes(w)
			if !deleted(w) {
				t.Errorf("no DELETE leaves\n%s", w.Log())
			}
		})
	}
}

// Fault 718: a page that keeps nothing, and one that is still connecting.
func TestFault718_NothingStored(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{NoListen: true, Scarce: true})
	w.Handshake("2025-11-25")
	w.Call("ping", "", mcp.CallOptions{})
	w.Head(w.Newest(), 404)
	id, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{})
	loggedOut(w)
	if !strings.Contains(w.Log(), fmt.Sprintf("settle c%d unsent", id)) {
		t.Errorf("it is not unsent\n%s", w.Log())
	}
	passes(t, w)

	w = coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Start()
	loggedOut(w)
	if !strings.Contains(w.Log(), `state {"state":"failed"}`) {
		t.Errorf("it still connects\n%s", w.Log())
	}
}

// Fault 718: the user logs out in this page: what has not left is unsent, what has is closed with the client,
// and no later page finds either.
func TestFault718_LoggedOutHere(t *testing.T) {
	w, under := streaming(t)
	w.Input("scarce", func(c *mcp.Client, now engine.Time) { c.Scarce(now, true) })
	waits, _ := w.Call("tools/call", `{"name":"later"}`, mcp.CallOptions{Durable: true})
	store(w)
	w.Input("log out", (*mcp.Client).LogOut)
	w.Input("terminate", (*mcp.Client).Terminate)
	store(w)
	for id, code := range map[engine.CallID]string{under: "closed", waits: "unsent"} {
		if strings.Count(w.Log(), fmt.Sprintf("settle c%d %s", id, code)) != 1 {
			t.Errorf("c%d is not %s\n%s", id, code, w.Log())
		}
	}
	if leaves(w, "later") != 0 {
		t.Errorf("it leaves\n%s", w.Log())
	}
}
