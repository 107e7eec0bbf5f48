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

// Fault 528: a call has ended, and its end lay behind the seal of a page that has taken it over. What its events say is
// told once all the same.
func TestFault528_EndBehindASeal(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	w.Handshake("2025-11-25")
	store(w)
	c, _ := w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Connected: true})
	store(w)
	x := w.Newest()
	id := coretest.RequestID(w.Request(x))
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, coretest.Message("e1", coretest.Progress(id, 1)))
	store(w)
	w.Chunk(x, coretest.Message("e2", coretest.Progress(id, 2)))
	w.Chunk(x, coretest.Message("e3", coretest.Progress(id, 3)))
	ended := true
	if ended {
		w.Chunk(x, coretest.Message("e4", coretest.Result(id, `{"content":[]}`)))
		w.End(x, engine.EndClean)
	}
	record := uint64(16777218)
	var number uint64
	ops0 := journal.ReadOps(w.Store.Loaded())
	for op, ok := ops0.Next(); ok; op, ok = ops0.Next() {
		if op.Kind == journal.OpServer {
			s, _ := journal.ParseServer(op.Plain, op.Secret)
			number = s.Handshake
		}
	}
	head := journal.AppendHead(nil, &journal.Head{Method: "tools/call", Params: []byte(`{"name":"work"}`)})
	row := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{16777218, number}})
	row = journal.AppendEntry(row, journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(engine.EventProgress)}, Data: []byte(`{"progressToken":16777218,"progress":1}`)})
	row = journal.AppendEntry(row, journal.Entry{Kind: journal.Sealed})
	secret := journal.AppendEntry(nil, journal.Entry{Kind: journal.Cursor, Data: []byte("e1")})
	change := func(epoch uint32, flags journal.OpFlags) {
		ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Flags: flags, Call: record, Epoch: epoch, Plain: head})
		ops = journal.AppendOp(ops, journal.Op{Kind: journal.OpLog, Call: record, Epoch: 1, N: 1, Plain: row, Secret: secret})
		w.Input("changed hands", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
	}
	change(2, 0)
	w.Stored(journal.ResultOK, 0)
	change(3, journal.OpOwned)
	before := w.Newest()
	for range 10 {
		store(w)
		if w.Newest() != before {
			break
		}
		if d := w.NextDeadline(); d >= 0 {
			w.Advance(d)
		}
	}
	x = w.Newest()
	w.Head(x, 200, "content-type", coretest.Stream)
	for n := 2; n <= 3; n++ {
		w.Chunk(x, coretest.Message(fmt.Sprintf("e%d", n), coretest.Progress(id, n)))
	}
	w.Chunk(x, coretest.Message("e4", coretest.Result(id, `{"content":[]}`)))
	store(w)
	for _, n := range []string{`"progress":2`, `"progress":3`} {
		told := 0
		for _, line := range strings.Split(w.Log(), "\n") {
			if strings.Contains(line, fmt.Sprintf("deliver c%d", c)) && strings.Contains(line, n) {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s told %d times", n, told)
		}
	}
	if t.Failed() {
		t.Log(w.Log())
	}
}

// Fault 528: a call that came back has events behind a hole in its positions. The next page is told of all that is stored.
func TestFault528_BaseAfterAHole(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	w.Handshake("2025-11-25")
	store(w)
	w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Connected: true})
	store(w)
	x := w.Newest()
	id := coretest.RequestID(w.Request(x))
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, coretest.Message("e1", coretest.Progress(id, 1)))
	store(w)
	w.Chunk(x, coretest.Message("e2", coretest.Progress(id, 2)))
	w.Chunk(x, coretest.Message("e3", coretest.Progress(id, 3))) // told, and not stored
	record := uint64(16777218)
	give := func(owned bool) {
		ops, reader := []byte(nil), journal.ReadOps(w.Store.Loaded()) // takes all
		for op, ok := reader.Next(); ok; op, ok = reader.Next() {
			if op.Kind == journal.OpServer {
				continue
			}
			if !owned {
				op.Flags &^= journal.OpOwned
			}
			ops = journal.AppendOp(ops, op)
		}
		w.Input("changed hands", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
	}
	give(false)
	store(w)
	give(true)
	before := w.Newest()
	for range 10 {
		store(w)
		if w.Newest() != before {
			break
		}
		if d := w.NextDeadline(); d >= 0 {
			w.Advance(d)
		}
	}
	x = w.Newest()
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, coretest.Message("e2b", coretest.Progress(id, 7)))
	w.Chunk(x, coretest.Message("e3b", coretest.Progress(id, 8)))
	store(w)
	_ = record
	w.Reload()
	t.Log(w.Log()[strings.LastIndex(w.Log(), "> reload"):])
	if !strings.Contains(w.Log()[strings.LastIndex(w.Log(), "> reload"):], `"base":0`) {
		t.Errorf("base")
	}
}

func takenBack(t *testing.T, stored int, handles ...string) (w coretest.MCP, id string, x engine.ExchangeID) {
	w = coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	w.Handshake("2025-11-25")
	store(w)
	w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Connected: true})
	store(w)
	x = w.Newest()
	id = coretest.RequestID(w.Request(x))
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, coretest.Message("e1", coretest.Progress(id, 1)))
	store(w)
	w.Chunk(x, coretest.Message("e2", coretest.Progress(id, 2)))
	w.Chunk(x, coretest.Message("e3", coretest.Progress(id, 3))) // told, and not stored
	return w, id, x
}

func giveHands(w coretest.MCP, owned bool) {
	ops, reader := []byte(nil), journal.ReadOps(w.Store.Loaded()) // takes all
	for op, ok := reader.Next(); ok; op, ok = reader.Next() {
		if op.Kind == journal.OpServer {
			continue
		}
		if !owned {
			op.Flags &^= journal.OpOwned
		}
		ops = journal.AppendOp(ops, op)
	}
	w.Input("changed hands", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
}

func toldTimes(w coretest.MCP, text string) (told int) {
	for _, line := range strings.Split(w.Log(), "\n") {
		if strings.Contains(line, "deliver c2") && strings.Contains(line, text) {
			told++
		}
	}
	return told
}
