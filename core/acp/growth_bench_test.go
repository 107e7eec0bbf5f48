//go:build unix

package acp_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// busy returns how long this process has used a processor: a clock on the wall
// tells what else the machine did.
func busy() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func held() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// grow measures n updates, from an empty transcript on.
func grow(b *testing.B, update func(n int) string) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("updates=%d", n), func(b *testing.B) {
			shape := spoken{update: update}
			frames := shape.frames(n)
			least, bytes := time.Hour, uint64(0)
			for b.Loop() {
				h := newTally(b, true)
				before, since := held(), busy()
				h.feed(frames)
				least = min(least, busy()-since)
				if bytes = held() - before; h.updates() != n || h.broken() > 0 {
					b.Fatalf("%d operations for %d updates; %d were refused", h.updates(), n, h.broken())
				}
			}
			b.ReportMetric(float64(least.Nanoseconds())/float64(n), "cpu-ns/update")
			b.ReportMetric(float64(bytes)/float64(n), "B/update")
		})
	}
}

// BenchmarkGrowthTranscript is one message that comes in ever more chunks.
func BenchmarkGrowthTranscript(b *testing.B) { grow(b, hotUpdates()[0].update) }

// BenchmarkGrowthItems is ever more items of one update each.
func BenchmarkGrowthItems(b *testing.B) {
	grow(b, func(n int) string {
		return fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m%d",`+
			`"content":{"type":"text","text":" word"}}`, n)
	})
}
