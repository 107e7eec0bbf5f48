package durable

import "math"

// Records are aged by wall clocks: they are the only ones that outlive the page, and
// they can be set. So no record expires by one reading alone: its age is counted to a
// time that an earlier page has read, at least a day before this one, from a clock
// that has not been put back since (web/src/storage/clock.ts). A clock that is set ahead
// and then put right ends nothing; one that stays wrong for longer than a day, over
// several pages, is taken for right. A time that lies ahead of the clock counts as now.
// Two bounds keep that from becoming for ever, or at once, where a time makes no sense.
const (
	// maxAhead is how far ahead a time may lie, in ms: no clock that is further
	// off gets through TLS, whose certificates last 398 days at most. A record
	// beyond it was not written by us, or not by a clock, and has expired.
	maxAhead = 400 * 24 * 60 * 60 * 1000
	// firstRelease is the least time that a clock can tell that runs this code,
	// 2026-01-01. One that tells less has lost its battery, so to speak: by it
	// nothing expires.
	firstRelease = 1767225600000
)

// Clock is what is known of the time, in ms since 1970.
type Clock struct {
	Wall  int64 // what the wall clock shows now
	Sound int64 // the latest time that is sure to have come; 0 for none, then nothing expires
}

// Expired reports whether a record may be deleted: one that has ended keepEnded ms
// after its end, one that runs keepRunning ms after it was made. endedAt is in ms since
// 1970, 0 where that is not known. A keep below 0 means for ever. Nobody asks this of a
// call that a page carries on.
func (c Clock) Expired(createdAt int64, ended bool, endedAt, keepEnded, keepRunning int64) bool {
	since, keep := max(createdAt, 0), keepRunning
	if ended {
		keep = keepEnded
		if endedAt > 0 {
			since = endedAt
		}
	}
	if keep < 0 || c.Sound < firstRelease {
		return false
	}
	// Ahead of both: a clock that has lost its battery is behind all records.
	return since-max(c.Wall, c.Sound) > maxAhead || max(c.Sound-since, 0) >= keep
}

// clockSlack is by how much clocks of two pages may differ, in ms, and one be set
// back to be right again, without being doubted.
const clockSlack = 5_000

// Waited returns for how long a call that was made at createdAt has waited at wall, in
// ms; both are ms since 1970. latest is the latest time that anything in the store
// tells. ok is false where the clock cannot be believed: it lies behind what was
// written by it before, or tells a time before this code was made.
func Waited(createdAt, latest, wall int64) (ms int64, ok bool) {
	if createdAt < firstRelease || wall < firstRelease || max(createdAt, latest) > sum(wall, clockSlack) {
		return 0, false
	}
	return max(wall-createdAt, 0), true
}

// sum adds two numbers that are not negative; it saturates.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
