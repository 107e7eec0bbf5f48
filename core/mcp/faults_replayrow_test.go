package mcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 168: of the rows of a log a slow reader gets the events between two positions
// once more, under the positions that they have; a question is not asked again.
func TestFault168_EventsOfStoredRows(t *testing.T) {
	event := func(kind engine.EventKind, data string) journal.Entry {
		return journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(kind)}, Data: []byte(data)}
	}
	var rows [][]byte
	for _, entries := range [][]journal.Entry{
		{{Kind: journal.Sent, N: [3]uint64{1, 1}}, event(engine.EventProgress, "1"),
			event(engine.EventInput, "2")},
		{{Kind: journal.Sealed}},
		{{Kind: journal.Checkpoint, N: [3]uint64{5}}, event(engine.EventLog, "6")},
		{event(engine.EventSegment, "7"), event(engine.EventTask, "8"),
			{Kind: journal.Retry, N: [3]uint64{9}}, event(engine.EventNotification, "9")},
	} {
		var row []byte
		for _, e := range entries {
			row = journal.AppendEntry(row, e)
		}
		rows = append(rows, row)
	}
	rows = append(rows, []byte("no row at all"))
	r := connected(t, mcp.Config{})
	for _, tc := range []struct {
		from, to uint32
		want     string
	}{
		{1, 9, "1 6 7 8 9"}, {2, 7, "6 7"}, {3, 5, ""}, {9, 20, "9"}, {8, 8, "8"}, {5, 0, ""},
	} {
		var told []string
		position := uint32(0)
		for _, row := range rows {
			position = r.Client.ReplayRow(r.Now, 7, position, tc.from, tc.to, row)
			for e, ok := r.Client.Next(); ok; e, ok = r.Client.Next() {
				for e := range engine.Unpacked(e) {
					if e.Kind == engine.Deliver && e.C == 7 {
						told = append(told, fmt.Sprint(e.Position))
						if fmt.Sprint(e.Position) != string(e.Data) {
							r.fatal("position %d is %s", e.Position, e.Data)
						}
					}
				}
			}
		}
		if got := strings.Join(told, " "); got != tc.want || position != 9 {
			r.fatal("from %d to %d: %q, and the last is %d", tc.from, tc.to, got, position)
		}
	}
}

// Fault 168: a call has a name in the store as long as it is stored there.
func TestFault168_NameInTheStore(t *testing.T) {
	r := connected(t, mcp.Config{Journal: true})
	record := func(c engine.CallID) (id uint64) {
		r.input("record", func(m *mcp.Client, _ engine.Time) { id = m.Record(c) })
		return id
	}
	o := r.resumable("", mcp.CallOptions{Durable: true})
	if id := record(o.c); !slices.Contains(o.Store.Calls(), id) {
		o.fatal("it is %d, and %v are stored", id, o.Store.Calls())
	}
	o.result("")
	o.store()
	if record(o.c) == 0 {
		o.fatal("it has ended, and is stored")
	}
	o.input("ack", func(m *mcp.Client, now engine.Time) { m.Ack(now, o.c, 0, 0) })
	o.store()
	if id := record(o.c); id != 0 || len(o.Store.Calls()) != 0 {
		o.fatal("it is %d, and %v are stored", id, o.Store.Calls())
	}
	if record(99) != 0 {
		o.fatal("nobody's call is stored")
	}
	r.input("missing", func(m *mcp.Client, _ engine.Time) { m.Missing(3); m.Missing(4) })
	if n := r.Client.Counters().MissingEvents; n != 7 {
		r.fatal("%d events are missing", n)
	}
}
