package sse

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Data that a caller keeps is never written to again, and what else is read is what it would
// have been: of all vectors, in any chunks, whichever events are kept.
func TestKeepData(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	kept := 0
	for _, v := range loadVectors(t) {
		want := feed(t, v.limits, v.conns, whole)
		for range 40 {
			most := 1 + rng.IntN(12)
			f := &feeder{t: t, p: New(v.limits), keeps: func() bool { return rng.IntN(2) == 0 }}
			if diff := want.diff(f.feed(v.conns, func(int, int) int { return rng.IntN(most + 1) })); diff !=
				"" {
				t.Fatalf("%s, chunks of at most %d (seed %d): %s", v.name, most, seed, diff)
			}
			kept += len(f.kept)
		}
	}
	if kept < 1000 {
		t.Errorf("%d events were kept: nothing is shown", kept)
	}
}

// What lies in the chunk is the caller's no longer than the chunk is lent.
func TestKeepDataOfAChunk(t *testing.T) {
	p := New(Limits{})
	p.Push([]byte("data: a\n\n"))
	if _, ok := p.Next(); !ok || p.KeepData() {
		t.Error("data in the chunk was given away")
	}
	drain(p)
	p.Push([]byte("data: b"))
	drain(p)
	p.Push([]byte("c\n\n" + strings.Repeat("data: d\ndata: e\n\n", 2)))
	var got []string
	for ev, ok := p.Next(); ok; ev, ok = p.Next() {
		if !p.KeepData() {
			t.Errorf("%s was not given away", ev.Data)
		}
		got = append(got, string(ev.Data))
	}
	if strings.Join(got, ",") != "bc,d\ne,d\ne" {
		t.Errorf("read %q", got)
	}
}
