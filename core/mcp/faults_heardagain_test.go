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

// Fault 528: a tab has told its app of events that it has not stored. The call changes hands, comes
// back, and is run again. The app hears what the new run asks.
func TestFault528_HeardOfAnotherRun(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Revision: "2026-07-28", Journal: true, NoListen: true, Tabs: true})
	w.Start()
	answer := func(x engine.ExchangeID, body string) {
		w.Head(x, 200, "content-type", coretest.JSON)
		w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)), body))
		w.End(x, engine.EndClean)
	}
	answer(w.Fetched(), `{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
	w.Stored(journal.ResultOK, 0)
	c, _ := w.Call("tools/call", `{"name":"work"}`,
		mcp.CallOptions{Durable: true, Connected: true, Flags: journal.Idempotent})
	w.Stored(journal.ResultOK, 0)
	x := w.Fetched()
	id := coretest.RequestID(w.Request(x))
	w.Head(x, 200, "content-type", coretest.Stream)
	for n := range 3 {
		w.Chunk(x, coretest.Message("", coretest.Progress(id, n+1)))
	}
	// its commit is slow: three events told, none stored
	sent := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{16777218, 1}})
	record := uint64(16777218)
	changed(w, record, 2, 0, sent)
	w.Stored(journal.ResultOK, 0) // behind the seal
	changed(w, record, 3, journal.OpOwned, sent)
	before := w.Newest()
	for range 10 {
		if w.Newest() != before {
			break
		}
		if w.Store.Flying() != 0 {
			w.Stored(journal.ResultOK, 0)
		}
		if d := w.NextDeadline(); d >= 0 && w.Newest() == before {
			w.Advance(d)
		}
	}
	if !strings.Contains(w.Log(), "restarted") {
		t.Fatalf("not run again\n%s", w.Log())
	}
	answer(w.Newest(), `{"resultType":"input_required",`+
		`"inputRequests":{"name":{"method":"elicitation/create","params":{"message":"who?"}}}}`)
	store(w)
	if n := strings.Count(w.Log(), fmt.Sprintf("deliver c%d #4 input", c)); n != 1 {
		t.Errorf("the app is asked %d times\n%s", n, w.Log())
	}
}

// Fault 528: the same without another run. The segments of a task's result come again, and the progress
// between them does not. Each segment is told once.
func TestFault528_HeardSegments(t *testing.T) {
	r := connected(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	r.store()
	o := r.tool(mcp.CallOptions{})
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.event("", coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000},`+
		members([]int{1}, "")))
	o.event("", coretest.Progress(o.id, 1))
	o.event("", coretest.Result(o.id, partial("", 2)))
	o.wantSegments(2)
	// none of it is stored yet, but for another tab's epoch: it has the id of the task
	head := journal.AppendHead(nil, &journal.Head{Method: "tools/call", Params: []byte(`{"name":"work"}`)})
	row := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{16777218, 1}})
	row = journal.AppendEntry(row, journal.Entry{Kind: journal.Task, N: [3]uint64{1, 2}})
	row = journal.AppendEntry(row, journal.Entry{Kind: journal.Sealed})
	secret := journal.AppendEntry(nil, journal.Entry{Kind: journal.TaskID, Data: []byte("T")})
	change := func(epoch uint32, flags journal.OpFlags) {
		ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Flags: flags, Call: 16777218,
			Epoch: epoch, Plain: head})
		ops = journal.AppendOp(ops, journal.Op{Kind: journal.OpLog, Call: 16777218, Epoch: 1, N: 1,
			Plain: row, Secret: secret})
		o.input("changed hands", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
	}
	change(2, 0)
	o.store()
	change(3, journal.OpOwned)
	o.store()
	o.calls[o.c].recalled = true
	for range 6 {
		if x := o.waits("tasks/continue"); x != 0 {
			o.json(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(o.Exchange(x).Request)+
				`,"error":{"code":-32601,"message":"no"}}`)
		}
		if x := o.waits("tasks/result"); x != 0 {
			o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), partial("", 1, 2, 3)))
			break
		}
		if d := o.NextDeadline(); d >= 0 {
			o.Advance(d)
		}
		o.store()
	}
	for _, segment := range []string{`"s1"`, `"s2"`, `"s3"`} {
		o.wantTold(engine.EventSegment, segment, 1)
	}
}
