package journal

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

// Deadline returns when the promise to keep the request ends, with grace ms on
// top, in ms since 1970; 0 where no promise was made.
func (p *ResumePolicy) Deadline(grace int64) int64 {
	if p == nil || p.MaxWait <= 0 {
		return 0
	}
	// Each is below 2^53 as read, but a policy may come from elsewhere.
	return sum(sum(max(p.ReceivedAt, 0), p.MaxWait), max(grace, 0))
}

// sum adds two numbers that are not negative; it saturates.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Clock is what is known of the time, in ms since 1970.
type Clock struct {
	Wall  int64 // what the wall clock shows now
	Sound int64 // the latest time that is sure to have come; 0 for none, then nothing expires
}

// Expired reports whether the record may be deleted: an ended one keepEnded ms after
// its end, a running one keepRunning ms after it was made. A keep below 0 means for
// ever. Nobody asks this of a call that a page carries on.
func (r *Record) Expired(c Clock, keepEnded, keepRunning int64) bool {
	since, keep := max(r.Head.CreatedAt, 0), keepRunning
	if r.Outcome != 0 {
		keep = keepEnded
		if r.EndedAt > 0 {
			since = r.EndedAt
		}
	}
	if keep < 0 || c.Sound < firstRelease {
		return false
	}
	// Ahead of both: a clock that has lost its battery is behind all records.
	return since-max(c.Wall, c.Sound) > maxAhead || max(c.Sound-since, 0) >= keep
}
