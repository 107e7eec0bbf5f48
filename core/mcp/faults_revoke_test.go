package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// refusedToken returns a world whose provider is asked for the next token, since the last was refused, and a
// call that was made before.
func refusedToken(t *testing.T, cfg mcp.Config) coretest.MCP {
	cfg.Journal, cfg.NoListen, cfg.HasTokenProvider, cfg.Wall = true, true, true, 1_790_000_000_000
	w := coretest.NewMCP(t, cfg)
	w.Start()
	signIn(w)
	w.AnswerInitialize(w.Newest(), "2025-11-25", "s1")
	store(w)
	w.Call("tools/call", `{"name":"before"}`, mcp.CallOptions{Durable: true, Connected: true})
	store(w)
	w.Head(w.Newest(), 401)
	store(w)
	return w
}

// revoke takes back a call.
func revoke(w coretest.MCP, id engine.CallID) {
	w.Input("revoke", func(c *mcp.Client, now engine.Time) { c.Revoke(now, id) })
}

// leaves counts how often a request with that text has left, from all pages.
func leaves(w coretest.MCP, text string) (n int) {
	for line := range strings.Lines(w.Log()) {
		if strings.HasPrefix(strings.TrimSpace(line), "fetch ") && strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// Fault 452: the provider is asked for a token, and what it gives is another user's. What was made meanwhile
// is in the store by then: no later page of the last user's finds it, and sends it with their token.
func TestFault452_NoLaterPageSendsIt(t *testing.T) {
	for name, o := range map[string]mcp.CallOptions{
		"stored":           {Connected: true},
		"with a key":       {Connected: true, Key: "k"},
		"harmless":         {Connected: true, Flags: journal.ReadOnly},
		"for a connection": {},
	} {
		for _, landed := range []bool{true, false} {
			for _, alone := range []bool{true, false} {
				t.Run(name, func(t *testing.T) {
					w := refusedToken(t, mcp.Config{Scarce: !o.Connected})
					w.Input("alone", func(c *mcp.Client, now engine.Time) { c.Alone(now, alone) })
					o.Durable = true
					id, _ := w.Call("tools/call", `{"name":"between"}`, o)
					w.Advance(2_000)
					if landed {
						store(w)
					}
					revoke(w, id)
					w.Input("close", (*mcp.Client).CloseKeepingSession)
					store(w)
					if n := strings.Count(w.Log(), fmt.Sprintf("settle c%d closed", id)); n != 1 {
						t.Fatalf("it ended %d times\n%s", n, w.Log())
					}
					w.Reload()
					w.Start()
					signIn(w)
					store(w)
					w.Advance(10_000)
					store(w)
					if leaves(w, "between") != 0 {
						t.Fatalf("the next page has sent it\n%s", w.Log())
					}
				})
			}
		}
	}
}

// Fault 452: one of several pages of a client is another user's, which shows while the token is asked for.
// Calls that this page has made meanwhile end, and leave with no token. Calls of other pages, and earlier
// calls, continue.
func TestFault452_OneOfSeveralPages(t *testing.T) {
	w := refusedToken(t, mcp.Config{})
	theirs, _ := w.Call("tools/call", `{"name":"theirs"}`, mcp.CallOptions{Durable: true, Connected: true})
	w.Call("tools/call", `{"name":"ours"}`, mcp.CallOptions{Durable: true, Connected: true})
	w.Input("notify", func(c *mcp.Client, now engine.Time) {
		revoked := c.Notify(now, "notifications/theirs", nil, mcp.CallOptions{})
		c.Revoke(now, revoked)
	})
	store(w)
	revoke(w, theirs)
	revoke(w, theirs) // once more is nothing
	for id := engine.CallID(1); id < theirs; id++ {
		revoke(w, id) // made before: it goes on
	}
	signIn(w)
	store(w)
	if leaves(w, `"theirs"`) != 0 || leaves(w, "notifications/theirs") != 0 || leaves(w, `"ours"`) != 1 ||
		leaves(w, `"before"`) != 2 {
		t.Fatalf("what has left is wrong\n%s", w.Log())
	}
	w.Reload()
	w.Start()
	signIn(w)
	store(w)
	if leaves(w, `"theirs"`) != 0 {
		t.Fatalf("the next page has sent it\n%s", w.Log())
	}
}

// Fault 452: once the token is there the calls are the user's.
func TestFault452_AnsweredIsTheUsers(t *testing.T) {
	w := refusedToken(t, mcp.Config{})
	id, _ := w.Call("tools/call", `{"name":"between"}`, mcp.CallOptions{Durable: true, Connected: true})
	store(w)
	signIn(w)
	revoke(w, id)
	store(w)
	if leaves(w, "between") != 1 || strings.Contains(w.Log(), fmt.Sprintf("settle c%d", id)) {
		t.Fatalf("it has not left, or ended\n%s", w.Log())
	}
}
