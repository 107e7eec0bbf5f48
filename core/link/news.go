package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// NewsKind says what has happened to a page, or to its network.
type NewsKind uint8

// The kinds of news.
const (
	NewsOnline NewsKind = iota // the network is back: what waits is tried, what looks alive has to prove it
	NewsVisit                  // a page has come: what waits after failures is tried
	NewsShown                  // the page is seen again: what looks alive has to prove it
	NewsWoke                   // the page has slept: deadlines move on, and what looks alive has to prove it
)

// News is something that changes for how long it is worth to wait.
type News struct {
	Kind   NewsKind
	Now    engine.Time
	At     engine.Time // NewsOnline and NewsVisit: when what waits after failures may be tried
	Gap    int64       // NewsWoke: for how long the page has slept, in ms
	Within int64       // all but NewsVisit: for how long what looks alive has to prove it, in ms
}

// Hastens reports whether what waits after failures may be tried sooner.
func (n *News) Hastens() bool { return n.Kind <= NewsVisit }

// Later moves a deadline on by the time that the page has slept.
func (n *News) Later(at engine.Time) engine.Time {
	if n.Kind != NewsWoke {
		return at
	}
	return at.After(n.Gap) // Never stays Never
}

// Sooner moves a wait on for the news (Sooner).
func (n *News) Sooner(wait, floor engine.Time) (at engine.Time, moved bool) {
	if !n.Hastens() {
		return wait, false
	}
	return Sooner(wait, floor, n.At)
}
