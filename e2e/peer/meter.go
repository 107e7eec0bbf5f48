//go:build !js

package peer

import (
	"context"
	"time"
)

// settle is how long the end of a client's old connection may come behind its
// new one: they are two TCP connections, nothing orders them, and a machine may be busy.
const settle = 5 * time.Second

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
	e.settled(ctx, func() {})
}

// settled runs do as soon as the call has no other connection, with the Oracle
// locked, or settle later; never where the client goes meanwhile.
func (e *execution) settled(ctx context.Context, do func()) {
	limited, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	done := e.o.p.changed.await(limited, func() bool {
		e.o.mu.Lock()
		defer e.o.mu.Unlock()
		live, stalled := e.count()
		if live == stalled && ctx.Err() == nil {
			do()
			return true
		}
		return false
	})
	if !done && ctx.Err() == nil {
		e.note(do)
	}
}

// enter notes that a connection carries the call; the function that it returns
// notes its end. Of several that have waited for the end of the one before, all
// but the last are a client's that has gone.
func (e *execution) enter(ctx context.Context, c *carrier, st *stream) func() {
	if e == nil {
		return func() {}
	}
	stalled, entered := 0, false
	e.settled(ctx, func() {
		if e.open == nil {
			e.open = make(map[*carrier]bool)
		}
		entered = true
		e.open[c] = true
		e.all++
		var live int
		live, stalled = e.count()
		e.max = max(e.max, live-stalled)
	})
	if !entered {
		return func() {}
	}
	e.o.p.changed.signal()
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
