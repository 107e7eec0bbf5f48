package journal_test

import (
	"bytes"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// smallEvent has 200 bytes of JSON.
func smallEvent() Entry {
	text := append([]byte(`{"text":"`), bytes.Repeat([]byte("x"), 189)...)
	return event(string(append(text, `"}`...)))
}

// What happens for every event of a stream takes no memory.
func TestWritingAllocatesNothing(t *testing.T) {
	e, cursor := smallEvent(), data(Cursor, "s1_12345")
	buffer := make([]byte, 0, 1<<10)
	if n := testing.AllocsPerRun(100, func() { buffer = AppendEntry(buffer[:0], e) }); n != 0 {
		t.Errorf("AppendEntry: %v allocations", n)
	}
	var d draft
	if n := testing.AllocsPerRun(100, func() {
		d.reset()
		for range 3 {
			d.add(e)
			d.add(cursor)
		}
	}); n != 0 {
		t.Errorf("draft: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100,
		func() { buffer = AppendOp(buffer[:0], Op{Kind: OpLog, Plain: e.Data}) }); n != 0 {
		t.Errorf("AppendOp: %v allocations", n)
	}
	plain := bytes.Clone(d.plain)
	r := recorded.New(Head{Method: "m"}, 0)
	each := func(engine.EventKind, uint32, []byte) {}
	if n := testing.AllocsPerRun(100, func() { _ = r.Apply(plain, nil, each) }); n != 0 {
		t.Errorf("Apply of events: %v allocations", n)
	}
}

func BenchmarkAppendEntry(b *testing.B) {
	e := smallEvent()
	var row []byte
	b.SetBytes(int64(len(e.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if len(row) > 1<<20 {
			row = row[:0]
		}
		row = AppendEntry(row, e)
	}
}

func BenchmarkRow(b *testing.B) {
	e, cursor := smallEvent(), data(Cursor, "s1_12345")
	var d draft
	b.SetBytes(int64(len(e.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if len(d.plain) > 1<<20 {
			d.reset()
		}
		d.add(e)
		d.add(cursor)
	}
}

// BenchmarkApply reads a row of 64 KB, of events and the cursor of the last.
func BenchmarkApply(b *testing.B) {
	e := smallEvent()
	var d draft
	events := 0
	for len(d.plain) < 64<<10 {
		d.add(e)
		events++
	}
	d.add(data(Cursor, "s1_12345"))
	r := recorded.New(Head{Method: "m"}, 0)
	seen := 0
	each := func(engine.EventKind, uint32, []byte) { seen++ }
	b.SetBytes(int64(len(d.plain) + len(d.secret)))
	b.ReportAllocs()
	for b.Loop() {
		r.Position = 0
		if err := r.Apply(d.plain, d.secret, each); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events), "events/op")
	if seen != events*b.N {
		b.Fatalf("%d events of %d", seen, events*b.N)
	}
}
