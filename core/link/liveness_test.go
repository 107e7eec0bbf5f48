package link

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

func watch(limit int64) *liveness {
	l := &liveness{limit: limit, proveBy: engine.Never}
	l.start(0, false, firstDoubtAfter(0))
	return l
}

// TestLivenessLimit: the limit follows the keep-alives, once there were enough.
func TestLivenessLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int64
		beats []engine.Time
		want  int64
	}{
		{"none", 180_000, nil, 180_000},
		{"two", 180_000, []engine.Time{1_000, 2_000}, 180_000},
		{"three", 180_000, []engine.Time{1_000, 2_000, 3_000}, 30_000},
		{"every 12 s", 180_000, []engine.Time{12_000, 24_000, 36_000}, 48_000},
		{"the longest gap counts", 180_000, []engine.Time{1_000, 21_000, 22_000, 23_000}, 80_000},
		{"never over the limit", 20_000, []engine.Time{60_000, 120_000, 180_000}, 20_000},
	} {
		l := watch(c.limit)
		for _, at := range c.beats {
			l.arrived(at, true, !true)
		}
		if got := l.idle(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestLivenessDeadline: bytes push it back, a hold suspends it, proof pulls it in.
func TestLivenessDeadline(t *testing.T) {
	l := watch(100_000)
	want := func(when string, at engine.Time) {
		t.Helper()
		if got := l.deadline(); got != at {
			t.Errorf("%s: %d, want %d", when, got, at)
		}
	}
	want("at the start", 100_000)
	l.arrived(5_000, false, !false)
	want("after a byte", 105_000)
	l.prove(6_000, ProveWithin)
	l.prove(6_500, ProveWithin)
	want("proof demanded, twice", 7_000)
	l.prove(6_600, ProveShown)
	want("and less urgently once more", 7_000)
	l.arrived(6_900, false, !false)
	want("proved", 106_900)
	l.slept(50_000)
	want("after a sleep", 156_900)
	l.hold(20_000, true)
	want("held", engine.Never)
	l.prove(21_000, ProveWithin)
	want("held, proof demanded", engine.Never)
	l.start(25_000, false, firstDoubtAfter(0))
	want("held, connected again", engine.Never)
	l.prove(26_000, ProveWithin)
	l.hold(30_000, false)
	want("let go: it has its second", 31_000)
	l.arrived(30_500, false, !false)
	want("and proved", 130_500)
	l.prove(31_000, ProveShown)
	l.hold(31_500, true)
	l.hold(32_000, false)
	want("a short pause takes nothing from a longer time", 51_000)

	never := watch(0)
	if at := never.deadline(); at != engine.Never {
		t.Errorf("without a limit: %d", at)
	}
	never.prove(10, ProveWithin)
	if at := never.deadline(); at != 1_010 {
		t.Errorf("without a limit, proof demanded: %d", at)
	}
}

// TestPatienceAfterAnOutage: a resumed connection that says nothing is doubted
// soon where it was to be had at once, and later where it took several attempts:
// then its server has just come back.
func TestPatienceAfterAnOutage(t *testing.T) {
	for attempts, want := range map[int]engine.Time{1: 5_000, 2: 20_000, 7: 20_000} {
		l := liveness{limit: DefaultIdle}
		l.start(0, true, firstDoubtAfter(attempts))
		if at := l.deadline(); at != want {
			t.Errorf("after %d attempts it is doubted at %d ms, want %d", attempts, at, want)
		}
		l.died()
		l.start(0, true, firstDoubtAfter(1))
		if at := l.deadline(); at != 2*want {
			t.Errorf("after %d attempts and a doubt it is doubted again at %d ms, want %d", attempts, at,
				2*want)
		}
	}
}
