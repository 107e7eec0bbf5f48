package jsonrpc

import (
	"bytes"
	"strconv"
)

// String decodes a JSON string, quotes included, into a copy. Every escape is decoded, surrogate pairs too; half a pair
// becomes U+FFFD. The bool is false if value is anything but one well-formed string without white space around it.
func String(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	if end, p := skipString(value, 1); p != fine || end != len(value) {
		return "", false
	}
	raw := inside(value)
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw), true
	}
	return string(appendUnescaped(make([]byte, 0, len(raw)), raw)), true
}

// IsString reports whether value is the JSON string that decodes to text. It needs no memory, unlike [String].
func IsString(value []byte, text string) bool {
	if len(value) < 2 || value[0] != '"' {
		return false
	}
	if end, p := skipString(value, 1); p != fine || end != len(value) {
		return false
	}
	return named(inside(value), text)
}

// Uint returns a JSON number that is written as a plain non-negative integer (digits only, no leading zero, no fraction,
// no exponent) of at most 2^53-1, the range in which JSON.parse agrees (RFC 8259 section 6).
func Uint(value []byte) (uint64, bool) {
	const digits = len("9007199254740991")
	if len(value) == 0 || len(value) > digits || value[0] == '0' && len(value) > 1 {
		return 0, false
	}
	var n uint64
	for _, c := range value {
		if c-'0' >= 10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, n <= maxSafeInteger
}

// Int is [Uint] with an optional minus sign, for error codes: from -(2^53-1) to 2^53-1. It reads -0 as 0.
func Int(value []byte) (int64, bool) {
	if len(value) > 0 && value[0] == '-' {
		n, ok := Uint(value[1:])
		return -int64(n), ok
	}
	n, ok := Uint(value)
	return int64(n), ok
}

// Float returns any JSON number as JavaScript would read it, for durations that some servers write as 60000.0 or 6e4.
// The bool is false for what is not a number and for one that would be infinite.
func Float(value []byte) (float64, bool) {
	if len(value) == 0 {
		return 0, false
	}
	if end, p := skipNumber(value, 0); p != fine || end != len(value) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(value), 64)
	return f, err == nil
}
