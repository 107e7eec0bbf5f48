package sse

import "unicode/utf8"

// appendDecoded appends src to dst the way the UTF-8 decoder of the Encoding
// standard reads it: every maximal subpart of an ill-formed sequence becomes
// one U+FFFD. The standard library differs: utf8.DecodeRune makes one
// replacement per byte, bytes.ToValidUTF8 one per run.
//
// Lines may be decoded one by one, since the decoder puts back an ASCII byte
// that cuts a sequence short: CR, LF and colon are never swallowed.
func appendDecoded(dst, src []byte) []byte {
	from := 0
	for i := 0; i < len(src); {
		if src[i] < utf8.RuneSelf {
			i++
			continue
		}
		if r, n := utf8.DecodeRune(src[i:]); r != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		dst = append(dst, src[from:i]...)
		dst = append(dst, "\uFFFD"...)
		i += subpart(src[i:])
		from = i
	}
	return append(dst, src[from:]...)
}

// subpart returns the length of the maximal subpart at the start of b, which
// is not well-formed: the longest beginning that some well-formed sequence has
// as well (Unicode, table 3-7), at least one byte.
func subpart(b []byte) int {
	low, high, most := byte(0x80), byte(0xBF), 1
	switch lead := b[0]; {
	case lead < 0xC2 || lead > 0xF4:
		return 1
	case lead == 0xE0:
		low, most = 0xA0, 2
	case lead == 0xED:
		high, most = 0x9F, 2
	case lead == 0xF0:
		low, most = 0x90, 3
	case lead == 0xF4:
		high, most = 0x8F, 3
	case lead > 0xF0:
		most = 3
	case lead > 0xE0:
		most = 2
	}
	n := 1
	for n < len(b) && n < most && low <= b[n] && b[n] <= high {
		low, high = 0x80, 0xBF
		n++
	}
	return n
}
