package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// changed has a call change hands while something of it is being stored: the store says that it is
// of that epoch now, this page's where flags are OpOwned, with rows from its log.
func changed(w coretest.MCP, call uint64, epoch uint32, flags journal.OpFlags, rows ...[]byte) {
	head := journal.AppendHead(nil, &journal.Head{Method: "tools/call", Params: []byte(`{"name":"work"}`)})
	ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Flags: flags, Call: call, Epoch: epoch,
		Plain: head})
	for i, plain := range rows {
		ops = journal.AppendOp(ops, journal.Op{Kind: journal.OpLog, Call: call, Epoch: epoch,
			N: uint32(i + 1), Plain: plain})
	}
	w.Input("changed hands", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
}

// storing is a page that stores that its call leaves.
func storing(t *testing.T) (w coretest.MCP, call uint64) {
	w = coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	w.Handshake("2025-11-25")
	w.Stored(journal.ResultOK, 0)
	id, _ := w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Connected: true})
	if id != 2 || w.Store.Flying() == 0 {
		t.Fatalf("nothing is being stored\n%s", w.Log())
	}
	return w, 16_777_218
}

// Fault 472: a call changes hands while it is being stored that it leaves, and comes back. What says so lies
// behind the seal, so that whoever takes it over next would send it again: it leaves once that is
// stored under the new epoch, and not with the older commit.
func TestFault472_LeavesUnderItsOwnEpoch(t *testing.T) {
	w, call := storing(t)
	changed(w, call, 3, journal.OpOwned)
	posts := func() int { return strings.Count(w.Log(), `"method":"tools/call"`) }
	w.Stored(journal.ResultOK, 0)
	if posts() != 0 {
		t.Errorf("it leaves, and its log does not say so\n%s", w.Log())
	}
	w.Stored(journal.ResultOK, 0)
	if posts() != 1 {
		t.Errorf("it has left %d times\n%s", posts(), w.Log())
	}
}

// Fault 472: a call changes hands while its outcome is being stored, and ends otherwise in the tab that has
// it by then: the outcome of before counts for nothing, and the app does not hear of two.
func TestFault472_EndsOnce(t *testing.T) {
	w, call := storing(t)
	w.Stored(journal.ResultOK, 0)
	x := w.Fetched()
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, coretest.Message("1", coretest.Result(coretest.RequestID(w.Request(x)), `{"content":[]}`)))
	if w.Store.Flying() == 0 {
		t.Fatalf("its outcome is not being stored\n%s", w.Log())
	}
	failure := journal.AppendFailure(nil,
		&engine.Error{Code: engine.CodeUnsent, Message: "it has waited for too long"})
	changed(w, call, 2, 0,
		journal.AppendEntry(nil, journal.Entry{Kind: journal.Outcome,
			N: [3]uint64{uint64(engine.OutcomeFailure), 1}, Data: failure}))
	w.Stored(journal.ResultOK, 0)
	if log := w.Log(); strings.Count(log, "settle c2 ") != 1 ||
		!strings.Contains(log, string(engine.CodeUnsent)) {
		t.Errorf("it ends otherwise than in the tab that carries it\n%s", log)
	}
}
