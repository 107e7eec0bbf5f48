package link

import (
	"strconv"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/sse"
)

// TestSeenIDs: the newest ids are known, and no more memory is kept than for those.
func TestSeenIDs(t *testing.T) {
	var s seenIDs
	id := func(i int) []byte { return []byte("stream-1/event-" + strconv.Itoa(i)) }
	const all = 3*seenMax + 100
	for i := range all {
		if s.has(id(i)) {
			t.Fatalf("%s is known before it came", id(i))
		}
		s.add(id(i))
		if !s.has(id(i)) {
			t.Fatalf("%s is not known", id(i))
		}
		if i == 5 {
			break // the search is linear: one by one only at the start
		}
	}
	for i := 6; i < all; i++ {
		s.add(id(i))
	}
	for i := all - seenMax; i < all; i += 37 {
		if !s.has(id(i)) {
			t.Errorf("%s is not known any more", id(i))
		}
	}
	if s.has(id(all - seenMax - 1)) {
		t.Error("more is remembered than there is room for")
	}
	if len(s.ring) != seenMax || cap(s.ring) > 2*seenMax {
		t.Errorf("%d ids are kept, in room for %d", len(s.ring), cap(s.ring))
	}
	for _, other := range []string{"", "stream-1/event", "stream-2/event-" + strconv.Itoa(all-1)} {
		if s.has([]byte(other)) {
			t.Errorf("%q is taken for known", other)
		}
	}
}

// TestSeenIDsStored: what is taken, a bit at a time, makes the same memory again;
// nothing is taken twice.
func TestSeenIDsStored(t *testing.T) {
	for _, all := range []int{0, 1, 10, seenMax, seenMax + 1, 2*seenMax + 77} {
		var s, again seenIDs
		var stored []byte
		for i := range all {
			s.add([]byte(strconv.Itoa(i)))
			if i%7 == 0 {
				stored = s.take(stored)
			}
		}
		stored = s.take(stored)
		if len(stored) != 8*all || len(s.take(nil)) != 0 {
			t.Errorf("%d bytes stored of %d ids", len(stored), all)
		}
		again.restore(stored)
		for i := range all {
			id := []byte(strconv.Itoa(i))
			if again.has(id) != s.has(id) || i%97 == 0 && again.has(append(id, 'x')) {
				t.Fatalf("of %d: id %d is known or not known as it was not before", all, i)
			}
		}
		if len(again.take(nil)) != 0 {
			t.Error("what was restored is stored again")
		}
	}
}

// TestSeenIDsSpare: a long stream goes on in the memory that one before it has left,
// and knows its own ids only; a short one leaves it alone.
func TestSeenIDsSpare(t *testing.T) {
	var spare SpareMarks
	long := func(name string) *seenIDs {
		s := &seenIDs{spare: &spare}
		for i := range 2 * seenMax {
			s.add([]byte(name + strconv.Itoa(i)))
		}
		return s
	}
	first := long("first-")
	memory := &first.ring[0]
	first.clear()
	if first.has([]byte("first-" + strconv.Itoa(2*seenMax-1))) {
		t.Error("an id is known after the end")
	}
	short := &seenIDs{spare: &spare}
	short.add([]byte("short"))
	if cap(short.ring) > 64 || cap(spare.ring) < seenMax {
		t.Errorf("a stream of one event has room for %d", cap(short.ring))
	}
	short.clear()
	second := long("second-")
	if &second.ring[0] != memory {
		t.Error("the memory was not used again")
	}
	if !second.has([]byte("second-"+strconv.Itoa(2*seenMax-1))) ||
		second.has([]byte("first-"+strconv.Itoa(2*seenMax-1))) {
		t.Error("the ids of another stream are known, or its own are not")
	}
	third := long("third-") // at the same time: it has its own
	if &third.ring[0] == &second.ring[0] || !second.has([]byte("second-"+strconv.Itoa(seenMax))) {
		t.Error("two streams share their memory")
	}
	over := Stream{seen: seenIDs{spare: &spare}}
	second.clear()
	over.End()
	for i := range 100 { // what comes behind the end of a stream takes nothing
		over.Accept(&sse.Event{HasID: true, ID: []byte("late-" + strconv.Itoa(i)), Data: []byte("x")})
	}
	if len(over.seen.ring) != 0 || cap(spare.ring) < seenMax {
		t.Error("a stream that is over took the memory")
	}
	third.clear()
	if cap(spare.ring) < seenMax {
		t.Error("no memory is left")
	}
}
