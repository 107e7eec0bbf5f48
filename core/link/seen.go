package link

import (
	"encoding/binary"
	"slices"
)

// seenIDs remembers the event ids of a stream as hashes, so that a server that
// replays more than what lies past the cursor delivers nothing twice
// (fault 41). It is bounded: a replay that reaches back further
// than seenMax events is not recognised.
type seenIDs struct {
	ring  []uint64
	next  int
	fresh int // how many of the newest nobody has taken to store them
	spare *SpareMarks
}

// SpareMarks is the memory that a stream which is over leaves for the next one
// that grows long: without it each of them cost a client 36 KB of garbage, and the
// memory of a wasm only grows. The zero value holds none.
type SpareMarks struct{ ring []uint64 }

const seenMax = 4096 // 32 KB per stream at most

// add notes an id.
func (s *seenIDs) add(id []byte) {
	s.put(fnv64(id))
	s.fresh = min(s.fresh+1, seenMax)
}

func (s *seenIDs) put(h uint64) {
	if len(s.ring) < seenMax {
		if n := len(s.ring); n == cap(s.ring) {
			// In three steps: append's own leave 80 KB of garbage behind each long
			// stream, and the memory of a wasm only grows.
			if !s.takeSpare() {
				s.ring = slices.Grow(s.ring, min(max(64, 7*n), seenMax-n))
			}
		}
		s.ring = append(s.ring, h)
		return
	}
	s.ring[s.next] = h
	s.next = (s.next + 1) % seenMax
}

// takeSpare goes on in the memory of a stream before, if that is larger. A short
// stream, which needs next to nothing, leaves it to others.
func (s *seenIDs) takeSpare() bool {
	if s.spare == nil || len(s.ring) == 0 || cap(s.spare.ring) <= cap(s.ring) {
		return false
	}
	s.ring, s.spare.ring = append(s.spare.ring[:0], s.ring...), nil
	return true
}

// clear forgets all ids: nothing follows them.
func (s *seenIDs) clear() {
	if s.spare != nil && cap(s.ring) > cap(s.spare.ring) {
		s.spare.ring = s.ring[:0]
	}
	*s = seenIDs{spare: s.spare}
}

// take appends the fresh hashes to b, oldest first, eight bytes each.
func (s *seenIDs) take(b []byte) []byte {
	n := len(s.ring)
	for i := n - s.fresh; i < n; i++ {
		b = binary.LittleEndian.AppendUint64(b, s.ring[(s.next+i)%n])
	}
	s.fresh = 0
	return b
}

// restore notes the hashes that an earlier page took.
func (s *seenIDs) restore(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s.put(binary.LittleEndian.Uint64(b))
	}
}

// has reports whether the id was noted.
func (s *seenIDs) has(id []byte) bool {
	h := fnv64(id)
	for _, x := range s.ring {
		if x == h {
			return true
		}
	}
	return false
}

// fnv64 is FNV-1a. An opaque id set that collides on purpose only hides the
// events of the server that made it.
func fnv64(p []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range p {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}
