package jsonrpc

// skip checks the value that begins at t[i] and returns the offset after it, or the offset of a problem;
// limit is how many levels the value may have (at most MaxDepth). A string or a number, which most values
// are, needs no bit stack: clearing that took longer than passing over the value.
func skip(t []byte, i, limit int) (int, problem) {
	if i < len(t) {
		switch c := t[i]; {
		case c == '"':
			return skipString(t, i+1)
		case c == '-' || c-'0' < 10:
			return skipNumber(t, i)
		}
	}
	return skipAny(t, i, limit)
}

// skipAny is skip for a value of any kind: scalars and nested values go through the same loop.
//
// The open brackets are kept as bits, not as stack frames: 100,000 brackets cost 100,000 steps at most and no
// memory.
func skipAny(t []byte, i, limit int) (int, problem) {
	var (
		objects [MaxDepth / 64]uint64 // bit n: the n-th open bracket is a brace
		depth   int
		closer  byte // of the innermost open bracket
		p       problem
	)
	for {
		if i >= len(t) {
			return i, unexpectedEnd
		}
		switch c := t[i]; c {
		case '"':
			if i, p = skipString(t, i+1); p != fine {
				return i, p
			}
		case '{', '[':
			if depth == limit {
				return i, tooDeep
			}
			word, bit := &objects[uint(depth)/64%uint(len(objects))], uint64(1)<<(uint(depth)%64)
			if c == '{' {
				*word |= bit
			} else {
				*word &^= bit
			}
			depth++
			closer = c + 2 // in ASCII ']' is '[' + 2 and '}' is '{' + 2
			if i = skipSpace(t, i+1); i < len(t) && t[i] == closer {
				break // empty: closed by the loop below
			}
			if c == '{' {
				if i, p = skipKey(t, i); p != fine {
					return i, p
				}
			}
			continue
		case 't':
			i, p = skipLiteral(t, i, "true")
		case 'f':
			i, p = skipLiteral(t, i, "false")
		case 'n':
			i, p = skipLiteral(t, i, "null")
		default:
			i, p = skipNumber(t, i)
		}
		if p != fine {
			return i, p
		}

		// A value has ended, or an empty bracket is about to. Close what closes here, then go on after a
		// comma.
		for {
			if depth == 0 {
				return i, fine
			}
			if i = skipSpace(t, i); i >= len(t) {
				return i, unexpectedEnd
			}
			c := t[i]
			if c == closer {
				i++
				depth--
				closer = ']'
				if n := uint(depth - 1); depth > 0 && objects[n/64%uint(len(objects))]>>(n%64)&1 != 0 {
					closer = '}'
				}
				continue
			}
			if c != ',' {
				return i, unexpectedByte
			}
			i = skipSpace(t, i+1)
			if closer == '}' {
				if i, p = skipKey(t, i); p != fine {
					return i, p
				}
			}
			break
		}
	}
}

// skipKey checks a member's name at t[i] and the colon after it, and returns where the value begins.
func skipKey(t []byte, i int) (int, problem) {
	if i >= len(t) {
		return i, unexpectedEnd
	}
	if t[i] != '"' {
		return i, unexpectedByte
	}
	i, p := skipString(t, i+1)
	if p != fine {
		return i, p
	}
	if i = skipSpace(t, i); i >= len(t) {
		return i, unexpectedEnd
	}
	if t[i] != ':' {
		return i, unexpectedByte
	}
	return skipSpace(t, i+1), fine
}

// skipSpace returns the offset of the first byte from t[i] on that is not white space. The four characters
// are all that RFC 8259 section 2 knows; most messages hold none of them, so the common case is one
// comparison.
func skipSpace(t []byte, i int) int {
	for i < len(t) && t[i] <= ' ' && (t[i] == ' ' || t[i] == '\n' || t[i] == '\r' || t[i] == '\t') {
		i++
	}
	return i
}
