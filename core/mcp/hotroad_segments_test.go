package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// segmentsFrom returns partial results of a streamed task (SEP-1905), one segment
// of about 200 bytes each, that end with number to.
func segmentsFrom(o streamed, from, to int) []byte {
	var b []byte
	fill := strings.Repeat("x", 80)
	for n := from; n <= to; n++ {
		b = append(b, "data: "+coretest.Result(o.request, fmt.Sprintf(
			`{"partial-content":[{"seqNr":%d,"type":"text","text":"%s"}],"isComplete":false,`+
				`"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}}`, n, fill))+"\n\n"...)
	}
	return b
}

// streaming returns a call whose task streams its result.
func (h *tally) streaming() streamed {
	o := h.open()
	h.feed(o.x,
		[]byte(
			"data: "+coretest.Result(o.request,
				`{"task":{"taskId":"T","status":"working","pollInterval":60000}}`)+"\n\n"), feedBytes)
	return o
}

// A segment is kept until its task ends, so that memory is taken for many at a
// time, and never for the message that one comes in.
func TestSegmentsAllocateBlocksOnly(t *testing.T) {
	const each = 5_000
	for _, kept := range []bool{false, true} {
		h := newTally(t, kept).connect(t)
		o := h.streaming()
		var bursts [][]byte
		for n := 1; n <= 5*each; n += each {
			bursts = append(bursts, segmentsFrom(o, n, n+each-1))
		}
		next := 0
		feed := func() { h.feed(o.x, bursts[next], feedBytes); next++ }
		feed()
		if n := testing.AllocsPerRun(3, feed); n > each/50 {
			t.Errorf("journal=%v: %v allocations for %d segments", kept, n, each)
		}
		if n := h.Events[engine.EventSegment]; n != next*each {
			t.Errorf("journal=%v: %d segments were told, want %d", kept, n, next*each)
		}
	}
}

// BenchmarkStreamedResult is what a streamed result of 2,000 segments costs, from
// the making of its call on.
func BenchmarkStreamedResult(b *testing.B) {
	const each = 2_000
	for _, kept := range []bool{false, true} {
		b.Run(fmt.Sprintf("journal=%v", kept), func(b *testing.B) {
			h := newTally(b, kept).connect(b)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				o := h.streaming()
				text := segmentsFrom(o, 1, each)
				b.StartTimer()
				h.feed(o.x, text, feedBytes)
			}
			if n := h.Events[engine.EventSegment]; n != b.N*each {
				b.Fatalf("%d segments were told, want %d", n, b.N*each)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*each), "ns/segment")
		})
	}
}
