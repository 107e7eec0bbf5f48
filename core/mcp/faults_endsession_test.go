package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// withSession returns a world with a journal whose client is open in session s1,
// which is stored.
func withSession(t *testing.T) coretest.MCP {
	t.Helper()
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Handshake("2025-11-25")
	w.Stored(journal.ResultOK, 0)
	return w
}

func closes(w coretest.MCP) { w.Input("close", (*mcp.Client).Close) }

// deleted reports whether a DELETE left with the last input.
func deleted(w coretest.MCP) bool {
	for _, x := range w.Fetches() {
		if w.Request(x).Method == "DELETE" {
			return true
		}
	}
	return false
}

// opensWith starts the next page and returns the body of its first request; ""
// where it goes on in a stored session.
func opensWith(w coretest.MCP) string {
	w.Reload()
	w.Start()
	for _, x := range w.Fetches() {
		return string(w.Request(x).Body)
	}
	return ""
}

// Fault 138: the session is out of the store before the DELETE leaves: whoever
// connects then, however soon, makes a new one.
func TestFault138_SessionLeavesTheStoreFirst(t *testing.T) {
	w := withSession(t)
	closes(w)
	if deleted(w) {
		t.Fatalf("the DELETE leaves while the session is stored\n%s", w.Log())
	}
	w.Stored(journal.ResultOK, 0)
	if !deleted(w) {
		t.Fatalf("no DELETE leaves\n%s", w.Log())
	}
	if body := opensWith(w); !strings.Contains(body, `"initialize"`) {
		t.Fatalf("the next page uses the session that is ended: it begins with %q\n%s", body, w.Log())
	}
	x := w.Fetched()
	w.End(w.AnswerInitialize(x, "2025-11-25", "s2"), engine.EndClean)
	w.Stored(journal.ResultOK, 0)
	if body := opensWith(w); body != "" {
		t.Fatalf("the session after it is not stored: a page begins with %q\n%s", body, w.Log())
	}
}

// Fault 138: a page that has read the session meanwhile, in another tab or in
// this one, keeps it: the host says so instead of storing its end.
func TestFault138_AnotherPageUsesTheSession(t *testing.T) {
	w := withSession(t)
	closes(w)
	w.Input("close keeping the session", (*mcp.Client).CloseKeepingSession)
	if n := w.Open(); n != 0 {
		t.Fatalf("%d exchanges are open\n%s", n, w.Log())
	}
	w.Store = &coretest.Store{}
	for _, input := range []func(*mcp.Client, engine.Time){
		(*mcp.Client).CloseKeepingSession, (*mcp.Client).Close} {
		if effects := w.Input("again", input); len(effects) > 0 {
			t.Fatalf("a client that is closed does something\n%s", w.Log())
		}
	}
	w.Advance(10_000)
	if deleted(w) {
		t.Fatalf("the session is deleted\n%s", w.Log())
	}
}

// Fault 138: a store that does not take the end of the session keeps a living
// one: it is not deleted, whether the commit fails, hangs, or nothing had been
// stored for long.
func TestFault138_EndIsNotStored(t *testing.T) {
	for name, fails := range map[string]func(w coretest.MCP){
		"refused": func(w coretest.MCP) { w.Stored(journal.ResultFailed, durable.ReasonLost) },
		"full":    func(w coretest.MCP) { w.Stored(journal.ResultQuota, 0) },
		"hangs":   func(w coretest.MCP) { w.Advance(2_000) },
	} {
		t.Run(name, func(t *testing.T) {
			w := withSession(t)
			closes(w)
			fails(w)
			if deleted(w) || w.Open() != 0 {
				t.Fatalf("the session that is stored is deleted\n%s", w.Log())
			}
			if !strings.Contains(w.Log(), `{"state":"closed"}`) {
				t.Fatalf("the client is not closed\n%s", w.Log())
			}
			if body := opensWith(w); body != "" {
				t.Fatalf("the next page begins with %q\n%s", body, w.Log())
			}
		})
	}
	t.Run("failed before", func(t *testing.T) {
		w := withSession(t)
		w.Input("store gone", func(c *mcp.Client, now engine.Time) { c.StoreGone(now, durable.ReasonLost) })
		closes(w)
		if deleted(w) {
			t.Fatalf("the session that is stored is deleted\n%s", w.Log())
		}
	})
	t.Run("never stored", func(t *testing.T) {
		w := coretest.NewMCP(t, mcp.Config{NoListen: true})
		w.Handshake("2025-11-25")
		closes(w)
		if !deleted(w) {
			t.Fatalf("no DELETE leaves\n%s", w.Log())
		}
	})
}

// Fault 138: DELETE is never sent while a call that goes on without this client
// uses the session, whichever tab carries it; one that has its outcome does not.
func TestFault138_CallsOfTheSession(t *testing.T) {
	for name, c := range map[string]struct {
		begin  func(w coretest.MCP)
		delete bool
	}{
		"a call of this page":    {begin: func(w coretest.MCP) { durableCall(w) }},
		"a call of another page": {begin: func(w coretest.MCP) { w.Input("told", followed) }},
		"one that is not kept": {begin: func(
			w coretest.MCP) {
			w.Call("tools/call", `{"name":"t"}`, mcp.CallOptions{})
		}, delete: true},
		"one with its outcome": {begin: func(w coretest.MCP) {
			x := durableCall(w)
			w.Head(x, 200, "content-type", coretest.JSON)
			w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)), `{"content":[]}`))
			w.End(x, engine.EndClean)
			w.Stored(journal.ResultOK, 0)
		}, delete: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := withSession(t)
			c.begin(w)
			closes(w)
			for w.Store.Flying() != 0 && !deleted(w) {
				w.Stored(journal.ResultOK, 0)
			}
			if deleted(w) != c.delete {
				t.Fatalf("DELETE: %t, want %t\n%s", deleted(w), c.delete, w.Log())
			}
		})
	}
}

// durableCall makes a call that is kept, and returns the exchange that carries it.
func durableCall(w coretest.MCP) engine.ExchangeID {
	w.Call("tools/call", `{"name":"t"}`, mcp.CallOptions{Durable: true, Connected: true})
	w.Stored(journal.ResultOK, 0)
	return w.Fetched()
}

// followed tells a client of a call that another tab has begun.
func followed(c *mcp.Client, now engine.Time) {
	head := journal.AppendHead(nil, &journal.Head{Method: "tools/call", Params: []byte(`{"name":"t"}`)})
	c.Restore(now,
		journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Call: 9<<24 + 2, Epoch: 1, Plain: head}))
}
