package journal

import "math"

// Records are aged by the wall clock: it is the only one that outlives the page,
// and it can be set. A time that lies ahead of it counts as now. So a clock that
// was put back neither ends anything early nor makes it last longer than by the
// time that it was put back. (One that was put forward ends things early by as
// much: nothing here could tell.) Two bounds keep that from becoming for ever, or at
// once, where a time makes no sense.
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

// Expired reports whether the record may be deleted at the time wall, in ms
// since 1970: a finished one keepFinished ms after its end, an unfinished one
// keepUnfinished ms after it was made. A keep below 0 means for ever. Nobody
// asks this of a call that a page carries on.
func (r *Record) Expired(wall, keepFinished, keepUnfinished int64) bool {
	since, keep := r.Head.CreatedAt, keepUnfinished
	if r.Outcome != 0 {
		keep = keepFinished
		if r.EndedAt > 0 {
			since = r.EndedAt
		}
	}
	if keep < 0 || wall < firstRelease {
		return false
	}
	age := wall - max(since, 0)
	return age < -maxAhead || max(age, 0) >= keep
}
