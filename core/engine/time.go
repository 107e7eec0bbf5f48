package engine

import "math"

// Time is a point on the host's monotonic clock, in milliseconds. Its origin
// is arbitrary: only differences mean anything, and a wall clock that jumps
// does not move it.
type Time int64

// Never is the Time of a deadline that is not set.
const Never Time = math.MaxInt64

// MaxDelay is the longest timer a Host is asked for, in milliseconds. Browsers
// keep timer delays in 32 bits: setTimeout(f, 2147483648) fires at once, which
// would turn a long wait into a hot loop. Longer waits are chained.
const MaxDelay = 1<<31 - 1

// After returns at plus ms milliseconds. It saturates at Never, so a delay that
// a server dictates cannot wrap into the past.
func (at Time) After(ms int64) Time {
	if ms < 0 {
		return at
	}
	if int64(at) > int64(Never)-ms {
		return Never
	}
	return at + Time(ms)
}

// Since returns the milliseconds from earlier to at, 0 if earlier is later.
func (at Time) Since(earlier Time) int64 {
	if at < earlier {
		return 0
	}
	return int64(at - earlier)
}
