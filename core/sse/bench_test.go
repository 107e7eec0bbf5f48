package sse

import (
	"maps"
	"slices"
	"testing"
)

// BenchmarkParser reads about a megabyte per operation; allocs/op must be 0.
func BenchmarkParser(b *testing.B) {
	all := shapes()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		b.Run(name, func(b *testing.B) {
			p := New(Limits{})
			pushAll(p, c.stream, c.chunk)
			b.SetBytes(int64(len(c.stream)))
			b.ReportAllocs()
			events := 0
			for b.Loop() {
				events += pushAll(p, c.stream, c.chunk)
			}
			if events != c.events*b.N || p.Err() != nil {
				b.Fatalf("%d events, want %d; %v", events, c.events*b.N, p.Err())
			}
			b.ReportMetric(float64(c.events), "events/op")
			if events > 0 {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			}
		})
	}
}
