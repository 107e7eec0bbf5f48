package link

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// policy is the one that pages have.
var policy = BuiltIn()

func TestClampRetry(t *testing.T) {
	for ms, want := range map[int64]int64{
		-1: 10, 0: 10, 9: 10, 10: 10, 11: 11, 500: 500, 3_600_000: 3_600_000, 3_600_001: 3_600_000,
		1 << 31: 3_600_000, 1 << 53: 3_600_000, 1<<63 - 1: 3_600_000,
	} {
		if got := ClampRetry(ms); got != want {
			t.Errorf("%d: %d, want %d", ms, got, want)
		}
	}
}

// Fault 8: no value of a server's makes the client spin or wait for ever: it
// is clamped before jitter is added, so nothing wraps.
func TestFault08_RetryIsClamped(t *testing.T) {
	random := engine.NewRandom(1)
	for _, retry := range []int64{0, 1, 9, 10, 1 << 31, 1<<31 + 1, 1 << 53} {
		for attempt := range 50 {
			floor := ClampRetry(retry)
			if d := policy.Delay(attempt, retry, &random); d < floor || d > max(floor, 20_000)+10_000 {
				t.Errorf("retry %d, attempt %d: %d ms", retry, attempt, d)
			}
		}
		if d := PollDelay(retry, &random); d < ClampRetry(retry) || d > ClampRetry(retry)+pollJitter {
			t.Errorf("retry %d: polled after %d ms", retry, d)
		}
	}
}

// TestDelayWindows: each attempt has its window, and uses all of it.
func TestDelayWindows(t *testing.T) {
	random := engine.NewRandom(2)
	for attempt := range len(ladder) + 3 {
		for _, retry := range []int64{-1, 0, 700, 8_000} {
			w := ladder[min(attempt, len(ladder)-1)]
			if retry >= 0 {
				w.To += max(ClampRetry(retry)-w.From, 0)
				w.From = max(w.From, ClampRetry(retry))
				if attempt == 0 {
					w = Window{ClampRetry(retry), ClampRetry(retry) + afterCut(ClampRetry(retry))}
				}
			}
			low, high := int64(1<<62), int64(0)
			for range 20_000 {
				d := policy.Delay(attempt, retry, &random)
				low, high = min(low, d), max(high, d)
			}
			slack := (w.To-w.From)/20 + 1
			if low < w.From || low > w.From+slack || high >= w.To || high < w.To-slack-1 {
				t.Errorf("attempt %d, retry %d: %d to %d ms, want %+v", attempt, retry, low, high, w)
			}
		}
	}
}

// TestLadderClimbs: no window begins before the one that comes earlier.
func TestLadderClimbs(t *testing.T) {
	for i, w := range ladder {
		if w.From >= w.To || i > 0 && (w.From < ladder[i-1].From || w.To < ladder[i-1].To) {
			t.Errorf("step %d is %+v", i, w)
		}
	}
	if last := ladder[len(ladder)-1]; last.To > 30_000 || last.From < 20_000 {
		t.Errorf("the last step is %+v: a ten-minute outage would see more than 30 attempts, or a recovered "+
			"server wait longer", last)
	}
}

// TestRefusedComeSpread: what a Retry-After says is a floor, and those who were
// told the same do not come together: over half of it, or the width of the
// attempt's window where that is more, and no more than a minute.
func TestRefusedComeSpread(t *testing.T) {
	random := engine.NewRandom(3)
	for _, c := range []struct{ floor, attempt, from, width int64 }{
		{1_000, 1, 1_000, 3_000}, {500, 2, 2_000, 4_000}, {10_000, 1, 10_000, 5_000},
		{20_000, 5, 20_000, 10_000},
		{30_000, 0, 30_000, 15_000}, {3_600_000, 3, 3_600_000, 60_000}, {0, 1, 1_000, 3_000},
	} {
		low, high := int64(1<<62), int64(0)
		for range 20_000 {
			d := policy.DelayAfter(int(c.attempt), c.floor, &random)
			low, high = min(low, d), max(high, d)
		}
		if slack := c.width/20 + 1; low < c.from || low > c.from+slack || high >= c.from+c.width ||
			high < c.from+c.width-slack {
			t.Errorf("Retry-After %d, attempt %d: %d to %d ms, want %d and up to %d more", c.floor, c.attempt,
				low, high, c.from, c.width)
		}
	}
}
