//go:build !js

// Package gate stops what would go on by a clock, so that a test decides how far
// it comes.
package gate

import (
	"context"
	"sync"
)

// A Gate is a point that everyone passes while nobody holds it. The zero value is
// open.
type Gate struct {
	mu     sync.Mutex
	held   bool
	passes int           // of those who come while it is held
	moved  chan struct{} // closed by the next change, if anybody waits
}

// Hold closes it.
func (g *Gate) Hold() { g.change(func() { g.held, g.passes = true, 0 }) }

// Pass lets as many through, those to come if fewer are waiting.
func (g *Gate) Pass(times int) { g.change(func() { g.passes += times }) }

// Release opens it for everyone who waits and everyone to come.
func (g *Gate) Release() { g.change(func() { g.held = false }) }

func (g *Gate) change(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
	if g.moved != nil {
		close(g.moved)
		g.moved = nil
	}
}

// Wait returns once it is let through, or why it was not.
func (g *Gate) Wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		if !g.held || g.passes > 0 {
			if g.held {
				g.passes--
			}
			g.mu.Unlock()
			return ctx.Err()
		}
		if g.moved == nil {
			g.moved = make(chan struct{})
		}
		moved := g.moved
		g.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
