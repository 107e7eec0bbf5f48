package durable

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func numbersOf(calls []Evictable) (numbers []uint64) {
	for _, c := range calls {
		numbers = append(numbers, c.Call)
	}
	return numbers
}

func TestEvict(t *testing.T) {
	calls := []Evictable{
		{Call: 1, CreatedAt: 50, Bytes: 100}, {Call: 2, CreatedAt: 10, Bytes: 1000, Manual: true},
		{Call: 3, CreatedAt: 30, Bytes: 200}, {Call: 4, CreatedAt: 60, Bytes: 300, Manual: true, Acked: true},
		{Call: 7, CreatedAt: 30, Bytes: 400}, {Call: 5, CreatedAt: 5, Bytes: 500, Manual: true},
	}
	for need, c := range map[int]struct {
		evict  []uint64
		enough bool
	}{
		-1:   {nil, true},
		0:    {nil, true},
		1:    {[]uint64{4}, true},
		300:  {[]uint64{4}, true},
		301:  {[]uint64{4, 3}, true},
		501:  {[]uint64{4, 3, 7}, true},
		1000: {[]uint64{4, 3, 7, 1}, true},
		1001: {[]uint64{4, 3, 7, 1, 5}, true},
		1501: {[]uint64{4, 3, 7, 1, 5, 2}, true},
		2501: {[]uint64{4, 3, 7, 1, 5, 2}, false},
	} {
		if evict, enough := Evict(calls, need); !slices.Equal(numbersOf(evict), c.evict) ||
			enough != c.enough {
			t.Errorf("%d: %v, %v", need, numbersOf(evict), enough)
		}
	}
	if evict, enough := Evict(nil, 0); len(evict) > 0 || !enough {
		t.Errorf("nothing: %v, %v", evict, enough)
	}
}

// No more is evicted than it takes, and none that an app would miss more than one
// that stays.
func TestEvictTakesNoMoreThanNeeded(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		var calls []Evictable
		whole := 0
		for call := range rng.Uint64N(20) {
			e := Evictable{Call: call, CreatedAt: rng.Int64N(5), Bytes: rng.IntN(100),
				Acked: rng.IntN(3) == 0, Manual: rng.IntN(2) == 0}
			calls, whole = append(calls, e), whole+e.Bytes
		}
		need, freed, worst := rng.IntN(1000), 0, 0
		evict, enough := Evict(calls, need)
		for i, e := range evict {
			if freed >= need {
				t.Fatalf("seed %d: %d of %v are enough", seed, i, numbersOf(evict))
			}
			freed, worst = freed+e.Bytes, max(worst, e.rank())
		}
		if enough != (freed >= need) || !enough && freed != whole {
			t.Fatalf("seed %d: %d of %d are free, enough %v", seed, freed, need, enough)
		}
		for _, e := range calls {
			if !slices.Contains(evict, e) && e.rank() < worst {
				t.Fatalf("seed %d: %d stays, %v go", seed, e.Call, numbersOf(evict))
			}
		}
	}
}
