package jsonrpc

import "unicode/utf8"

// unescape decodes the escape at raw[i], which skipString has accepted, and returns the offset after it. A
// surrogate pair is one character; half of one is U+FFFD, since a Go string cannot hold it.
func unescape(raw []byte, i int) (rune, int) {
	switch c := raw[i+1]; c {
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'n':
		return '\n', i + 2
	case 'r':
		return '\r', i + 2
	case 't':
		return '\t', i + 2
	case 'u':
		r := hex4(raw, i+2)
		i += 6
		if r&^0x7ff != 0xd800 {
			return r, i
		}
		if r < 0xdc00 && i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
			if low := hex4(raw, i+2); low&^0x3ff == 0xdc00 {
				return (r-0xd800)<<10 | (low - 0xdc00) + 0x10000, i + 6
			}
		}
		return utf8.RuneError, i
	default: // quote, backslash, slash
		return rune(c), i + 2
	}
}

func hex4(raw []byte, i int) rune {
	return hexValue(raw[i])<<12 | hexValue(raw[i+1])<<8 | hexValue(raw[i+2])<<4 | hexValue(raw[i+3])
}

// appendUnescaped appends the decoded text of a string's inside.
func appendUnescaped(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		var r rune
		r, i = unescape(raw, i)
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// spells reports whether a string's inside decodes to want. It decodes as it compares, so it needs no memory.
func spells(raw []byte, want string) bool {
	n := 0
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			if n >= len(want) || want[n] != raw[i] {
				return false
			}
			i, n = i+1, n+1
			continue
		}
		var (
			r   rune
			buf [utf8.UTFMax]byte
		)
		r, i = unescape(raw, i)
		size := utf8.EncodeRune(buf[:], r)
		if len(want)-n < size || want[n:n+size] != string(buf[:size]) {
			return false
		}
		n += size
	}
	return n == len(want)
}
