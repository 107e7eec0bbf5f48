package link

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// severed returns a stream that was cut, and resumed and cut again without progress
// so many times more, and how long it waits now, in ms. accepted says whether the
// server took it before each of these cuts.
func severed(s *Stream, now engine.Time, again int, accepted bool, random *engine.Random) (
	waits int64, at engine.Time) {
	waits = s.Broken(now, engine.EndNetwork, false, random).Delay
	for range again {
		now = s.Deadline()
		s.Reconnecting(now, 0)
		if accepted {
			s.Opened(now)
		}
		waits = s.Broken(now, engine.EndNetwork, false, random).Delay
	}
	return waits, now
}

// Fault 270: a stream is accepted and cut, and cut once more before it brought
// anything. The server is there: the second cut is mended within 500 ms, the third
// within 1.25 s, at the median. Whom nobody answers keeps the ladder's pace.
func TestFault270_AcceptedAndCutAgain(t *testing.T) {
	for _, v := range []struct {
		again     int
		accepted  bool
		low, most int64 // of the median, in ms
	}{
		{0, true, 100, 150}, {1, true, 400, 500}, {2, true, 1_050, 1_250}, {3, true, 8_000, 9_000},
		{0, false, 100, 150}, {1, false, 2_000, 3_000}, {2, false, 3_500, 4_500},
	} {
		var waits []int64
		for seed := range uint64(1_000) {
			random := engine.NewRandom(seed)
			s := up(0)
			ms, _ := severed(s, 0, v.again, v.accepted, &random)
			waits = append(waits, ms)
		}
		slices.Sort(waits)
		if median := waits[len(waits)/2]; median < v.low || median > v.most {
			t.Errorf("cut %d times more, accepted %v: waits %d ms at the median", v.again, v.accepted, median)
		}
	}
}

// TestFault270_OneStreamProbes: of a client's streams one at a time is tried again
// quickly. A proxy that accepts everybody's streams and cuts them meets each client once.
func TestFault270_OneStreamProbes(t *testing.T) {
	for seed := range uint64(100) {
		random := engine.NewRandom(seed)
		heads := Heads{}
		first, second := up(0), up(0)
		first.Watch(0, &heads)
		second.Watch(0, &heads)
		quick, at := severed(first, 0, 1, true, &random)
		slow, soon := severed(second, 0, 1, true, &random)
		if quick >= 900 || soon < at.After(quick) && soon >= at && slow < 1_000 {
			t.Fatalf("seed %d: %d and %d ms", seed, quick, slow)
		}
		// The first was tried: it is the other's turn.
		s := up(0)
		s.Watch(0, &heads)
		if ms, _ := severed(s, 60_000, 1, true, &random); ms >= 900 {
			t.Errorf("seed %d: later %d ms", seed, ms)
		}
	}
}

// Fault 46: where the server names a retry, quick tries keep to it as a floor, and are
// spread as those after a first cut are.
func TestFault270_RetryIsAFloorOfQuickTries(t *testing.T) {
	for _, retry := range []int64{0, 700, 3_000, 60_000} {
		low, high := int64(1<<62), int64(0)
		for seed := range uint64(2_000) {
			random := engine.NewRandom(seed)
			s := up(0)
			s.Retry(retry)
			ms, _ := severed(s, 0, 1, true, &random)
			low, high = min(low, ms), max(high, ms)
		}
		if floor := ClampRetry(retry); low < floor || high-low < afterCut(floor)*9/10 {
			t.Errorf("retry %d: %d to %d ms", retry, low, high)
		}
	}
}
