package engine

// Deadlines is an indexed heap of deadlines: the first is known at once, and one that
// changes is moved to its new place, however many there are. The zero value is empty.
type Deadlines[T any] struct {
	heap []*Deadline[T]
}

// Deadline is one entry of a Deadlines: when something is due, and what. It belongs to
// what it is of, and is in one heap at most.
type Deadline[T any] struct {
	Of    T
	at    Time
	place int // in the heap, counted from 1; 0 for not in it
}

// At returns when d is due, Never where that is not set.
func (d *Deadline[T]) At() Time {
	if d.place == 0 {
		return Never
	}
	return d.at
}

// First returns when the first of them is due; Never where there is none.
func (h *Deadlines[T]) First() Time {
	if len(h.heap) == 0 {
		return Never
	}
	return h.heap[0].at
}

// Set has d be due at a time; Never takes it out.
func (h *Deadlines[T]) Set(d *Deadline[T], at Time) {
	switch {
	case at == d.At():
	case at == Never:
		h.remove(d)
	case d.place == 0:
		h.heap = append(h.heap, d)
		d.at, d.place = at, len(h.heap)
		h.up(d)
	case at < d.at:
		d.at = at
		h.up(d)
	default:
		d.at = at
		h.down(d)
	}
}

// Due appends to list all that is due, in no order, and leaves it in the heap: whoever
// does what is due sets its next deadline.
func (h *Deadlines[T]) Due(now Time, list []T) []T { return h.due(1, now, list) }

// due walks over the part of the heap below a place: below what is not due nothing is.
func (h *Deadlines[T]) due(place int, now Time, list []T) []T {
	if place > len(h.heap) || now < h.heap[place-1].at {
		return list
	}
	list = append(list, h.heap[place-1].Of)
	return h.due(2*place+1, now, h.due(2*place, now, list))
}

func (h *Deadlines[T]) remove(d *Deadline[T]) {
	last := h.heap[len(h.heap)-1]
	h.heap[len(h.heap)-1] = nil
	h.heap = h.heap[:len(h.heap)-1]
	if last != d {
		h.put(last, d.place)
		h.up(last)
		h.down(last)
	}
	d.place = 0
}

func (h *Deadlines[T]) put(d *Deadline[T], place int) { h.heap[place-1], d.place = d, place }

// up moves d before what is due later.
func (h *Deadlines[T]) up(d *Deadline[T]) {
	for d.place > 1 {
		above := h.heap[d.place/2-1]
		if above.at <= d.at {
			return
		}
		place := d.place
		h.put(d, above.place)
		h.put(above, place)
	}
}

// down moves d behind what is due earlier.
func (h *Deadlines[T]) down(d *Deadline[T]) {
	for {
		below := 2 * d.place
		if below > len(h.heap) {
			return
		}
		if below < len(h.heap) && h.heap[below].at < h.heap[below-1].at {
			below++
		}
		next := h.heap[below-1]
		if d.at <= next.at {
			return
		}
		place := d.place
		h.put(d, below)
		h.put(next, place)
	}
}
