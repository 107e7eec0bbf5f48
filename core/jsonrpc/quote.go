package jsonrpc

import "unicode/utf8"

// AppendString appends s as a JSON string with its quotes. It escapes what RFC 8259 section 7 demands, and
// U+2028 and U+2029 besides, so that the text is a JavaScript literal in old readers too; the rest stays as
// it is. Invalid UTF-8 becomes U+FFFD, one for each byte.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0 // s[:done] has been written
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' || c == '"' || c == '\\' {
				dst = append(dst, s[done:i]...)
				dst = appendEscape(dst, c)
				done = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		text := ""
		switch {
		case r == utf8.RuneError && size == 1:
			text = "\ufffd"
		case r == '\u2028':
			text = `\u2028`
		case r == '\u2029':
			text = `\u2029`
		}
		if text != "" {
			dst = append(dst, s[done:i]...)
			dst = append(dst, text...)
			done = i + size
		}
		i += size
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
