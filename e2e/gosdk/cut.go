//go:build !js

package gosdk

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// cuts knows the answers under way, so that they can be dropped.
type cuts struct {
	mu  sync.Mutex
	now map[*answer]struct{}
}

type answer struct {
	end     context.CancelFunc
	control *http.ResponseController
	cut     bool
}

// serve runs the SDK's handler under a context that a cut ends. The SDK then
// lets go of the stream, so that a client may resume it at once, and the abort
// closes the connection without the chunk that would end the body properly.
func (c *cuts) serve(h http.Handler, w http.ResponseWriter, r *http.Request) {
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

func (c *cuts) all() int {
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

func (c *cuts) open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.now)
}
