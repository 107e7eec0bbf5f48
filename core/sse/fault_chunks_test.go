package sse

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Fault 1. A byte stream may be cut anywhere: "same events, ids, retries as
// whole" (HTML 9.2.6 knows of no chunks).
func TestFault01_AnyChunking(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, v := range loadVectors(t) {
		t.Run(v.name, func(t *testing.T) {
			want := feed(t, v.limits, v.conns, whole)
			if v.limits == (Limits{}) {
				if diff := reference(v.conns).diff(want); diff != "" {
					t.Fatalf("whole: %s", diff)
				}
			}
			check := func(name string, at []int, cut cutter) {
				t.Helper()
				if diff := want.diff(feed(t, v.limits, v.conns, cut)); diff != "" {
					t.Fatalf("%s %v (seed %d): %s", name, at, seed, diff)
				}
			}
			check("byte by byte", nil, everyByte)
			check("with empty chunks between bytes", nil, emptyChunks())
			longest := 0
			for _, conn := range v.conns {
				longest = max(longest, len(conn))
			}
			for a := 1; a < longest; a++ {
				check("cut at", []int{a}, cutAt(a))
				for b := a + 1; b < longest && longest <= 48; b++ {
					check("cut at", []int{a, b}, cutAt(a, b))
				}
			}
			for range 20 {
				most := 1 + rng.IntN(9)
				check("random", []int{most}, func(int, int) int { return rng.IntN(most + 1) })
			}
		})
	}
}

func emptyChunks() cutter {
	n := 0
	return func(int, int) int { n++; return n % 2 }
}

// All vectors as one stream: blocks meet buffers that other blocks have used.
func TestFault01_AnyChunkingOfAllVectorsInARow(t *testing.T) {
	var all strings.Builder
	for _, v := range loadVectors(t) {
		for _, conn := range v.conns {
			all.WriteString(conn)
			all.WriteString("\n\n")
		}
	}
	conns := []string{all.String(), all.String()}
	want := reference(conns)
	for size := 1; size < 300; size = size*5/4 + 1 {
		got := feed(t, Limits{}, conns, func(int, int) int { return size })
		if diff := want.diff(got); diff != "" {
			t.Errorf("chunks of %d: %s", size, diff)
		}
	}
	if diff := want.diff(feed(t, Limits{}, conns, whole)); diff != "" {
		t.Errorf("whole: %s", diff)
	}
}

// An event is out as soon as the byte that ends its block is in, a CR included:
// after every prefix the parser has given what the reference reader finds in it.
func TestFault02_LiveDispatch(t *testing.T) {
	for _, v := range loadVectors(t) {
		if v.limits != (Limits{}) || len(v.conns) > 1 {
			continue
		}
		f := feeder{t: t, p: New(Limits{})}
		s := v.conns[0]
		for i := range len(s) {
			f.push(s[i : i+1])
			want := reference([]string{s[:i+1]})
			if len(f.out.events) != len(want.events) || f.p.Retry() != want.retry ||
				string(f.p.LastEventID()) != want.lastID {
				t.Fatalf("%s after %q: %d events, id %q, retry %d; want %d, %q, %d", v.name, s[:i+1],
					len(f.out.events), f.p.LastEventID(), f.p.Retry(), len(want.events), want.lastID,
					want.retry)
			}
		}
	}
}
