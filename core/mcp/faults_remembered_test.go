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

// carried is a client that has carried a call to its end, and what of it is stored.
func carried(t *testing.T, flags journal.Flags, alone bool, body string) (w coretest.MCP, c engine.CallID) {
	w = coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	w.Handshake("2025-11-25")
	store(w)
	w.Input("alone", func(m *mcp.Client, now engine.Time) { m.Alone(now, alone) })
	c, _ = w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true, Flags: flags})
	store(w)
	x := w.Newest()
	id := coretest.RequestID(w.Request(x))
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, coretest.Message("1", coretest.Progress(id, 1)))
	store(w)
	if body == "" {
		w.Chunk(x, coretest.Message("2", `{"jsonrpc":"2.0","id":`+id+
			`,"error":{"code":-32000,"message":"no"}}`))
	} else {
		w.Chunk(x, coretest.Message("2", coretest.Result(id, body)))
	}
	w.End(x, engine.EndClean)
	store(w)
	return w, c
}

func remembered(w coretest.MCP, c engine.CallID) (ops []byte) {
	w.Input("asked", func(m *mcp.Client, now engine.Time) { ops = m.Remembered(now, 16777218) })
	return ops
}

// Fault 790: who has carried a call remembers how it ended for 60 s, whether the app has had it yet or not,
// where being handed over acknowledges it, and up to the logout. A tab that follows it and knows less is told
// so.
func TestFault790_Remembered(t *testing.T) {
	for _, alone := range []bool{false, true} {
		for _, body := range []string{`{"content":[],"structuredContent":{"n":7}}`, ""} {
			w, c := carried(t, 0, alone, body)
			ops := remembered(w, c)
			w.Input("handed", func(m *mcp.Client, now engine.Time) { m.Handed(now, c) })
			store(w)
			if again := remembered(w, c); len(ops) == 0 || string(again) != string(ops) {
				t.Fatalf("before it was handed over %q, after that %q", ops, again)
			}
			w.Advance(59_999)
			if len(remembered(w, c)) == 0 {
				t.Error("forgotten before 60 s are over")
			}
			w.Advance(1)
			if len(remembered(w, c)) != 0 {
				t.Error("remembered after 60 s")
			}

			f := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
			f.Handshake("2025-11-25")
			store(f)
			sent := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{16777218, 1}})
			changed(f, 16777218, 1, 0, sent)
			f.Input("told", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
			want := `result {"content":[],"structuredContent":{"n":7}}`
			if body == "" {
				want = `"message":"no"`
			}
			if log := f.Log(); !strings.Contains(log, want) ||
				!strings.Contains(log, `{"events":1,"from":1,"to":1}`) ||
				strings.Contains(log, "acknowledged") {
				t.Errorf("alone: %t\n%s", alone, log)
			}
		}
	}
}

// Fault 790: of a call that the app acknowledges itself, or whose user has logged out, nobody is told.
func TestFault790_NotRemembered(t *testing.T) {
	w, c := carried(t, journal.ManualAck, false, `{}`)
	if got := remembered(w, c); len(got) != 0 {
		t.Errorf("the app acknowledges it itself: %q", got)
	}
	w, c = carried(t, 0, false, `{}`)
	w.Input("logout", func(m *mcp.Client, now engine.Time) { m.StoreGone(now, durable.ReasonClosed) })
	if got := remembered(w, c); len(got) != 0 {
		t.Errorf("its user has logged out: %q", got)
	}
}

// Fault 790: what is remembered is bounded: the oldest goes, and what is larger than all of it is not kept.
func TestFault790_RemembersSoMuch(t *testing.T) {
	w, c := carried(t, 0, false, `{"content":[],"x":"`+strings.Repeat("x", 4<<20)+`"}`)
	if got := remembered(w, c); len(got) != 0 {
		t.Errorf("%d bytes", len(got))
	}
}
