//go:build !js

package peer

import (
	"context"
	"sync"
)

// changes tells waiters that something observable about the Peer moved. Every
// wait in this package is a predicate over it, so that no test has to sleep.
type changes struct {
	mu sync.Mutex
	ch chan struct{}
}

func (c *changes) signal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ch != nil {
		close(c.ch)
		c.ch = nil
	}
}

func (c *changes) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ch == nil {
		c.ch = make(chan struct{})
	}
	return c.ch
}

// await returns true once ok does, false when ctx ends first. ok runs without
// any lock of this package held.
func (c *changes) await(ctx context.Context, ok func() bool) bool {
	for {
		next := c.next()
		if ok() {
			return true
		}
		select {
		case <-next:
		case <-ctx.Done():
			return false
		}
	}
}
