package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 353: the outcome of a call is on its way to the store when another tab, which
// has taken the call over, ends it and acknowledges it. The app hears of one end.
func TestFault353_OneEndWhileItIsStored(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Handshake("2025-11-25")
	store(w)
	w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true})
	store(w)
	record := w.Store.Calls()[0]
	x := w.Newest()
	w.Head(x, 200, "content-type", coretest.JSON)
	w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)), `{}`))
	w.End(x, engine.EndClean)
	head := journal.AppendHead(nil, &journal.Head{Method: "tools/call", Params: []byte(`{"name":"pay"}`)})
	for _, op := range []journal.Op{
		{Kind: journal.OpCall, Call: record, Epoch: 2, Plain: head},
		{Kind: journal.OpForget, Call: record,
			Flags: journal.OpOutcome(journal.GoneAcked, engine.OutcomeResult)},
	} {
		w.Input("restore", func(m *mcp.Client, now engine.Time) { m.Restore(now, journal.AppendOp(nil, op)) })
	}
	w.Stored(journal.ResultOK, 0)
	if n := strings.Count(w.Log(), "settle c2 "); n != 1 {
		t.Errorf("its app hears of %d ends\n%s", n, w.Log())
	}
}
