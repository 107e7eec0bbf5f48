package durable

import (
	"math"
	"testing"
)

const (
	day     = 24 * 60 * 60 * 1000
	now     = firstRelease + 200*day
	maxSafe = 1<<53 - 1
)

// stored is what is known of the age of a record.
type stored struct {
	created int64
	over    bool
	ended   int64
}

func (r stored) expired(c Clock, keepEnded, keepRunning int64) bool {
	return c.Expired(r.created, r.over, r.ended, keepEnded, keepRunning)
}

func TestExpired(t *testing.T) {
	const finished, unfinished = 7 * day, 30 * day
	for name, c := range map[string]struct {
		created, ended int64 // ended 0: unfinished, -1: at an unknown time
		wall           int64
		want           bool
	}{
		"just made":                      {now, 0, now, false},
		"unfinished, a week":             {now, 0, now + 7*day, false},
		"unfinished, almost":             {now, 0, now + 30*day - 1, false},
		"unfinished, a month":            {now, 0, now + 30*day, true},
		"finished, a month after made":   {now, now + 29*day, now + 30*day, false},
		"finished, almost":               {now, now + day, now + 8*day - 1, false},
		"finished, a week":               {now, now + day, now + 8*day, true},
		"ended some time":                {now, -1, now + 7*day - 1, false},
		"ended, nobody knows when":       {now, -1, now + 7*day, true},
		"clock put back a day":           {now, 0, now - day, false},
		"put back a year":                {now, 0, now - 365*day, false},
		"put back, then it is kept":      {now + 31*day, 0, now, false},
		"and ends when its time is over": {now + 31*day, 0, now + 61*day, true},
		"finished in the future":         {now, now + 300*day, now, false},
		"no clock was ever so far ahead": {now + 401*day, 0, now, true},
		"the clock shows the first day":  {firstRelease - 30*day, 0, firstRelease, true},
		"hostile":                        {maxSafe, 0, now, true},
		"hostile end":                    {now, maxSafe, now, true},
		"made before there was a clock":  {0, 0, now, true},
		"less than nothing":              {math.MinInt64, 0, now, true},
		"the clock of a dead battery":    {now, 0, 0, false},
		"which has run for a year":       {0, 0, 365 * day, false},
		"a clock of less than nothing":   {maxSafe, 0, math.MinInt64, false},
		"a clock of the far future":      {now, 0, math.MaxInt64, true},
	} {
		r := stored{created: c.created}
		if c.ended != 0 {
			r.over, r.ended = true, max(c.ended, 0)
		}
		if got := r.expired(Clock{c.wall, c.wall}, finished, unfinished); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if r.expired(Clock{c.wall, c.wall}, -1, -1) {
			t.Errorf("%s: was to be kept for ever", name)
		}
	}
}

// At any clock from the first release on, a record of any time ends: no later
// than its keep after the clock has passed its time, and at most maxAhead before.
func TestEverythingExpires(t *testing.T) {
	for ahead := int64(-500 * day); ahead <= 500*day; ahead += day / 2 {
		r := stored{created: now + ahead}
		if got := r.expired(Clock{Sound: now + max(ahead, 0) + 30*day}, day, 30*day); !got {
			t.Errorf("made %d days ahead, never ends", ahead/day)
		}
		if ahead >= 0 && ahead <= maxAhead && r.expired(Clock{now, now}, day, 30*day) {
			t.Errorf("made %d days ahead, ends at once", ahead/day)
		}
	}
	ended := stored{now, true, now}
	if !ended.expired(Clock{now, now}, 0, 0) || !ended.expired(Clock{now, now - day}, 0, 0) {
		t.Error("kept for no time, and kept")
	}
}

// Fault 134: one wrong reading of the wall clock deletes nothing, however far ahead
// or behind it is; only what other pages have read counts.
func TestFault134_OneWrongClock(t *testing.T) {
	running := stored{created: now}
	ended := stored{now, true, now}
	for _, wall := range []int64{math.MinInt64, 0, firstRelease, now - 500*day, now, now + 30*day,
		now + 4000*day, math.MaxInt64} {
		for _, sound := range []int64{0, now - 800*day, now - day, now, now + 6*day} {
			for _, r := range []stored{running, ended} {
				if ahead := now - max(wall, sound); ahead <= maxAhead &&
					r.expired(Clock{wall, sound}, 7*day, 30*day) {
					t.Errorf("wall %d, sound %d days after it was made: expired", (wall-now)/day,
						(sound-now)/day)
				}
			}
		}
	}
	if !ended.expired(Clock{now + 8*day, now + 7*day}, 7*day, 30*day) ||
		!running.expired(Clock{now + 31*day, now + 30*day}, 7*day, 30*day) {
		t.Error("nothing ever expires")
	}
}
