package engine

// Queue holds the effects a Machine has appended and its Driver has not yet
// taken. Its memory is reused, and a payload stays referenced (so that it
// cannot be collected while JavaScript reads it) until the next Reset.
type Queue struct {
	effects []Effect
	next    int
}

// queueKeep is the number of slots kept between inputs. A 64 KB chunk of the
// smallest notifications holds about 700 events; more than that is a burst
// that need not be paid for ever.
const queueKeep = 1024

// Add appends an effect.
func (q *Queue) Add(e Effect) { q.effects = append(q.effects, e) }

// Next takes the oldest effect.
func (q *Queue) Next() (Effect, bool) {
	if q.next == len(q.effects) {
		return Effect{}, false
	}
	e := q.effects[q.next]
	q.next++
	return e, true
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
}
