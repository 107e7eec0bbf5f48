//go:build !js

package peer

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Cutting is a way for a connection to end before its stream does.
type Cutting int

const (
	// None does not cut.
	None Cutting = iota
	// Clean ends the body properly: the client cannot tell it from a stream
	// that is complete (fault 39).
	Clean
	// FIN closes the connection without the terminating chunk. The client
	// gets the bytes sent so far, then an error; a page that was slower than
	// the error gets no bytes, because an errored ReadableStream drops its
	// queue. A Gate before the cut makes sure that it was not.
	FIN
	// Reset closes with RST. The client may lose bytes it had not read yet.
	Reset
	// Stall keeps the connection open and never sends on it again: a half-open
	// TCP connection (fault 40).
	Stall
)

// A carrier is one HTTP answer that a stream, or a plain answer, travels on.
type carrier struct {
	p    *Peer
	w    http.ResponseWriter
	conn net.Conn

	// Set before the first byte, not changed after.
	status int
	noIDs  bool
	from   int        // index of the first event of the stream that it may carry
	place  func() int // finds from with the stream locked; nil leaves it
	greet  func()     // sends what goes before the replay; nil sends nothing
	posted bool       // answers requests/resume, not a GET
	limit  int        // events until the cut; 0 means no limit
	how    Cutting    // the cut at the limit

	dead    atomic.Bool   // nothing may be written any more
	ours    atomic.Bool   // ended by a cut, and not by the client
	stalled atomic.Bool   // nothing is written, and nothing is closed
	done    chan struct{} // closed when the handler may return
	once    sync.Once

	mu     sync.Mutex // serialises writes; held while one blocks
	opened bool
	sent   int // events
	held   []byte
}

func (p *Peer) newCarrier(w http.ResponseWriter, r *http.Request) *carrier {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	return &carrier{p: p, w: w, conn: conn, status: http.StatusOK, done: make(chan struct{})}
}

// openStream sends the headers of an event stream. It is safe to repeat.
func (c *carrier) openStream() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.openLocked()
}

func (c *carrier) openLocked() {
	if c.opened || c.dead.Load() {
		return
	}
	c.opened = true
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	c.p.open.Add(1)
	c.w.WriteHeader(c.status)
	http.NewResponseController(c.w).Flush()
	c.p.changed.signal()
}

// send writes one event and makes the cut that is due after it. It reports
// whether the event went out whole, as far as a server can know.
func (c *carrier) send(e event) bool {
	frame := e.frame(!c.noIDs)
	if c.p.opts.CRLF {
		frame = strings.ReplaceAll(frame, "\n", "\r\n")
	}
	// Known before it is seen: the client may use a token at once.
	c.p.oracle.written(e.policy, true)
	whole := c.write(frame)
	if !whole {
		c.p.oracle.written(e.policy, false)
	}
	c.mu.Lock()
	c.sent++
	due := c.limit > 0 && c.sent == c.limit
	c.mu.Unlock()
	if due {
		c.cut(c.how)
	}
	return whole
}

// write puts text on the stream, headers first. Errors need no care: what the
// client missed is in the store.
func (c *carrier) write(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.openLocked()
	if c.p.wire.buffering() {
		c.held = append(c.held, text...)
		return !c.dead.Load()
	}
	return c.flushLocked([]byte(text))
}

func (c *carrier) flushLocked(b []byte) bool {
	step := c.p.wire.piece(len(b))
	flush := http.NewResponseController(c.w)
	for len(b) > 0 && !c.dead.Load() {
		n := min(step, len(b))
		if _, err := c.w.Write(b[:n]); err != nil {
			return false
		}
		if flush.Flush() != nil {
			return false
		}
		b = b[n:]
	}
	return len(b) == 0
}

// cut ends the connection in the given way. FIN and Reset go past a write that
// blocks; Clean waits for it.
func (c *carrier) cut(how Cutting) {
	switch how {
	case None:
		return
	case Stall:
		c.stalled.Store(true)
		c.dead.Store(true)
		return
	case FIN, Reset:
		c.ours.Store(true)
		c.dead.Store(true)
		if tcp, ok := c.conn.(*net.TCPConn); ok && how == Reset {
			tcp.SetLinger(0)
		}
		if c.conn != nil {
			c.conn.Close()
		}
	case Clean:
		c.ours.Store(true)
		c.mu.Lock()
		if len(c.held) > 0 {
			c.flushLocked(c.held)
			c.held = nil
		}
		c.dead.Store(true)
		c.mu.Unlock()
	}
	c.once.Do(func() { close(c.done) })
}

// wait keeps the handler until the answer is over or the client has gone, and
// then makes sure that nobody writes to it any more.
func (c *carrier) wait(ctx context.Context) {
	if every := c.p.opts.KeepAlive; every > 0 {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for c.alive(ctx, tick.C) {
			c.comment()
		}
	} else {
		c.alive(ctx, nil)
	}
	c.dead.Store(true)
	c.mu.Lock()
	if c.opened {
		c.opened = false
		c.p.open.Add(-1)
	}
	c.mu.Unlock()
	c.p.changed.signal()
}

func (c *carrier) alive(ctx context.Context, tick <-chan time.Time) bool {
	select {
	case <-tick:
		return true
	case <-c.done:
	case <-ctx.Done():
	case <-c.p.ctx.Done():
	}
	return false
}

// comment keeps the connection alive, but sends no headers by itself.
func (c *carrier) comment() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened {
		c.flushLocked([]byte(": keep-alive\n\n"))
	}
}
