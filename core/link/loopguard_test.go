package link

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

func TestLoopGuard(t *testing.T) {
	for _, c := range []struct {
		name string
		at   []engine.Time
		trip int // which close trips it, counted from 1; 0 for none
	}{
		{"five at once", []engine.Time{7, 7, 7, 7, 7}, 5},
		{"five in exactly 500 ms", []engine.Time{0, 125, 250, 375, 500}, 5},
		{"five in 501 ms", []engine.Time{0, 125, 250, 375, 501}, 0},
		{"slow at first", []engine.Time{0, 1_000, 2_000, 3_000, 3_100, 3_200, 3_300, 3_400}, 8},
		{"for ever every 126 ms", ticks(200, 126), 0},
		{"for ever every 125 ms", ticks(200, 125), 5},
		{"four", []engine.Time{0, 1, 2, 3}, 0},
	} {
		var g loopGuard
		tripped := 0
		for i, at := range c.at {
			if g.closed(at) && tripped == 0 {
				tripped = i + 1
			}
		}
		if tripped != c.trip {
			t.Errorf("%s: tripped at close %d, want %d", c.name, tripped, c.trip)
		}
	}
}

// ticks returns n times, every apart.
func ticks(n int, every int64) []engine.Time {
	list := make([]engine.Time, n)
	for i := range list {
		list[i] = engine.Time(int64(i) * every)
	}
	return list
}

// TestLoopGuardCounts: once tripped it stays so, counts what follows, and
// forgets all of it at the first progress.
func TestLoopGuardCounts(t *testing.T) {
	var g loopGuard
	for i := range engine.Time(5) {
		g.closed(i)
	}
	for i := range 7 {
		if !g.closed(engine.Time(i * 100_000)) {
			t.Fatal("forgotten without progress")
		}
	}
	if g.after != 7 {
		t.Errorf("%d closes counted", g.after)
	}
	g.progressed()
	if g != (loopGuard{}) || g.closed(1) {
		t.Error("not forgotten")
	}
}
