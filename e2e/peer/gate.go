//go:build !js

package peer

import (
	"context"
	"sync"
)

// gates are the named points at which scripts and delayed requests stop.
type gates struct {
	changed *changes
	mu      sync.Mutex
	all     map[string]*gate
}

type gate struct {
	open    bool // passes everyone
	passes  int  // passes that many, then is closed again
	waiting int
}

func (g *gates) get(name string) *gate {
	if g.all == nil {
		g.all = make(map[string]*gate)
	}
	if g.all[name] == nil {
		g.all[name] = new(gate)
	}
	return g.all[name]
}

func (g *gates) update(name string, f func(*gate)) {
	g.mu.Lock()
	f(g.get(name))
	g.mu.Unlock()
	g.changed.signal()
}

func (g *gates) pass(ctx context.Context, name string) bool {
	g.update(name, func(g *gate) { g.waiting++ })
	defer g.update(name, func(g *gate) { g.waiting-- })
	return g.changed.await(ctx, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		switch this := g.get(name); {
		case this.open:
			return true
		case this.passes > 0:
			this.passes--
			return true
		}
		return false
	})
}

// Hold closes a gate that Release opened. A gate nobody has touched is closed
// already.
func (p *Peer) Hold(name string) {
	p.gates.update(name, func(g *gate) { g.open, g.passes = false, 0 })
}

// Release opens a gate for everyone who waits at it and everyone to come.
func (p *Peer) Release(name string) {
	p.gates.update(name, func(g *gate) { g.open = true })
}

// Pass lets exactly one waiter through, the next to come if none is waiting.
func (p *Peer) Pass(name string) {
	p.gates.update(name, func(g *gate) { g.passes++ })
}

// Waiting returns once somebody waits at the gate; the test fails if nobody
// comes.
func (p *Peer) Waiting(name string) {
	p.t.Helper()
	p.until(name, "nobody reached", func(g *gate) bool { return g.waiting > 0 })
}

// Left returns once nobody waits at the gate any more: a request leaves it when the
// server notices that its connection has ended. The test fails if somebody stays.
func (p *Peer) Left(name string) {
	p.t.Helper()
	p.until(name, "somebody stayed at", func(g *gate) bool { return g.waiting == 0 })
}

func (p *Peer) until(name, otherwise string, holds func(*gate) bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if !p.changed.await(ctx, func() bool {
		p.gates.mu.Lock()
		defer p.gates.mu.Unlock()
		return holds(p.gates.get(name))
	}) {
		p.t.Fatalf("peer: %s gate %q within %v", otherwise, name, patience)
	}
}
