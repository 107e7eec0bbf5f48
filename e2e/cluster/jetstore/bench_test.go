package jetstore_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// What one JetStream server serves, on a disk, with many streams at once and the client in the same process:
// a store is sized by these figures (docs/cluster.md). An event has 200 bytes.

func BenchmarkAppend(b *testing.B) {
	s := embedded.Start(b, embedded.Options{MaxStore: 4 << 30})
	l := node(b, s, jetstore.Config{}).Log()
	var streams atomic.Int64
	data := make([]byte, 200)
	b.SetParallelism(64)
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		named := store.Stream{Session: "session", Name: fmt.Sprint(streams.Add(1))}
		at := named.Start()
		for p.Next() {
			next, err := l.Append(b.Context(), named, at, "message", data)
			if err != nil {
				b.Error(err)
				return
			}
			at = next
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}

func BenchmarkReplay(b *testing.B) {
	for _, behind := range []int{0, 5, 50} {
		b.Run(fmt.Sprint(behind, " events"), func(b *testing.B) {
			s := embedded.Start(b, embedded.Options{MaxStore: 4 << 30})
			l := node(b, s, jetstore.Config{}).Log()
			const streams = 200
			var at [streams]store.Position
			for i := range at {
				named := store.Stream{Session: "session", Name: fmt.Sprint(i)}
				last := named.Start()
				for n := range behind + 1 {
					next, err := l.Append(b.Context(), named, last, "message", make([]byte, 200))
					if err != nil {
						b.Fatal(err)
					}
					if last = next; n == 0 {
						at[i] = next
					}
				}
			}
			var next atomic.Int64
			b.SetParallelism(64)
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					i := int(next.Add(1)) % streams
					n := 0
					for _, err := range l.After(b.Context(),
						store.Stream{Session: "session", Name: fmt.Sprint(i)}, at[i]) {
						if err != nil {
							b.Error(err)
							return
						}
						n++
					}
					if n != behind {
						b.Errorf("%d events, want %d", n, behind)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "replays/s")
		})
	}
}
