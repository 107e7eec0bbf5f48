//go:build !js

package simulate

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
	seq  uint64 // of two at one time the one that was booked first comes first
	n    uint32
	kind eventKind
	page *page
	x    *exchange
}

// queue holds what is to happen: a heap with four children to a node, which for
// a million entries touches half the cache lines of a binary one.
type queue struct {
	heap []event
	seq  uint64
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

func (q *queue) push(e event) {
	q.seq++
	e.seq = q.seq
	q.heap = append(q.heap, e)
	h := q.heap
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

func (q *queue) pop() (event, bool) {
	h := q.heap
	if len(h) == 0 {
		return event{}, false
	}
	first, last := h[0], h[len(h)-1]
	h[len(h)-1] = event{}
	h = h[:len(h)-1]
	q.heap = h
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		least := child
		for k := child + 1; k < min(child+4, len(h)); k++ {
			if h[k].before(&h[least]) {
				least = k
			}
		}
		if !h[least].before(&last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	if len(h) > 0 {
		h[i] = last
	}
	return first, true
}
