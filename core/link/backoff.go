package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// The bounds of a server's retry value, in milliseconds. The floor keeps
// "retry: 0" from becoming a hot loop, the cap keeps "retry: 2147483648" from
// becoming one: setTimeout wraps at 2^31 (RELIABILITY finding 10).
const (
	RetryFloor = 10
	RetryCap   = 3_600_000
)

// retryJitter is the most that is added to a server's retry, in milliseconds.
// The conformance suite's sse-retry wants a GET within +200 ms of it.
const retryJitter = 100

// window is the span of milliseconds from which a delay is drawn.
type window struct{ from, to int64 }

// ladder holds the windows of the first, second, ... attempt since the stream
// last progressed; the last row repeats. The first is short because most cuts
// are a proxy's or a network change's; the second is already 3 s wide, so that
// 100 clients of a restarted server do not arrive together (fault 46); the last
// keeps a ten-minute outage under 30 attempts (fault 45).
var ladder = []window{
	{0, 250},
	{1_000, 4_000},
	{2_000, 6_000},
	{5_000, 12_000},
	{10_000, 24_000},
	{20_000, 30_000},
}

// ClampRetry puts a server's retry value, in milliseconds, into its bounds.
func ClampRetry(ms int64) int64 { return min(max(ms, RetryFloor), RetryCap) }

// Delay returns how long to wait before an attempt, in milliseconds. attempt
// counts from 0 since the last progress; retry is the server's value or -1.
// The server's value is a floor: jitter and backoff are only ever added to it.
func Delay(attempt int, retry int64, random *engine.Random) int64 {
	w := ladder[min(attempt, len(ladder)-1)]
	if retry < 0 {
		return w.from + random.Below(w.to-w.from)
	}
	retry = ClampRetry(retry)
	if attempt == 0 {
		return retry + random.Below(min(retryJitter, retry/4+5))
	}
	// The whole width of the window comes on top: a long retry with a short
	// jitter would line up the clients of a restarted server (fault 46).
	return max(w.from, retry) + random.Below(w.to-w.from)
}

// PollDelay returns how long to wait after a clean end where the server named
// a retry value: it asked to be polled (SEP-1699), so a poll without news is
// not a failure and does not climb the ladder.
func PollDelay(retry int64, random *engine.Random) int64 { return Delay(0, retry, random) }
