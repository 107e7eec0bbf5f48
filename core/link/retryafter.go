package link

import (
	"errors"
	"strconv"
)

// maxRetryAfter bounds a server's Retry-After, in ms (RELIABILITY fault 26).
const maxRetryAfter = 3_600_000

// RetryAfter returns the delay that the value of a Retry-After field asks for, in
// ms; 0 for none. The form with a date (RFC 9110 10.2.3) needs a wall clock, which
// core has not: the host gives it as seconds, and here it counts as none. A number
// beyond all bounds is the bound.
func RetryAfter(value string) int64 {
	seconds, err := strconv.ParseUint(value, 10, 32)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return min(int64(seconds)*1000, maxRetryAfter)
}
