//go:build !js

package peer

import (
	"sync"
	"time"
)

// clock is the time by which resume policies and tasks lapse, and scripts wait
// (see Until): the real one, and what a test has added to it.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

// Now is the server's time.
func (p *Peer) Now() time.Time { return p.clock.now() }

// Advance makes the server's clock go forward, so that a maxWait of ten minutes
// can pass in a test. Only what lapses and [Until] look at it; requests carry real times.
func (p *Peer) Advance(d time.Duration) {
	p.clock.mu.Lock()
	p.clock.ahead += d
	p.clock.mu.Unlock()
	p.changed.signal()
	for _, t := range p.tasks.list() {
		t.lapse()
	}
	for _, s := range p.home.list() {
		s.mu.Lock()
		var all []*resumption
		for _, r := range s.resumptions {
			all = append(all, r)
		}
		s.mu.Unlock()
		for _, r := range all {
			r.lapse()
		}
	}
}
