package link

// maxRetryAfter bounds a server's Retry-After, in ms (fault 26).
const maxRetryAfter = 3_600_000

// RetryAfter returns the delay that the value of a Retry-After field asks for, in
// ms; 0 for none. The form with a date (RFC 9110 10.2.3) needs a wall clock, which
// core has not: the host gives it as seconds, and here it counts as none. A number
// beyond all bounds is the bound.
func RetryAfter(value string) int64 {
	seconds, ok := decimal(value)
	if !ok {
		return 0
	}
	return min(seconds*1000, maxRetryAfter)
}

// decimal reads a field of digits (1*DIGIT, RFC 9110): one beyond 2^32 as 2^32 or more.
// It does without strconv's parsers, whose errors quote what they could not read: 3 KB of
// the download.
func decimal(value string) (n int64, ok bool) {
	for i := range len(value) {
		digit := value[i] - '0'
		if digit > 9 {
			return 0, false
		}
		if n < 1<<32 {
			n = n*10 + int64(digit)
		}
	}
	return n, value != ""
}
