//go:build !js

package simulate

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// Policy is a way to space attempts.
type Policy struct {
	Name string
	Note string
	link.Policy
}

// Policies are the built-in one and what it is compared with.
func Policies() []Policy {
	but := func(name, note string, change func(p *link.Policy)) Policy {
		p := Policy{name, note, link.BuiltIn()}
		change(&p.Policy)
		return p
	}
	steps := func(windows ...link.Window) func(*link.Policy) {
		return func(p *link.Policy) {
			p.Window = func(attempt int, _ bool,
				_ *engine.Random) link.Window {
				return windows[min(attempt, len(windows)-1)]
			}
		}
	}
	lockstep := func(p *link.Policy) { p.AfterRefusal = func(int64, int64) int64 { return 0 } }
	hasty := func(p *link.Policy) { p.Doubt = func(int) int64 { return 5 * second } }
	narrow := func(p *link.Policy) { p.AfterCut = func(retry int64) int64 { return min(retry/4+5, 100) } }
	return []Policy{
		but("built in", "", func(*link.Policy) {}),
		but("before", "the three below, all at once",
			func(p *link.Policy) { lockstep(p); hasty(p); narrow(p) }),
		but("Retry-After to the letter", "no jitter on top of it", lockstep),
		but("hasty doubt", "a silent resumed stream is doubted after 5 s, however hard it was to get", hasty),
		but("narrow retry", "at most 100 ms on top of retry after a cut", narrow),
		but("full jitter", "0 to 2, 4, 8, 16, 30 s",
			steps(link.Window{To: 250}, link.Window{To: 2_000}, link.Window{To: 4_000},
				link.Window{To: 8_000}, link.Window{To: 16_000}, link.Window{To: 30_000})),
		but("equal jitter", "half of 2, 4, 8, 16, 30 s, and up to as much again", steps(link.Window{To: 250},
			link.Window{From: 1_000, To: 2_000}, link.Window{From: 2_000, To: 4_000},
			link.Window{From: 4_000, To: 8_000}, link.Window{From: 8_000, To: 16_000},
			link.Window{From: 15_000, To: 30_000})),
		but("decorrelated jitter", "1 s to three times the last, up to 30 s",
			func(p *link.Policy) { p.Window = decorrelated }),
		but("wider steps", "1 to 6, 2 to 12, 5 to 18, 10 to 25, 20 to 30 s", steps(link.Window{To: 250},
			link.Window{From: 1_000, To: 6_000}, link.Window{From: 2_000, To: 12_000},
			link.Window{From: 5_000, To: 18_000}, link.Window{From: 10_000, To: 25_000},
			link.Window{From: 20_000, To: 30_000})),
		but("widest steps", "1 to 10, 2 to 15, 5 to 20, 10 to 28, 20 to 30 s", steps(link.Window{To: 250},
			link.Window{From: 1_000, To: 10_000}, link.Window{From: 2_000, To: 15_000},
			link.Window{From: 5_000, To: 20_000}, link.Window{From: 10_000, To: 28_000},
			link.Window{From: 20_000, To: 30_000})),
		but("slow first try", "0 to 1 s instead of 250 ms", func(p *link.Policy) {
			window := p.Window
			p.Window = func(attempt int, accepted bool, random *engine.Random) link.Window {
				if attempt == 0 {
					return link.Window{To: 1_000}
				}
				return window(attempt, accepted, random)
			}
		}),
	}
}

// decorrelated draws each wait from 1 s to three times the one before it, which
// is drawn again: it has the same distribution.
func decorrelated(attempt int, _ bool, random *engine.Random) link.Window {
	if attempt == 0 {
		return link.Window{To: 250}
	}
	last := int64(second)
	for range attempt - 1 {
		last = min(second+random.Below(3*last-second), 30*second)
	}
	return link.Window{From: second, To: min(3*last, 30*second)}
}
