//go:build !js

// Package cuts drops the answers that an HTTP handler is giving.
package cuts

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Cuts knows the answers under way, so that they can be dropped. The zero value
// knows of none.
type Cuts struct {
	mu  sync.Mutex
	now map[*answer]struct{}
}

type answer struct {
	end     context.CancelFunc
	control *http.ResponseController
	cut     bool
}

// Serve runs a handler under a context that a cut ends. The handler then lets go
// of its stream, so that a client may resume it at once, and the abort closes the
// connection without the chunk that would end the body properly.
func (c *Cuts) Serve(h http.Handler, w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	a := &answer{end: cancel, control: http.NewResponseController(w)}
	c.mu.Lock()
	if c.now == nil {
		c.now = make(map[*answer]struct{})
	}
	c.now[a] = struct{}{}
	c.mu.Unlock()
	h.ServeHTTP(w, r.WithContext(ctx))
	c.mu.Lock()
	delete(c.now, a)
	cut := a.cut
	c.mu.Unlock()
	if cut {
		panic(http.ErrAbortHandler)
	}
}

// All drops every answer under way and returns how many there were.
func (c *Cuts) All() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for a := range c.now {
		a.cut = true
		// A write that blocks on a slow reader would keep the handler.
		a.control.SetWriteDeadline(time.Unix(1, 0))
		a.end()
	}
	return len(c.now)
}

// Open is the number of answers under way.
func (c *Cuts) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.now)
}
