package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// NewsKind says what has happened to a page, or to its network.
type NewsKind uint8

// The kinds of news.
const (
	NewsOnline NewsKind = iota // the network is back: what waits is tried, and what looks alive has to prove it
	NewsVisit                  // a page has come to a client that outlives its pages: what waits after failures is tried
	NewsShown                  // the page is seen again: what looks alive has to prove it
	NewsSlept                  // the page has slept: deadlines move on, and what looks alive has to prove it
)

// News is something that changes for how long it is worth to wait.
type News struct {
	Kind NewsKind
	Now  engine.Time
	At   engine.Time // NewsOnline and NewsVisit: when what waits after failures may be tried
	Gap  int64       // NewsSlept: for how long, in ms, as far as the clock has counted it
}

// Hastens reports whether what waits after failures may be tried sooner.
func (n News) Hastens() bool { return n.Kind <= NewsVisit }

// Later moves a deadline on by the ms that nobody could have met it in.
func Later(at engine.Time, gap int64) engine.Time {
	if at == engine.Never {
		return at
	}
	return at.After(gap)
}
