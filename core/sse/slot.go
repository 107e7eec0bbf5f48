package sse

// keepSmall is the capacity above which a buffer for ids and types is given
// back once its value is gone; there are eight of them, 0.5 MiB at most.
const keepSmall = 64 << 10

// slot holds one short value (an id, a type) that may have to outlive the
// chunk it was found in.
//
// Events of the current push may still point into own, so keep writes to the
// other buffer: by the time that one is due again, the next push has ended the
// life of whatever pointed into it.
type slot struct {
	val        []byte
	lent       bool // val points into memory that the next push takes away
	own, spare []byte
}

// set lends v to the slot.
func (s *slot) set(v []byte) {
	s.drop()
	s.val, s.lent = v, true
}

// keep makes val the slot's own, and returns how many bytes that copied.
func (s *slot) keep() uint64 {
	if !s.lent {
		return 0
	}
	s.own, s.spare = append(s.spare[:0], s.val...), s.own
	s.val, s.lent = s.own, false
	return uint64(len(s.val))
}

// clear forgets the value.
func (s *slot) clear() {
	s.drop()
	s.val, s.lent = nil, false
}

// replace makes a copy of v the value and leaves both buffers alone, because
// events may point into either when a caller sets a value between pushes.
func (s *slot) replace(v []byte) {
	*s = slot{val: append([]byte(nil), v...)}
}

func (s *slot) drop() {
	if cap(s.own) > keepSmall {
		s.own = nil
	}
}

// trim empties b for reuse, or lets go of it when it has grown too large.
func trim(b []byte, keep int) []byte {
	if cap(b) > keep {
		return nil
	}
	return b[:0]
}
