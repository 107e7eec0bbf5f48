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

// later is the number of a handshake that another tab makes once the first session is gone.
const later = 512 + 2

// Fault 523: another tab has found the session gone, has made the next, and a call in it. This
// tab hears of the call before it hears of the session. It goes on in that session all the same.
func TestFault523_CallBeforeItsSession(t *testing.T) {
	for _, callFirst := range []bool{false, true} {
		w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
		w.Handshake("2025-11-25")
		store(w)
		sent := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{33554433, later}})
		session := func() {
			w.Input("session",
				func(m *mcp.Client, now engine.Time) { m.Restore(now, serverRow(later, "s3")) })
		}
		if !callFirst {
			session()
		}
		changed(w, 33554433, 1, 0, sent)
		if callFirst {
			session()
		}
		w.Call("tools/call", `{"name":"mine"}`, mcp.CallOptions{Durable: true, Connected: true})
		store(w)
		if !strings.Contains(w.Log(), `fetch x3 POST Mcp-Session-Id=s3`) {
			t.Errorf("call first: %t: this tab stays in the session that is gone\n%s", callFirst, w.Log())
		}
	}
}

// Fault 523: the same; then the other tab ends, and this one takes its call over: its stream is
// continued in the session that it belongs to.
func TestFault523_TakesOverInTheSessionOfTheCall(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	w.Handshake("2025-11-25")
	store(w)
	sent := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{33554433, later}})
	sent = journal.AppendEntry(sent, journal.Entry{Kind: journal.Sealed})
	changed(w, 33554433, 1, 0, sent)
	w.Input("session", func(m *mcp.Client, now engine.Time) { m.Restore(now, serverRow(later, "s3")) })
	// taken over, with its secrets
	head := journal.AppendHead(nil, &journal.Head{Method: "tools/call", Params: []byte(`{"name":"work"}`)})
	ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Flags: journal.OpOwned, Call: 33554433,
		Epoch: 2, Plain: head})
	ops = journal.AppendOp(ops, journal.Op{Kind: journal.OpLog, Call: 33554433, Epoch: 1, N: 1, Plain: sent,
		Secret: journal.AppendEntry(nil, journal.Entry{Kind: journal.Cursor, Data: []byte("e7")})})
	w.Input("taken over", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
	for range 4 {
		store(w)
		if d := w.NextDeadline(); d >= 0 {
			w.Advance(d)
		}
	}
	if !strings.Contains(w.Log(), `GET Mcp-Session-Id=s3`) {
		t.Errorf("it is resumed elsewhere\n%s", w.Log())
	}
}

// Fault 523: the same; then this tab lists the server's tools, and stores them beside the session: that
// is the one which is there, and not the one which is gone under its number.
func TestFault523_StoredUnderItsOwnNumber(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	w.Handshake("2025-11-25")
	store(w)
	changed(w, 33554433, 1, 0, journal.AppendEntry(nil,
		journal.Entry{Kind: journal.Sent, N: [3]uint64{33554433, later}}))
	w.Input("session", func(m *mcp.Client, now engine.Time) { m.Restore(now, serverRow(later, "s3")) })
	w.Input("tools", func(m *mcp.Client, now engine.Time) { m.Tools(now, []byte(`{"tools":{"a":{}}}`)) })
	store(w)
	if numbers, sessions := handshakes(t, w); !slices.Equal(numbers, []uint64{later}) ||
		!slices.Equal(sessions, []string{"s3"}) {
		t.Errorf("stored are the handshakes %d with the sessions %q", numbers, sessions)
	}
}
