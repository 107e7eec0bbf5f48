//go:build unix

package mcp_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// growthEvents is how many progress events each call of these benchmarks has.
const growthEvents = 10

// busy returns how long this process has used a processor: a clock on the wall
// tells what else the machine did.
func busy() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// perCall reports what one of n calls costs, of the run that cost least.
func perCall(b *testing.B, n int, least time.Duration, bytes uint64) {
	b.ReportMetric(float64(least.Nanoseconds())/float64(n), "cpu-ns/call")
	b.ReportMetric(float64(bytes)/float64(n), "B/call")
}

// BenchmarkGrowthConcurrent has n durable calls under way at once: all are made,
// all are streamed to in turn, and then all end.
func BenchmarkGrowthConcurrent(b *testing.B) {
	shape := hotShapes()[1]
	for _, n := range []int{1, 10, 100, 1_000} {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			h := newTally(b, true).connect(b)
			var bytes uint64
			least := time.Hour
			for b.Loop() {
				before, since := held(), busy()
				open := make([]streamed, n)
				for i := range open {
					open[i] = h.open()
				}
				for event := range growthEvents {
					for _, o := range open {
						h.Client.Chunk(h.Now, o.x, []byte(shape.event(o.request, event)))
						h.Drain()
					}
					h.Now++
					h.Store()
				}
				spent := busy() - since
				bytes = held() - min(before, held())
				since = busy()
				for _, o := range open {
					h.Client.Chunk(h.Now, o.x,
						[]byte(coretest.Message("last", coretest.Result(o.request, `{"content":[]}`))))
					h.Drain()
					h.Client.End(h.Now, o.x, engine.EndClean, "")
					h.Drain()
				}
				h.Store()
				for id := range h.Ended {
					h.Client.Ack(h.Now, id, 0, 0)
					h.Drain()
				}
				clear(h.Ended)
				h.Store()
				least = min(least, spent+busy()-since)
			}
			if h.Settled != b.N*n || h.Events[shape.kind] != b.N*n*growthEvents {
				b.Fatalf("%d of %d calls have settled, with %d events", h.Settled, b.N*n,
					h.Events[shape.kind])
			}
			perCall(b, n, least, bytes)
		})
	}
}

// pieceBytes is how much of its store a page hands over at a time
// (web/src/tabs/journal.ts PIECE).
const pieceBytes = 48 << 10

// storedCalls is a store with n calls that an earlier page left, as a page hands it
// over: ended ones that nobody has acknowledged, with their events.
func storedCalls(n int) [][]byte {
	var pieces [][]byte
	var b []byte
	event := []byte(hotShapes()[1].event("16777217", 1))
	event = event[len("id: 1000001\ndata: ") : len(event)-2]
	params := event[len(`{"jsonrpc":"2.0","method":"notifications/progress","params":`) : len(event)-1]
	for i := 1; i <= n; i++ {
		head := journal.AppendHead(nil, &journal.Head{Key: fmt.Sprint("call-", i), Method: "tools/call",
			Params: []byte(`{"name":"work","arguments":{"n":7}}`), Flags: journal.ManualAck, CreatedAt: 1})
		b = journal.AppendOp(b, journal.Op{Kind: journal.OpCall, Flags: journal.OpOwned, Call: uint64(i),
			Epoch: 2, Plain: head})
		row := journal.AppendEntry(nil, journal.Entry{Kind: journal.Sent, N: [3]uint64{uint64(i), 1}})
		for range growthEvents {
			row = journal.AppendEntry(row,
				journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(engine.EventProgress)}, Data: params})
		}
		row = journal.AppendEntry(row,
			journal.Entry{Kind: journal.Outcome, N: [3]uint64{uint64(engine.OutcomeResult), 1},
				Data: []byte(`{"content":[]}`)})
		b = journal.AppendOp(b, journal.Op{Kind: journal.OpLog, Call: uint64(i), Epoch: 1, N: 1, Plain: row})
		if len(b) > pieceBytes || i == n {
			pieces = append(pieces, b)
			b = make([]byte, 0, pieceBytes+4<<10)
		}
	}
	return pieces
}

// BenchmarkGrowthRestore gives a new page's client what is stored of n calls.
func BenchmarkGrowthRestore(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			pieces := storedCalls(n)
			var bytes uint64
			least := time.Hour
			for b.Loop() {
				h, before := newTally(b, true), held()
				since := busy()
				for _, ops := range pieces {
					h.Client.Restore(h.Now, ops)
					h.Drain()
				}
				least = min(least, busy()-since)
				bytes = held() - before
				if h.Recalled != n || h.Settled != n || h.Events[engine.EventProgress] != n*growthEvents {
					b.Fatalf("%d of %d calls came back, %d with an outcome, with %d events", h.Recalled, n,
						h.Settled, h.Events[engine.EventProgress])
				}
			}
			perCall(b, n, least, bytes)
		})
	}
}
