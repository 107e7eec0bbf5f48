package jsonrpc

// skipLiteral checks that word (true, false or null) stands at t[i].
func skipLiteral(t []byte, i int, word string) (int, problem) {
	if len(t)-i < len(word) {
		return i, unexpectedEnd
	}
	if string(t[i:i+len(word)]) != word {
		return i, unexpectedByte
	}
	return i + len(word), fine
}

// skipNumber checks the number at t[i] (RFC 8259 section 6). What follows the number is for the caller to
// judge, so 01 ends after its 0 and the 1 is then an unexpected character.
func skipNumber(t []byte, i int) (int, problem) {
	if t[i] == '-' {
		i++
	}
	switch {
	case i >= len(t):
		return i, unexpectedEnd
	case t[i] == '0':
		i++
	case t[i]-'1' < 9:
		i = skipDigits(t, i+1)
	default:
		return i, unexpectedByte
	}
	if i < len(t) && t[i] == '.' {
		first := i + 1
		if i = skipDigits(t, first); i == first {
			return missingDigit(t, i)
		}
	}
	if i < len(t) && (t[i] == 'e' || t[i] == 'E') {
		i++
		if i < len(t) && (t[i] == '+' || t[i] == '-') {
			i++
		}
		first := i
		if i = skipDigits(t, first); i == first {
			return missingDigit(t, i)
		}
	}
	return i, fine
}

func skipDigits(t []byte, i int) int {
	for i < len(t) && t[i]-'0' < 10 {
		i++
	}
	return i
}

func missingDigit(t []byte, i int) (int, problem) {
	if i >= len(t) {
		return i, unexpectedEnd
	}
	return i, unexpectedByte
}
