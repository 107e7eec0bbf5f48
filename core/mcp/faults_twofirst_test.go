package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// firstPage is a page that has made its first handshake, and a call on which its server asks
// something.
func firstPage(t *testing.T, session string, epoch uint32, asks string) coretest.MCP {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true, Epoch: epoch,
		Handles: []string{"elicitation/create"}})
	w.Start()
	w.AnswerInitialize(w.Newest(), "2025-11-25", session)
	store(w)
	w.Call("tools/call", `{"name":"of `+session+`"}`, mcp.CallOptions{Durable: true, Connected: true})
	store(w)
	x := w.Newest()
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x,
		coretest.Message("e1", `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"`+
			asks+`"}}`))
	store(w)
	return w
}

// Fault 522: two pages are opened at once, and a server that starts takes more than 3 s for the
// first handshake (web/src/tabs/handshakes.ts, PATIENCE): each makes a session of its own.
// Both end. The next page goes on in one of the sessions: with its own call alone, and
// what was answered in the other one goes nowhere.
func TestFault522_TwoFirstHandshakes(t *testing.T) {
	a, b := firstPage(t, "sA", 1, "Your name?"), firstPage(t, "sB", 2, "Delete all?")
	b.Input("respond",
		func(m *mcp.Client, now engine.Time) { m.Respond(now, 1, true, []byte(`{"action":"accept"}`)) })
	store(b) // it is stored, and the page ends before the server has it
	a.Store.Join(b.Store)
	a.Reload()
	a.Start()
	for range 3 {
		store(a)
		if d := a.NextDeadline(); d >= 0 && d < 1000 {
			a.Advance(d)
		}
	}
	for _, x := range a.UnderWay() {
		if r := a.Request(x); slices.Contains(r.Header, engine.Field{Name: "Mcp-Session-Id", Value: "sA"}) &&
			strings.Contains(string(r.Body), "accept") {
			t.Errorf("what was answered in session sB goes to session sA, which asks something else under "+
				"that id: %s", r.Body)
		}
	}
	if n := strings.Count(a.Log(), "GET Mcp-Session-Id=sA"); n != 1 {
		t.Errorf("%d streams are resumed in session sA, one of which is its own\n%s", n, a.Log())
	}
}

// serverRow is the handshake of another tab.
func serverRow(number uint64, session string) []byte {
	plain, secret := journal.AppendServer(&journal.Server{Handshake: number, Revision: "2025-11-25",
		Result: []byte(
			`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"rig","version":"1"}}`),
		HasSession: true, Session: session})
	return journal.AppendOp(nil, journal.Op{Kind: journal.OpServer, Plain: plain, Secret: secret})
}

// handshakes are the numbers and sessions of the handshakes that a store has.
func handshakes(t *testing.T, w coretest.MCP) (numbers []uint64, sessions []string) {
	t.Helper()
	ops := journal.ReadOps(w.Store.Loaded())
	for op, ok := ops.Next(); ok; op, ok = ops.Next() {
		if op.Kind != journal.OpServer {
			continue
		}
		s, err := journal.ParseServer(op.Plain, op.Secret)
		if err != nil {
			t.Fatal(err)
		}
		numbers, sessions = append(numbers, s.Handshake), append(sessions, s.Session)
	}
	return numbers, sessions
}

// Fault 522: the page that hears of the other one's first handshake stays in its own session, in
// which its call can be resumed; and of two pages that each make the next session neither takes
// the other's number.
func TestFault522_TwoOfOneRound(t *testing.T) {
	var made []uint64
	for epoch := uint32(1); epoch < 4; epoch++ {
		w := firstPage(t, "sA", epoch, "Your name?")
		w.Input("session", func(m *mcp.Client, now engine.Time) { m.Restore(now, serverRow(7, "s7")) })
		numbers, sessions := handshakes(t, w)
		if made = append(made, numbers...); !slices.Equal(sessions, []string{"sA"}) {
			t.Errorf("stored are the sessions %q", sessions)
		}
		w.Call("tools/list", ``, mcp.CallOptions{})
		if x := w.Newest(); !slices.Contains(w.Request(x).Header,
			engine.Field{Name: "Mcp-Session-Id", Value: "sA"}) {
			t.Errorf("it leaves in another session\n%s", w.Log())
		}
		w.Advance(2000)
		w.Head(w.Newest(), 404)
		w.Input("lease", (*mcp.Client).Handshake)
		w.AnswerInitialize(w.Newest(), "2025-11-25", "sA2")
		store(w)
		numbers, _ = handshakes(t, w)
		made = append(made, numbers...)
	}
	slices.Sort(made)
	if len(slices.Compact(made)) != 6 {
		t.Errorf("the handshakes of three pages, two each, have the numbers %d", made)
	}
}
