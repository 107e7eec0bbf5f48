//go:build !js

package peer

import (
	"context"
	"time"
)

// settle is how long the end of a client's old connection may come behind its
// new one: they are two TCP connections, nothing orders them, and a machine may be busy.
const settle = 2 * time.Second

// A meter counts the connections that carry one call. Two at a time mean that
// two pages, or a page and its successor, both believe that the call is theirs.
type meter struct {
	open map[*carrier]bool
	max  int
	all  int
	left time.Time // when the last one ended
}

// count is how many connections the client still has, and how many of those
// the Peer has made to stall.
func (m *meter) count() (live, stalled int) {
	for c := range m.open {
		if c.ours.Load() { // our own cut, or the proper end
			continue
		}
		if live++; c.stalled.Load() {
			stalled++
		}
	}
	return live, stalled
}

// waited is the time since the last connection ended; 0 while one is open.
func (m *meter) waited(now time.Time) time.Duration {
	if live, _ := m.count(); live > 0 || m.left.IsZero() {
		return 0
	}
	return now.Sub(m.left)
}

// settle waits for the end of a connection whose client has come back already.
// A stalled one is not waited for: a test may want it to hang.
func (e *execution) settle(ctx context.Context) {
	if e == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	e.o.p.changed.await(ctx, func() bool {
		e.o.mu.Lock()
		defer e.o.mu.Unlock()
		live, stalled := e.count()
		return live == stalled
	})
}

// enter notes that a connection carries the call; the function that it returns
// notes its end.
func (e *execution) enter(c *carrier, st *stream) func() {
	if e == nil {
		return func() {}
	}
	stalled := 0
	e.note(func() {
		if e.open == nil {
			e.open = make(map[*carrier]bool)
		}
		e.open[c] = true
		e.all++
		var live int
		live, stalled = e.count()
		e.max = max(e.max, live-stalled)
	})
	if stalled > 0 {
		e.o.p.work.Go(func() { e.doubt(c) })
	}
	return func() {
		if st.resumption != nil {
			st.resumption.arm()
		}
		e.note(func() {
			delete(e.open, c)
			e.left = e.o.p.clock.now()
		})
		if st.resumption != nil {
			st.resumption.lapse()
		}
	}
}

// doubt counts a stalled connection beside the new one if the client does not
// let go of it soon: it may be dead on the wire, but the client keeps it.
func (e *execution) doubt(c *carrier) {
	p := e.o.p
	ctx, cancel := context.WithTimeout(p.ctx, settle)
	defer cancel()
	over := p.changed.await(ctx, func() bool {
		e.o.mu.Lock()
		defer e.o.mu.Unlock()
		_, stalled := e.count()
		return stalled == 0 || !e.open[c]
	})
	if !over && p.ctx.Err() == nil {
		e.note(func() {
			live, _ := e.count()
			e.max = max(e.max, live)
		})
	}
}

// OpenStreams is the number of connections that carry the call now. At 0 the time
// after which a policy lapses has begun.
func (o *Oracle) OpenStreams(label string) int {
	n := 0
	for _, open := range gather(o, label, func(e *execution) []int { return []int{len(e.open)} }) {
		n += open
	}
	return n
}

// MaxOpenStreams is the largest number of connections that carried one run of
// the call at the same time. A client that is in its right mind makes it 1.
func (o *Oracle) MaxOpenStreams(label string) int {
	n := 0
	for _, one := range gather(o, label, func(e *execution) []int { return []int{e.max} }) {
		n = max(n, one)
	}
	return n
}

// Connections is how many connections carried the call in all, one after
// another: one more than it was resumed.
func (o *Oracle) Connections(label string) int {
	n := 0
	for _, one := range gather(o, label, func(e *execution) []int { return []int{e.all} }) {
		n += one
	}
	return n
}
