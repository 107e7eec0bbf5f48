//go:build !js

package acppeer

import "context"

// A gate is a named point at which turns and requests stop. One that nobody has
// touched is closed.
type gate struct {
	open    bool // passes everyone
	passes  int  // passes that many, then is closed again
	waiting int
}

// at finds a gate; the mutex is held.
func (p *Peer) at(name string) *gate {
	if p.gates[name] == nil {
		p.gates[name] = new(gate)
	}
	return p.gates[name]
}

// pass waits at a gate and reports whether it was let through.
func (p *Peer) pass(ctx context.Context, name string) bool {
	p.change(func() { p.at(name).waiting++ })
	defer p.change(func() { p.at(name).waiting-- })
	return p.await(ctx, func() bool {
		g := p.at(name)
		if g.open {
			return true
		}
		if g.passes > 0 {
			g.passes--
			return true
		}
		return false
	})
}

// Release opens a gate for everyone who waits at it and everyone to come.
func (p *Peer) Release(name string) { p.change(func() { p.at(name).open = true }) }

// Hold closes a gate that Release opened.
func (p *Peer) Hold(name string) {
	p.change(func() { p.at(name).open, p.at(name).passes = false, 0 })
}

// Pass lets as many waiters through, those to come if fewer are waiting.
func (p *Peer) Pass(name string, times int) { p.change(func() { p.at(name).passes += times }) }

// Waiting returns once somebody waits at the gate; the test fails if nobody
// comes.
func (p *Peer) Waiting(name string) {
	p.t.Helper()
	p.Await("somebody at gate "+name, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		g := p.at(name)
		return g.waiting > g.passes
	})
}

// Await returns once ok does; the test fails if it never does, and says what was
// waited for. ok runs again after everything that happens, and may use the Peer.
func (p *Peer) Await(what string, ok func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		p.mu.Lock()
		moved := p.moved
		p.mu.Unlock()
		if ok() {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			p.t.Fatalf("acppeer: no %s within %v", what, patience)
		}
	}
}
