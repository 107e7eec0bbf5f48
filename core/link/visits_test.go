package link

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 280: whoever comes again and again has an attempt made every five seconds, and no more.
func TestFault280_VisitsAreBounded(t *testing.T) {
	var v Visits
	tries := map[engine.Time]bool{}
	for now := engine.Time(1_000); now <= 21_000; now += 100 {
		if at := v.At(now); !tries[at] {
			if at != now && len(tries) == 0 {
				t.Fatalf("the first visit is tried for at %d", at)
			}
			if now >= v.next { // the one before has been made, and failed
				tries[at] = true
				v.Hastened(at)
			}
		}
	}
	if len(tries) != 5 {
		t.Errorf("%d attempts in 20 s: %v", len(tries), tries)
	}
}

// Fault 280: what the server asked to wait for it gets, and nothing is put off.
func TestFault280_SoonerHeedsTheServer(t *testing.T) {
	for name, c := range map[string]struct {
		wait, floor, at, want engine.Time
		moved                 bool
	}{
		"waits for long":        {30_000, 0, 2_000, 2_000, true},
		"behind its floor":      {30_000, 1_000, 2_000, 2_000, true},
		"before its floor":      {30_000, 20_000, 2_000, 30_000, false},
		"is due before":         {1_000, 0, 2_000, 1_000, false},
		"waits for something":   {engine.Never, 0, 2_000, engine.Never, false},
		"is due at that moment": {2_000, 0, 2_000, 2_000, false},
	} {
		if got, moved := Sooner(c.wait, c.floor, c.at); got != c.want || moved != c.moved {
			t.Errorf("%s: %d, %t", name, got, moved)
		}
	}
}
