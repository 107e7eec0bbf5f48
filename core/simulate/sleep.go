//go:build !js

package simulate

// sleep closes the lid: nothing reaches the page any more, and the service finds
// out that its connections are gone.
func (p *page) sleep() {
	p.asleep = p.w.now
	p.timer++
	for _, x := range p.live {
		x.deaf = true
	}
	for i := range p.calls {
		p.lose(&p.calls[i])
	}
}

// wake opens it. The network comes back a little later; half of the systems tell
// of connections that died, the others never do.
func (p *page) wake() {
	w := p.w
	slept := w.now - p.asleep
	p.asleep, p.offline = -1, true
	left := p.timerAt - w.now
	counted := uint32(slept)
	if p.still {
		p.behind += slept
		left += slept
		counted = 0
	}
	p.timer++
	w.push(event{at: w.now + max(left, 0), kind: evTimer, page: p, n: p.timer})
	if p.noisy {
		for _, x := range p.live {
			x.deaf = false
			w.push(event{at: w.now + between(w.rng, 5, 500), kind: evEnd, page: p, x: x})
		}
	}
	w.push(event{at: w.now + between(w.rng, 200, 3*second), kind: evNetwork, page: p})
	// The page looks at its clock every 5 s.
	w.push(event{at: w.now + between(w.rng, 0, 5*second), kind: evNotice, page: p, n: counted})
}
