package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 530: the page that carries a call has stored an answer, and nothing by which the call could go
// on. A page that looks on is not told that it is resumable; once a cursor is stored it is.
func TestFault530_GuaranteeOfAFollowedCall(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
	w.Handshake("2025-11-25")
	w.Stored(journal.ResultOK, 0)
	sent := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{16777990, 1}})
	changed(w, 16777990, 1, 0, sent)
	row := journal.AppendEntry(nil, journal.AskedEntry(
		[]byte("\x011"), []byte(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`)))
	row = journal.AppendEntry(row, journal.AnsweredEntry([]byte("\x011"), 0))
	row = journal.AppendEntry(row, journal.Entry{Kind: journal.Sealed})
	ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpLog, Call: 16777990, Epoch: 1, N: 2, Plain: row})
	w.Input("row", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
	if strings.Contains(w.Log(), `"guarantee":"resumable"`) {
		t.Errorf("told that it is resumable\n%s", w.Log())
	}
	row = journal.AppendEntry(nil, journal.Entry{Kind: journal.Sealed})
	ops = journal.AppendOp(nil, journal.Op{Kind: journal.OpLog, Call: 16777990, Epoch: 1, N: 3, Plain: row})
	w.Input("row", func(m *mcp.Client, now engine.Time) { m.Restore(now, ops) })
	if !strings.Contains(w.Log(), `"guarantee":"resumable"`) {
		t.Errorf("not told that it is resumable\n%s", w.Log())
	}
}
