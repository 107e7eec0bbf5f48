package journal

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

func TestOver(t *testing.T) {
	made := func(created int64, bytes int, outcome engine.Outcome) *Record {
		return &Record{Head: Head{CreatedAt: created}, Bytes: bytes, Outcome: outcome}
	}
	const going, result, failure = 0, engine.OutcomeResult, engine.OutcomeFailure
	records := map[uint64]*Record{
		1: made(50, 100, result), 2: made(10, 1000, going), 3: made(30, 200, failure), 4: made(20, 300, result),
		7: made(30, 400, result), 5: made(60, 500, going),
	}
	for budget, c := range map[int]struct {
		forget []uint64
		fits   bool
	}{
		9999: {nil, true},
		2500: {nil, true},
		2499: {[]uint64{4}, true},
		2200: {[]uint64{4}, true},
		2199: {[]uint64{4, 3}, true},
		1999: {[]uint64{4, 3, 7}, true},
		1600: {[]uint64{4, 3, 7}, true},
		1500: {[]uint64{4, 3, 7, 1}, true},
		1499: {[]uint64{4, 3, 7, 1}, false},
		0:    {[]uint64{4, 3, 7, 1}, false},
		-1:   {[]uint64{4, 3, 7, 1}, false},
	} {
		if forget, fits := Over(records, budget); !slices.Equal(forget, c.forget) || fits != c.fits {
			t.Errorf("%d: %v, %v", budget, forget, fits)
		}
	}
	if forget, fits := Over(nil, 0); forget != nil || !fits {
		t.Errorf("nothing: %v, %v", forget, fits)
	}
}

func TestOverForgetsNoMoreThanItTakes(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		records := map[uint64]*Record{}
		for call := range rng.Uint64N(20) {
			records[call] = &Record{Head: Head{CreatedAt: rng.Int64N(5)}, Bytes: rng.IntN(100), Outcome: engine.Outcome(rng.IntN(2))}
		}
		budget, left := rng.IntN(1000), 0
		forget, fits := Over(records, budget)
		for _, r := range records {
			left += r.Bytes
		}
		for i, call := range forget {
			if left <= budget {
				t.Fatalf("seed %d: %d of %v are enough", seed, i, forget)
			}
			if records[call].Outcome == 0 {
				t.Fatalf("seed %d: forgets %d, which goes on", seed, call)
			}
			left -= records[call].Bytes
		}
		if fits != (left <= budget) {
			t.Fatalf("seed %d: %d of %d, fits %v", seed, left, budget, fits)
		}
	}
}
