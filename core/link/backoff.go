package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// The bounds of a server's retry value, in milliseconds. The floor keeps
// "retry: 0" from becoming a hot loop, the cap keeps "retry: 2147483648" from
// becoming one: setTimeout takes 2^31 ms for 0.
const (
	RetryFloor = 10
	RetryCap   = 3_600_000
)

// pollJitter is the most that is added to a server's retry before a poll, in
// milliseconds. The conformance suite's sse-retry wants a GET within +200 ms.
const pollJitter = 100

// The most over which attempts are spread that a server's word holds back, in
// milliseconds: the first after a cut, and those after a refusal. A person waits.
const (
	maxAfterCut     = 5_000
	maxAfterRefusal = 60_000
)

// Window is the span of milliseconds from which a delay is drawn.
type Window struct{ From, To int64 }

// ladder holds the windows of the first, second, ... attempt since the stream
// last progressed; the last row repeats. The first is short because most cuts
// are a proxy's or a network change's; the second is already 3 s wide, so that
// 100 clients of a restarted server do not arrive together (fault 46); the last
// keeps a ten-minute outage under 30 attempts (fault 45). What others come to is
// in docs/simulation.md.
var ladder = []Window{
	{0, 250},
	{1_000, 4_000},
	{2_000, 6_000},
	{5_000, 12_000},
	{10_000, 24_000},
	{20_000, 30_000},
}

// flapping are the first windows of a stream that was accepted and cut again: the
// service is there, and something on the way cuts, most often for one client alone. In an
// outage nothing is accepted, so that all take the ladder. The second try comes within
// 500 ms and the third within 1.2 s at the median; from the fourth on it is the ladder.
var flapping = []Window{
	{0, 250},
	{0, 900},
	{300, 2_000},
}

func ladderWindow(attempt int, accepted bool, _ *engine.Random) Window {
	if accepted && attempt < len(flapping) {
		return flapping[attempt]
	}
	return ladder[min(attempt, len(ladder)-1)]
}

// afterCut grows with retry: a server that names a long one has many clients, or
// takes long to come back, and nobody who waits for it minds a quarter more.
func afterCut(retry int64) int64 { return min(retry/4+5, maxAfterCut) }

// afterRefusal grows with what the server asked for: it is about the time that
// it needs to serve those whom it has told so.
func afterRefusal(width, floor int64) int64 { return max(width, min(floor/2, maxAfterRefusal)) }

// ClampRetry puts a server's retry value, in milliseconds, into its bounds.
func ClampRetry(ms int64) int64 { return min(max(ms, RetryFloor), RetryCap) }

// Delay returns how long to wait before an attempt, in milliseconds. attempt
// counts from 0 since the last progress; retry is the server's value or -1.
// The server's value is a floor: jitter and backoff are only ever added to it.
func (p *Policy) Delay(attempt int, retry int64, random *engine.Random) int64 {
	return p.DelayAfterCut(attempt, false, retry, random)
}

// DelayAfterCut is Delay where it is known whether the connection that ended had been
// accepted: whether its head had come.
func (p *Policy) DelayAfterCut(attempt int, accepted bool, retry int64, random *engine.Random) int64 {
	w := p.Window(attempt, accepted, random)
	if retry < 0 {
		return w.From + random.Below(w.To-w.From)
	}
	retry = ClampRetry(retry)
	if attempt == 0 {
		return retry + random.Below(p.AfterCut(retry))
	}
	// The whole width of the window comes on top, and never less than after a first
	// cut: a long retry with a short jitter would line up the clients of a restarted
	// server (fault 46).
	return max(w.From, retry) + random.Below(max(w.To-w.From, p.AfterCut(retry)))
}

// DelayAfter returns how long to wait before an attempt where the server has
// said that it wants none for floor milliseconds (a Retry-After); 0 for nothing.
// Whoever was refused in the same second was told the same: without jitter all
// of them come again in the same second, and again.
func (p *Policy) DelayAfter(attempt int, floor int64, random *engine.Random) int64 {
	if floor <= 0 {
		return p.Delay(attempt, -1, random)
	}
	w := p.Window(attempt, false, random)
	return max(w.From, floor) + random.Below(p.AfterRefusal(w.To-w.From, floor))
}

// PollDelay returns how long to wait after a clean end where the server named
// a retry value: it asked to be polled (SEP-1699), so a poll without news is
// not a failure and does not climb the ladder.
func PollDelay(retry int64, random *engine.Random) int64 {
	retry = ClampRetry(retry)
	return retry + random.Below(min(retry/4+5, pollJitter))
}
