//go:build !js

package simulate

import "math/bits"

// eventKind says what happens.
type eventKind uint8

const (
	evTimer   eventKind = iota + 1 // a page's timer fires, if n is still its number
	evArrive                       // a request reaches the load balancer
	evHead                         // an answer reaches the page
	evEvents                       // the next events of a stream do
	evEnd                          // so does the end of a connection
	evStored                       // a page's commit has landed
	evDown                         // an instance goes down (n)
	evUp                           // and comes back
	evSleep                        // a page's machine falls asleep
	evWake                         // it wakes up
	evNetwork                      // its network is there again
	evNotice                       // its page notices that it slept
	evConnect                      // a page is opened
	evRecall                       // its app makes a call again (n)
)

// event is something that happens at a time.
type event struct {
	at   int64
	page *page
	x    *exchange
	n    uint32
	kind eventKind
}

// occurrence is an event in the slot of its time.
type occurrence struct {
	page *page
	x    *exchange
	n    uint32
	kind eventKind
}

// queue holds what is to happen. Time is in whole milliseconds, so what is near
// needs no sorting: each millisecond has a list, and the lists make a ring. With a
// million entries that is a fraction of the cache misses of a heap, which remains
// for what is far. Events come in order of time, and those of one time in order of
// their booking.
type queue struct {
	now  int64  // of the slot that is being emptied: nothing is booked before it
	ring []slot // of the milliseconds from now on
	held int    // in the ring
	far  far
	free *block
}

// slot is what happens in one millisecond: from the first block's from on, up to
// the last one's to.
type slot struct {
	first, last *block
	from, to    int32
}

// block is a piece of a slot's list. Blocks are used again, so that a slot that
// was full once holds no memory for good.
type block struct {
	list [10]occurrence
	next *block
}

// newQueue returns an empty queue. The more clients there are, the farther its
// ring goes: with 100,000 two minutes, more than most timers wait; with 1,000 it
// is the heap that is in the cache.
func newQueue(clients int) queue { return queue{ring: make([]slot, 1<<bits.Len(uint(clients)))} }

func (q *queue) at(t int64) *slot { return &q.ring[t&int64(len(q.ring)-1)] }

func (q *queue) push(e event) {
	// What is far comes into the ring with the first step that brings it near,
	// and so before anything that is booked for the same time after that.
	if e.at-q.now >= int64(len(q.ring)) {
		q.far.push(e)
		return
	}
	q.place(e)
}

// place appends e to its slot.
func (q *queue) place(e event) {
	s := q.at(max(e.at, q.now))
	if s.last == nil || int(s.to) == len(s.last.list) {
		s.extend(q.block())
	}
	s.last.list[s.to] = occurrence{e.page, e.x, e.n, e.kind}
	s.to++
	q.held++
}

func (q *queue) block() *block {
	b := q.free
	if b == nil {
		return new(block)
	}
	q.free, b.next = b.next, nil
	return b
}

func (s *slot) extend(b *block) {
	if s.last == nil {
		s.first, s.from = b, 0
	} else {
		s.last.next = b
	}
	s.last, s.to = b, 0
}

func (q *queue) pop() (event, bool) {
	if q.held == 0 {
		if len(q.far.heap) == 0 {
			return event{}, false
		}
		q.step(q.far.heap[0].at)
	}
	s := q.at(q.now)
	for s.first == nil {
		q.step(q.now + 1)
		s = q.at(q.now)
	}
	b := s.first
	o := &b.list[s.from]
	e := event{q.now, o.page, o.x, o.n, o.kind}
	s.from++
	q.held--
	if b == s.last && s.from == s.to || int(s.from) == len(b.list) {
		if s.first, s.from = b.next, 0; s.first == nil {
			s.last = nil
		}
		*b = block{next: q.free}
		q.free = b
	}
	return e, true
}

// step goes on to a time, and takes in what it brings near.
func (q *queue) step(to int64) {
	q.now = to
	for len(q.far.heap) > 0 && q.far.heap[0].at-to < int64(len(q.ring)) {
		q.place(q.far.pop())
	}
}
