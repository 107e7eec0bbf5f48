package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestDeadlines: whatever is set, moved and taken out, the first is the first of all. The
// oracle is a list that is looked through.
func TestDeadlines(t *testing.T) {
	for range 200 {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		var heap engine.Deadlines
		entries := make([]engine.Deadline, 1+rng.IntN(40))
		oracle := make([]engine.Time, len(entries))
		for i := range entries {
			oracle[i] = engine.Never
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
		}
	}
}
