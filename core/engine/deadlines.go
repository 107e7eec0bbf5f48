package engine

// Deadlines is an indexed heap of deadlines: the first is known at once, and one that
// changes is moved to its new place, however many there are. The zero value is empty.
type Deadlines struct {
	heap []*Deadline
}

// Deadline is one entry of a Deadlines: when something is due. It belongs to what it is
// of, and is in one heap at most. The zero value is not set.
type Deadline struct {
	at    Time
	place int // in the heap, counted from 1; 0 for not in it
}

// At returns when d is due, Never where that is not set.
func (d *Deadline) At() Time {
	if d.place == 0 {
		return Never
	}
	return d.at
}

// First returns when the first of them is due; Never where there is none.
func (h *Deadlines) First() Time {
	if len(h.heap) == 0 {
		return Never
	}
	return h.heap[0].at
}

// Set has d be due at a time; Never takes it out.
func (h *Deadlines) Set(d *Deadline, at Time) {
	if at == d.At() {
		return
	}
	d.at = at
	if d.place == 0 {
		h.heap = append(h.heap, d)
		h.settle(d, len(h.heap))
		return
	}
	if at != Never {
		h.settle(d, d.place)
		return
	}
	last := len(h.heap) - 1
	other := h.heap[last]
	h.heap = h.heap[:last]
	if other != d {
		h.settle(other, d.place)
	}
	d.place = 0
}

// settle puts d where it belongs from a place that is free: before what is due later, and
// behind what is due earlier.
func (h *Deadlines) settle(d *Deadline, place int) {
	heap := h.heap
	for place > 1 {
		above := heap[place/2-1]
		if above.at <= d.at {
			break
		}
		heap[place-1], above.place = above, place
		place /= 2
	}
	for {
		next := 2 * place
		if next > len(heap) {
			break
		}
		below := heap[next-1]
		if next < len(heap) && heap[next].at < below.at {
			below = heap[next]
			next++
		}
		if d.at <= below.at {
			break
		}
		heap[place-1], below.place = below, place
		place = next
	}
	heap[place-1], d.place = d, place
}
