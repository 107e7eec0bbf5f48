package mcp_test

import (
	"fmt"
	"runtime"
	"testing"
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
				if n := h.Events[shape.kind]; n != 5*hotEvents {
					t.Errorf("%d events were told, want %d", n, 5*hotEvents)
				}
				if kept != (h.Commits > 5) {
					t.Errorf("%d commits", h.Commits)
				}
			})
		}
	}
}

// longCallBytes is what a call of many events may cost in memory beside the texts of
// its own request and answer: its structures, no buffers.
const longCallBytes = 16 << 10

// The buffers of a long call serve the next one: the memory of a wasm only grows.
func TestLongCallsShareBuffers(t *testing.T) {
	for _, kept := range []bool{false, true} {
		t.Run(fmt.Sprintf("journal=%v", kept), func(t *testing.T) {
			h := newTally(t, kept).connect(t)
			shape := hotShapes()[1]
			var before, after runtime.MemStats
			var most uint64
			for n := range 8 {
				o := h.open()
				text, size := shape.burst(o, hotEvents)
				runtime.ReadMemStats(&before)
				h.feed(o.x, text, size)
				h.end(o)
				runtime.ReadMemStats(&after)
				for id := range h.Ended {
					h.Client.Ack(h.Now, id, 0, 0)
					delete(h.Ended, id)
				}
				h.Drain()
				h.Store()
				if n >= 3 { // what grows has grown
					most = max(most, after.TotalAlloc-before.TotalAlloc)
				}
			}
			if most > longCallBytes {
				t.Errorf("a call of %d events took %d bytes", hotEvents, most)
			}
			if h.Settled != 8 {
				t.Errorf("%d calls have ended", h.Settled)
			}
		})
	}
}

// What has ended and waits for its app keeps no buffers: there may be thousands.
func TestEndedCallsKeepNoBuffers(t *testing.T) {
	h := newTally(t, true).connect(t)
	shape := hotShapes()[1]
	const calls = 64
	before := held()
	for range calls {
		o := h.open()
		text, size := shape.burst(o, 200)
		h.feed(o.x, text, size)
		h.end(o)
	}
	if each := (int64(held()) - int64(before)) / calls; each > 10<<10 {
		t.Errorf("each of %d ended calls keeps %d bytes", calls, each)
	}
	if len(h.Ended) != calls {
		t.Errorf("%d calls have ended", len(h.Ended))
	}
	runtime.KeepAlive(h)
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
				h.Events = [32]int{}
				for b.Loop() {
					h.feed(o.x, text, size)
				}
				if h.Events[shape.kind] != b.N*hotEvents {
					b.Fatalf("%d events, want %d", h.Events[shape.kind], b.N*hotEvents)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*hotEvents), "ns/event")
			})
		}
	}
}
