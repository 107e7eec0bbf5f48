package engine

// Queue holds the effects a Machine has appended and its Driver has not yet
// taken. Its memory is reused, and a payload stays referenced (so that it
// cannot be collected while JavaScript reads it) until the next Reset.
type Queue struct {
	Now     Time // of the input under way
	effects []Effect
	next    int
	copies  []byte // what Copy was given; older blocks are held by the effects that point into them
	packed  []byte // the events of Replay effects; as above
}

// queueKeep is the number of slots kept between inputs. A 64 KB chunk of the
// smallest notifications holds about 700 events; more than that is a burst
// that need not be paid for ever.
const queueKeep = 1024

// queueCopies is the most memory for copies that is kept between inputs, in
// bytes: as much as one chunk of a stream brings.
const queueCopies = 64 << 10

// Copy returns a copy of p that lives as long as an effect's payload: until the
// Reset after it was taken. It is for payloads made in a buffer that is used again.
func (q *Queue) Copy(p []byte) []byte {
	if cap(q.copies)-len(q.copies) < len(p) {
		q.copies = make([]byte, 0, max(2*cap(q.copies), len(p), 1<<10))
	}
	from := len(q.copies)
	q.copies = append(q.copies, p...)
	return q.copies[from:len(q.copies):len(q.copies)]
}

// Add appends an effect.
func (q *Queue) Add(e Effect) { q.effects = append(q.effects, e) }

// Hold keeps a place for an effect that what follows has to say more of: Fill or DropFrom it before the input
// is over.
func (q *Queue) Hold() (place int) {
	q.effects = append(q.effects, Effect{})
	return len(q.effects) - 1
}

// Fill puts the effect into the place that was kept for it.
func (q *Queue) Fill(place int, e Effect) { q.effects[place] = e }

// DropFrom drops the effects from a place on.
func (q *Queue) DropFrom(place int) { q.effects = q.effects[:place] }

// Next takes the oldest effect.
func (q *Queue) Next() (Effect, bool) {
	if q.next == len(q.effects) {
		return Effect{}, false
	}
	e := q.effects[q.next]
	q.next++
	return e, true
}

// Begin begins an input: effects that were taken are forgotten. There are some forty inputs: inlined into
// each it is 4 KB.
//
//go:noinline
func (q *Queue) Begin(now Time) {
	q.Now = now
	q.Reset()
}

// Reset forgets the effects that were taken. A Machine calls it at the start
// of an input: only then do payloads handed out before lose their validity.
// Effects still waiting (a nested input) are kept.
func (q *Queue) Reset() {
	if q.next < len(q.effects) {
		return
	}
	if cap(q.effects) > queueKeep {
		q.effects = nil
	} else {
		clear(q.effects)
		q.effects = q.effects[:0]
	}
	q.next = 0
	if cap(q.copies) > queueCopies {
		q.copies = nil
	} else {
		q.copies = q.copies[:0]
	}
	if cap(q.packed) > replayKeep {
		q.packed = nil
	} else {
		q.packed = q.packed[:0]
	}
}
