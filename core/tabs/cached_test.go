package tabs_test

import (
	"maps"
	"slices"
)

// cache puts the page into the back/forward cache.
func (p *tab) cache() {
	p.w.note("> %s: goes to the cache", p.name)
	for len(p.store) > 0 { // what was under way is stored still
		p.land()
	}
	p.tell(message{word: "frozen", from: p.name})
	p.m.Rest()
	p.m.Hide()
	p.frozen, p.cached, p.inbox = true, true, nil
	clear(p.watched)
	p.free()
}

// back brings it back from there.
func (p *tab) back() {
	p.w.note("> %s: is back", p.name)
	if p.w.rng.IntN(2) == 0 { // Chrome has it wake before it is shown
		p.m.Wake(p.w.now)
		p.drain()
		for len(p.store)+len(p.reports) > 0 {
			p.step(1)
			p.step(2)
		}
	}
	p.frozen, p.cached = false, false
	for _, other := range p.w.tabs {
		if other != p && !other.dead && !other.cached {
			p.m.Living(p.w.now, other.name)
		}
	}
	p.drain()
	p.tell(message{word: "hello", from: p.name})
	p.m.Show(p.w.now)
	p.drain()
	p.m.Wake(p.w.now)
	p.drain()
	if len(p.streams) > 0 {
		p.cut(slices.Min(slices.Collect(maps.Keys(p.streams))))
	}
}
