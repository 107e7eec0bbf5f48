package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestDeadlines: whatever is set, moved and taken out, the first is the first of all,
// and what is due is all that is due. The oracle is a list that is looked through.
func TestDeadlines(t *testing.T) {
	for range 200 {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		var heap engine.Deadlines[int]
		entries := make([]engine.Deadline[int], 1+rng.IntN(40))
		oracle := make([]engine.Time, len(entries))
		for i := range entries {
			entries[i].Of, oracle[i] = i, engine.Never
		}
		for range 400 {
			i, at := rng.IntN(len(entries)), engine.Time(rng.IntN(50))
			if rng.IntN(4) == 0 {
				at = engine.Never
			}
			heap.Set(&entries[i], at)
			oracle[i] = at
			if got := entries[i].At(); got != at {
				t.Fatalf("seed %d: entry %d is due at %d, not at %d", seed, i, got, at)
			}
			if got, want := heap.First(), slices.Min(oracle); got != want {
				t.Fatalf("seed %d: the first is due at %d, not at %d", seed, got, want)
			}
			now := engine.Time(rng.IntN(50))
			var want []int
			for j, at := range oracle {
				if at <= now {
					want = append(want, j)
				}
			}
			got := heap.Due(now, nil)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: at %d %v are due, not %v", seed, now, got, want)
			}
		}
	}
}
