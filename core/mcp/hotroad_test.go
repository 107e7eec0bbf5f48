package mcp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// hotEvents is how many events one burst has; hotAllocations is how often memory
// may be taken for all of them together: buffers that grow once more, never an
// event.
const (
	hotEvents      = 20_000
	hotAllocations = 20
)

// From the bytes of a chunk to the effects and the row that is stored, an event
// takes no memory, with a journal and without one.
func TestHotRoadAllocatesNothing(t *testing.T) {
	for _, kept := range []bool{false, true} {
		for _, shape := range hotShapes() {
			t.Run(fmt.Sprintf("%s/journal=%v", shape.name, kept), func(t *testing.T) {
				h := newTally(t, kept).connect(t)
				o := h.open()
				text, size := shape.burst(o, hotEvents)
				h.feed(o.x, text, size) // what grows has grown
				allocations := testing.AllocsPerRun(3, func() { h.feed(o.x, text, size) })
				if allocations > hotAllocations {
					t.Errorf("%v allocations for %d events", allocations, hotEvents)
				}
				if n := h.told[shape.kind]; n != 5*hotEvents {
					t.Errorf("%d events were told, want %d", n, 5*hotEvents)
				}
				if kept != (h.commits > 5) {
					t.Errorf("%d commits", h.commits)
				}
			})
		}
	}
}

// BenchmarkHotRoad is what 20,000 events cost the core, all of it.
func BenchmarkHotRoad(b *testing.B) {
	for _, kept := range []bool{false, true} {
		for _, shape := range hotShapes() {
			b.Run(fmt.Sprintf("%s/journal=%v", shape.name, kept), func(b *testing.B) {
				h := newTally(b, kept).connect(b)
				o := h.open()
				text, size := shape.burst(o, hotEvents)
				h.feed(o.x, text, size)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				h.told = [32]int{}
				for b.Loop() {
					h.feed(o.x, text, size)
				}
				if h.told[shape.kind] != b.N*hotEvents {
					b.Fatalf("%d events, want %d", h.told[shape.kind], b.N*hotEvents)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*hotEvents), "ns/event")
			})
		}
	}
}

var _ engine.Host = (*tally)(nil)
