package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 174: a page follows a call. Rows that are told out of turn are left out: one
// after a row that is missing, the second of a later owner, one of an owner before.
func TestFault174_RowOutOfTurn(t *testing.T) {
	rows := skewedCalls()[0].rows
	w := openWith(t, skewedCalls()[1].readable().ops(skewedCall, 2, 0))
	for _, row := range []struct {
		epoch, n uint32
		taken    bool
	}{
		{1, 2, false}, // of an owner before
		{2, 2, false}, // the first is missing
		{2, 1, true},
		{2, 1, false}, // told twice
		{2, 3, false},
		{2, 2, true},
		{4, 2, false}, // of a later owner, whose first is missing
		{4, 1, true},
		{3, 1, false},
		{4, 2, true},
	} {
		w.Input("a row", func(m *mcp.Client, now engine.Time) {
			m.Restore(now,
				journal.AppendOp(nil, journal.Op{Kind: journal.OpLog, Call: skewedCall, Epoch: row.epoch,
					N: row.n, Plain: rows[1]}))
		})
		if told := len(w.Delivered(1, engine.EventProgress)) == 1; told != row.taken {
			t.Fatalf("row %d/%d: told %v\n%s", row.epoch, row.n, told, w.Log())
		}
	}
}
