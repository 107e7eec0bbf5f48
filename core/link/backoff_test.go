package link

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

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
			if d := Delay(attempt, retry, &random); d < floor || d > max(floor, 20_000)+10_000 {
				t.Errorf("retry %d, attempt %d: %d ms", retry, attempt, d)
			}
		}
		if d := PollDelay(retry, &random); d < ClampRetry(retry) || d > ClampRetry(retry)+retryJitter {
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
				w.to += max(ClampRetry(retry)-w.from, 0)
				w.from = max(w.from, ClampRetry(retry))
				if attempt == 0 {
					w = window{ClampRetry(retry), ClampRetry(retry) + min(retryJitter, ClampRetry(retry)/4+5)}
				}
			}
			low, high := int64(1<<62), int64(0)
			for range 20_000 {
				d := Delay(attempt, retry, &random)
				low, high = min(low, d), max(high, d)
			}
			slack := (w.to-w.from)/20 + 1
			if low < w.from || low > w.from+slack || high >= w.to || high < w.to-slack-1 {
				t.Errorf("attempt %d, retry %d: %d to %d ms, want %+v", attempt, retry, low, high, w)
			}
		}
	}
}

// TestLadderClimbs: no window begins before the one that comes earlier.
func TestLadderClimbs(t *testing.T) {
	for i, w := range ladder {
		if w.from >= w.to || i > 0 && (w.from < ladder[i-1].from || w.to < ladder[i-1].to) {
			t.Errorf("step %d is %+v", i, w)
		}
	}
	if last := ladder[len(ladder)-1]; last.to > 30_000 || last.from < 20_000 {
		t.Errorf("the last step is %+v: a ten-minute outage would see more than 30 attempts, or a recovered server wait longer", last)
	}
}
