package durable

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFault458_ClocksThatJump: a result that its server lets a client keep is used for no longer than
// that, whatever becomes of the clocks.
func TestFault458_ClocksThatJump(t *testing.T) {
	const (
		at   = firstRelease + 1_000_000_000
		hour = 3_600_000
		day  = 24 * hour
	)
	for _, c := range []struct {
		name                       string
		at, ttl, latest, wall, ran int64
		want                       int64
	}{
		{"just received", at, hour, 0, at, 0, hour},
		{"a minute later, in another page", at, hour, at, at + 60_000, 0, hour - 60_000},
		{"its last ms", at, hour, 0, at + hour - 1, 0, 1},
		{"over", at, hour, 0, at + hour, 0, 0},
		{"long over", at, hour, 0, at + 400*day, 0, 0},
		{"the server says that it is stale at once", at, 0, 0, at, 0, 0},
		{"a negative time to live", at, -1, 0, at, 0, 0},
		{"a year counts as a day", at, 365 * day, 0, at, 0, day},
		{"and is over after one", at, 365 * day, 0, at + day, 0, 0},
		{"as long as a number goes", at, math.MaxInt64, 0, at + hour, 0, day - hour},
		{"the clock was put back behind the receipt", at, hour, 0, at - 5_001, 0, 0},
		{"by so little that two pages may differ by it", at, hour, 0, at - 5_000, 0, hour},
		{"put back, and later writes tell", at, hour, at + hour/2, at + 60_000, 0, 0},
		{"put back, and the clock that nobody sets tells", at, hour, 0, at + 60_000, hour/2 + 60_000,
			hour/2 - 60_000},
		{"asleep: that clock had stopped", at, hour, 0, at + 8*hour, 1_000, 0},
		{"set ahead", at, hour, 0, at + 2*hour, 1_000, 0},
		{"a clock without a battery", 5_000, hour, 0, 6_000, 0, 0},
		{"then right again", 5_000, hour, 0, at, 0, 0},
		{"before 1970", at, hour, 0, -1, 0, 0},
		{"a number that is none of ours", math.MaxInt64, hour, 0, at, 0, 0},
		{"the same as a latest time", at, hour, math.MaxInt64, at, 0, 0},
		{"behind both", math.MinInt64, hour, math.MinInt64, at, 0, 0},
	} {
		if got := Fresh(c.at, c.ttl, c.latest, c.wall, c.ran); got != c.want {
			t.Errorf("%s: fresh for %d ms, want %d", c.name, got, c.want)
		}
	}
}

// TestFault458_FreshByNoClock plays pages whose wall clocks are set at random and whose other clock stops in
// sleep. The oracle has the true time. What the wall clock of a page that lives has lost since the
// receipt may be missing, and no more than the clock was set back by since something was written.
func TestFault458_FreshByNoClock(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		ttl := r.Int64N(4_000_000)
		base := int64(firstRelease) + r.Int64N(1<<40)
		wallOff := r.Int64N(2_000_000) - 1_000_000
		at := base + wallOff
		latest := at
		var truth, mono int64 // since the receipt
		var jumped int64      // by how much the wall clock was set in all
		slept := false
		for range r.IntN(6) {
			step := r.Int64N(1_500_000)
			truth += step
			if r.IntN(3) > 0 {
				mono += step
			} else {
				slept = true
			}
			if r.IntN(3) == 0 {
				jumped += r.Int64N(2_000_000) - 1_000_000
			} else if r.IntN(2) == 0 {
				latest = max(latest, at+truth+jumped) // something is written
			}
		}
		left := Fresh(at, ttl, latest, at+truth+jumped, mono)
		// Ahead by any jump it may only be shorter; back it is doubted, or the loss is the jump's.
		if lost := max(-jumped, 0); left > 0 && truth >= ttl+lost {
			t.Fatalf("seed %d: %d ms left of %d after %d (set by %d)", seed, left, ttl, truth, jumped)
		}
		if !slept && left > 0 && truth >= ttl {
			t.Fatalf("seed %d: %d ms left of %d after %d, of which a clock tells that nobody sets", seed,
				left, ttl, truth)
		}
		if jumped == 0 && truth < ttl && left != ttl-truth {
			t.Fatalf("seed %d: %d ms left of %d after %d, with clocks that were right", seed, left, ttl,
				truth)
		}
		if wall := at + truth + jumped; left > 0 && wall+clockSlack < latest {
			t.Fatalf("seed %d: fresh by a clock that lies %d ms behind what was written", seed, latest-wall)
		}
	}
}
