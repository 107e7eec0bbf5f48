package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 528: a call has ended, and its end lay behind the seal of a page that has taken it over. What its
// events say is told once all the same.
func TestFault528_EndBehindASeal(t *testing.T) {
	w, id, x := tellsMore(t)
	w.Chunk(x, coretest.Message("e4", coretest.Result(id, `{"content":[]}`)))
	w.End(x, engine.EndClean)
	head := journal.AppendHead(nil, &journal.Head{Method: "tools/call", Params: []byte(`{"name":"work"}`)})
	row := journal.AppendEntry(nil,
		journal.Entry{Kind: journal.Sent, N: [3]uint64{takenRecord, handshakeOf(w)}})
	row = journal.AppendEntry(row,
		journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(engine.EventProgress)},
			Data: []byte(`{"progressToken":16777218,"progress":1}`)})
	row = journal.AppendEntry(row, journal.Entry{Kind: journal.Sealed})
	secret := journal.AppendEntry(nil, journal.Entry{Kind: journal.Cursor, Data: []byte("e1")})
	change := func(epoch uint32, flags journal.OpFlags) {
		ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Flags: flags, Call: takenRecord,
			Epoch: epoch, Plain: head})
		ops = journal.AppendOp(ops, journal.Op{Kind: journal.OpLog, Call: takenRecord, Epoch: 1, N: 1,
			Plain: row, Secret: secret})
		w.Input("changed hands", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
	}
	change(2, 0)
	w.Stored(journal.ResultOK, 0)
	change(3, journal.OpOwned)
	x = goesOn(w)
	w.Chunk(x, coretest.Message("e2", coretest.Progress(id, 2)))
	w.Chunk(x, coretest.Message("e3", coretest.Progress(id, 3)))
	w.Chunk(x, coretest.Message("e4", coretest.Result(id, `{"content":[]}`)))
	store(w)
	for _, event := range []string{`"progress":2`, `"progress":3`} {
		if told := strings.Count(w.Log(), "progress {\"progressToken\":16777218,"+event); told != 1 {
			t.Errorf("%s is told %d times\n%s", event, told, w.Log())
		}
	}
}

// Fault 528: a call that came back has events behind a hole in its positions. The next page is told of all
// that is stored.
func TestFault528_BaseAfterAHole(t *testing.T) {
	w, id, _ := tellsMore(t)
	for _, owned := range []bool{false, true} {
		changesHands(w, owned)
		store(w)
	}
	x := goesOn(w)
	w.Chunk(x, coretest.Message("e2b", coretest.Progress(id, 7)))
	w.Chunk(x, coretest.Message("e3b", coretest.Progress(id, 8)))
	store(w)
	w.Reload()
	if told := w.Log()[strings.LastIndex(w.Log(), "> reload"):]; !strings.Contains(told, `"base":0`) {
		t.Errorf("the next page is told that stored events are gone\n%s", told)
	}
}

// takenRecord names the call of tellsMore.
const takenRecord = 16777218

// tellsMore makes a call, and tells three events of it, of which the first alone is stored.
func tellsMore(t *testing.T) (w coretest.MCP, id string, x engine.ExchangeID) {
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
	w.Chunk(x, coretest.Message("e3", coretest.Progress(id, 3)))
	return w, id, x
}

// changesHands has the client read its call as another tab's, or its own again.
func changesHands(w coretest.MCP, owned bool) {
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

// handshakeOf returns the number of the handshake that is stored.
func handshakeOf(w coretest.MCP) (number uint64) {
	reader := journal.ReadOps(w.Store.Loaded())
	for op, ok := reader.Next(); ok; op, ok = reader.Next() {
		if op.Kind == journal.OpServer {
			s, _ := journal.ParseServer(op.Plain, op.Secret)
			number = s.Handshake
		}
	}
	return number
}

// goesOn lets the call be resumed, and accepts the request for that.
func goesOn(w coretest.MCP) engine.ExchangeID {
	before := w.Newest()
	for range 10 {
		if store(w); w.Newest() != before {
			break
		}
		if d := w.NextDeadline(); d >= 0 {
			w.Advance(d)
		}
	}
	x := w.Newest()
	w.Head(x, 200, "content-type", coretest.Stream)
	return x
}
