package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 76: a page sleeps while a row of its call is being stored. Another one
// has taken the call over, ended and acknowledged it by the time that the page
// wakes, and only then it hears what became of its row.
func TestFault76_GivenUpWhileARowIsUnderWay(t *testing.T) {
	for name, result := range map[string]journal.Result{
		"stored": journal.ResultOK, "unsealed": journal.ResultUnsealed, "quota": journal.ResultQuota,
		"failed": journal.ResultFailed,
	} {
		t.Run(name, func(t *testing.T) {
			w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
			w.Handshake("2025-11-25")
			w.Stored(journal.ResultOK, 0)
			c, _ := w.Call("tools/call", `{"name":"0"}`, mcp.CallOptions{Durable: true})
			w.Stored(journal.ResultOK, 0)
			x := w.Fetched()
			id := coretest.RequestID(w.Request(x))
			w.Head(x, 200, "content-type", coretest.Stream)
			w.Chunk(x, coretest.Message("1", coretest.Progress(id, 1)))
			if w.Store.Flying() == 0 {
				t.Fatalf("no row is under way\n%s", w.Log())
			}
			taken := journal.AppendOp(nil,
				journal.Op{Kind: journal.OpCall, Call: w.Store.Calls()[0], Epoch: 2, N: 1})
			w.Input("handed", func(m *mcp.Client, now engine.Time) { m.Restore(now, taken) })
			w.Stored(result, 0)
			if log := w.Log(); strings.Count(log, "settle c2") != 1 ||
				!strings.Contains(log, string(engine.CodeLost)) {
				t.Fatalf("call %d does not end as lost\n%s", c, log)
			}
			w.Call("tools/call", `{"name":"1"}`, mcp.CallOptions{Durable: true})
			if kept := w.Store.Flying() != 0; kept == (result >= journal.ResultQuota) {
				t.Errorf("the next call is kept: %v\n%s", kept, w.Log())
			}
		})
	}
}
