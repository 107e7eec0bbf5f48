package durable

import "testing"

// Fault 127: how old a call is that waits says the wall clock, where it can be believed.
func TestFault127_AgeIsJudged(t *testing.T) {
	const now = firstRelease + 1_000_000_000
	for _, test := range []struct {
		name                  string
		created, latest, wall int64
		waited                int64
		ok                    bool
	}{
		{"just made", now, now, now, 0, true},
		{"a minute", now - 60_000, now - 30_000, now, 60_000, true},
		{"clocks of two pages differ", now + 900, now + 900, now, 0, true},
		{"set back since it was made", now + 60_000, now + 60_000, now, 0, false},
		{"set back since something else was written", now - 60_000, now + 60_000, now, 0, false},
		{"a clock without its battery", now, now, 60_000, 0, false},
		{"made by such a clock", 60_000, 60_000, now, 0, false},
		{"both", 60_000, 60_000, 120_000, 0, false},
	} {
		if waited, ok := Waited(test.created, test.latest, test.wall); waited != test.waited ||
			ok != test.ok {
			t.Errorf("%s: %d, %t", test.name, waited, ok)
		}
	}
}
