//go:build !js

package peer

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// A stream is one logical event stream: its store, and the connection that
// carries it now, if any (spec 3.2, resumability).
type stream struct {
	session *session
	name    string // "s3"; its events are "s3-0", "s3-1", ...
	noIDs   bool
	label   string // type of events that name none

	now atomic.Pointer[carrier]

	// Set before the first event, not changed after.
	owner      *execution  // the tool call that it answers; nil if it is none
	resumption *resumption // of a call that SEP-975 resumes; nil otherwise

	mu      sync.Mutex // orders storing, sending and replay
	events  []event
	times   []int // how often each event was put on a connection
	written int   // every event before this one was, or was passed over
	deleted int   // events before this one are no longer there to resume from
	ended   bool
	changed *changes
}

func (p *Peer) newStream(s *session) *stream {
	st := &stream{
		session: s,
		name:    fmt.Sprintf("s%d", p.streamSeq.Add(1)),
		noIDs:   p.opts.NoEventIDs,
		changed: &p.changed,
	}
	s.mu.Lock()
	s.streams = append(s.streams, st)
	s.mu.Unlock()
	return st
}

// emit stores an event and sends it to the connection of the moment. An empty
// id becomes the next one of the stream.
func (st *stream) emit(e event) {
	st.mu.Lock()
	defer st.mu.Unlock()
	e = st.store(e)
	defer st.changed.signal()
	c := st.now.Load()
	if c == nil || len(st.events) <= c.from {
		return
	}
	if c.send(e) {
		st.note(len(st.events) - 1)
	}
	st.drop(c)
}

// note remembers that the event with that index was put on a connection.
func (st *stream) note(i int) {
	st.times[i]++
	st.written = max(st.written, i+1)
}

func (st *stream) store(e event) event {
	if e.name == "" {
		e.name = st.label
	}
	if !st.noIDs {
		if e.id == "" {
			e.id = fmt.Sprintf("%s-%d", st.name, len(st.events))
		}
		st.session.mu.Lock()
		st.session.cursors[e.id] = position{st, len(st.events)}
		st.session.mu.Unlock()
	}
	st.events, st.times = append(st.events, e), append(st.times, 0)
	return e
}

// drop lets go of a carrier that was cut by what it was sent.
func (st *stream) drop(c *carrier) {
	if c.dead.Load() {
		st.now.CompareAndSwap(c, nil)
	}
}

// torn stores an event whole and sends only its first n bytes before the cut, or
// none at all of one that is eaten.
func (st *stream) torn(e event, n int, how Cutting) {
	st.mu.Lock()
	defer st.mu.Unlock()
	defer st.changed.signal()
	e = st.store(e)
	c := st.now.Swap(nil)
	if c == nil {
		return
	}
	if n == eaten {
		st.note(len(st.events) - 1)
	} else {
		frame := e.frame(!c.noIDs)
		c.write(frame[:min(n, len(frame))])
	}
	c.cut(how)
}

// raw sends text that the store never sees.
func (st *stream) raw(text string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if c := st.now.Load(); c != nil {
		c.write(text)
	}
}

// cut ends the connection of the moment; the stream goes on without.
func (st *stream) cut(how Cutting) bool {
	c := st.now.Swap(nil)
	if c == nil {
		return false
	}
	if how == Clean {
		c.openStream() // a proper end is the end of an event stream
	}
	c.cut(how)
	return true
}

// end ends the stream: a connection of the moment ends properly, and so does
// every later one after its replay.
func (st *stream) end() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.ended = true
	st.cut(Clean)
}

// attach makes c the stream's connection, after sending it the events from
// c.from on. A connection that still carries the stream is taken for dead.
func (st *stream) attach(c *carrier, f Fault) {
	// Outside the lock: a write that blocks on the old connection holds it.
	st.cut(FIN)
	var ahead []event
	if f.Foreign {
		ahead = append(ahead, st.session.foreign(st))
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if c.place != nil {
		c.from = c.place()
	}
	c.from += f.Skip - f.Repeat
	if f.FromStart {
		c.from = 0
	}
	st.now.Store(c)
	defer st.changed.signal()
	if c.greet != nil {
		c.greet()
	}
	for _, e := range ahead {
		c.send(e)
	}
	for i := max(c.from, 0); i < len(st.events) && !c.dead.Load(); i++ {
		if e := st.events[i]; !e.prime && !st.stale(c, e) && c.send(e) {
			st.note(i)
		}
	}
	st.drop(c)
	if st.ended {
		st.cut(Clean)
	}
}

// replay sends all of the stream on a connection that is another's, and ends it
// properly.
func (st *stream) replay(c *carrier) {
	st.mu.Lock()
	events := slices.Clone(st.events)
	st.mu.Unlock()
	for _, e := range events {
		if !e.prime && e.policy == nil {
			c.send(e)
		}
	}
	c.openStream()
	c.cut(Clean)
}

// other finds the stream of another call of the session, the newest first; the
// standalone one if there is none.
func (s *session) other(not *stream) *stream {
	if not.owner == nil {
		return s.standalone
	}
	o := not.owner.o
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range slices.Backward(o.all) {
		if e.stream != nil && e.stream != not && e.stream.session == s {
			return e.stream
		}
	}
	return s.standalone
}

// foreign finds an event that belongs to another stream of the session, or
// makes one up (fault 42). No stream may be locked by the caller.
func (s *session) foreign(not *stream) event {
	s.mu.Lock()
	streams := slices.Clone(s.streams)
	s.mu.Unlock()
	for _, st := range streams {
		if st == not {
			continue
		}
		st.mu.Lock()
		events := slices.Clone(st.events)
		st.mu.Unlock()
		for _, e := range events {
			if !e.prime {
				return e
			}
		}
	}
	return event{id: "s0-0", retry: -1, data: `{"jsonrpc":"2.0","method":"notifications/message",` +
		`"params":{"level":"info","data":"of another stream"}}`}
}
