package jsonrpc

import (
	"bytes"
	"math"
)

// String decodes a JSON string, quotes included, into a copy. Every escape is decoded, surrogate pairs too;
// half a pair becomes U+FFFD. The bool is false if value is anything but one well-formed string without white
// space around it.
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

// IsString reports whether value is the JSON string that decodes to text. It needs no memory, unlike
// [String].
func IsString(value []byte, text string) bool {
	if len(value) < 2 || value[0] != '"' {
		return false
	}
	if end, p := skipString(value, 1); p != fine || end != len(value) {
		return false
	}
	return named(inside(value), text)
}

// Uint returns a JSON number that is written as a plain non-negative integer (digits only, no leading zero,
// no fraction, no exponent) of at most 2^53-1, the range in which JSON.parse agrees (RFC 8259 section 6).
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

// Float returns any JSON number, for durations that some servers write as 60000.0 or 6e4. Up to 15 digits and
// 10^22 it is what JavaScript reads, beyond that as good as: strconv.ParseFloat, which rounds the rest too,
// is 5 KB of the download. The bool is false for what is not a number and for one that would be infinite.
func Float(value []byte) (float64, bool) {
	if len(value) == 0 {
		return 0, false
	}
	if end, p := skipNumber(value, 0); p != fine || end != len(value) {
		return 0, false
	}
	digits, scale := mantissa(value)
	f := float64(digits)
	for ; scale > 0; scale -= tens(scale) {
		f *= powers[tens(scale)]
	}
	for ; scale < 0; scale += tens(-scale) {
		f /= powers[tens(-scale)]
	}
	if value[0] == '-' {
		f = -f
	}
	return f, !math.IsInf(f, 0)
}

// powers are the powers of ten that a float64 holds exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// tens is how much of a scale one step takes.
func tens(scale int) int { return min(scale, len(powers)-1) }

// mantissa returns a JSON number as digits and the power of ten that they are times, without its sign.
func mantissa(value []byte) (digits uint64, scale int) {
	const most = 1e18 // one digit more fits into 64 bits
	fraction := 0
	for i, c := range value {
		switch {
		case c == 'e' || c == 'E':
			return digits, scale + exponent(value[i+1:])
		case c == '.':
			fraction = 1
		case c == '-':
		case digits < most:
			digits, scale = digits*10+uint64(c-'0'), scale-fraction
		default:
			scale += 1 - fraction
		}
	}
	return digits, scale
}

// exponent returns the exponent of a JSON number; one beyond all floats as one that is.
func exponent(value []byte) int {
	n, sign := 0, 1
	for _, c := range value {
		switch c {
		case '-':
			sign = -1
		case '+':
		default:
			n = min(n*10+int(c-'0'), 1<<20)
		}
	}
	return sign * n
}
