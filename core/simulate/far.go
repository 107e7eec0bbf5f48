//go:build !js

package simulate

// far holds what is to happen later than the queue's ring goes: a heap with four
// children to a node, which for a million entries touches half the cache lines
// of a binary one.
type far struct {
	heap []farEvent
	seq  uint64
}

// farEvent is an event in the order of its booking.
type farEvent struct {
	event
	seq uint64
}

func (e *farEvent) before(o *farEvent) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

func (f *far) push(e event) {
	f.seq++
	last := farEvent{e, f.seq}
	f.heap = append(f.heap, last)
	h := f.heap
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !last.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = last
}

// pop takes the first event; there must be one.
func (f *far) pop() event {
	h := f.heap
	first, last := h[0].event, h[len(h)-1]
	h[len(h)-1] = farEvent{}
	h = h[:len(h)-1]
	f.heap = h
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
	return first
}
