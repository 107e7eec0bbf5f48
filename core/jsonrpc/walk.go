package jsonrpc

// walker goes over the members of one object, one at a time, checking each as it passes.
type walker struct {
	text  []byte
	pos   int // of the opening brace before the first call of next, then behind what was read
	limit int // levels that a member's value may have
	begun bool

	key     []byte // between the quotes, escapes kept
	keyAt   int
	value   []byte
	valueAt int
	bad     problem // why next returned false; fine means that the object ended before pos
}

// next reads the next member into key and value. After it returned false it must not be called again.
func (w *walker) next() bool {
	if !w.name() {
		return false
	}
	end, p := skip(w.text, w.valueAt, w.limit)
	if p != fine {
		return w.fail(end, p)
	}
	w.ends(end)
	return true
}

// name reads the name of the next member into key; its value, at valueAt, is to be read by whoever called.
// After it returned false neither it nor next must be called again.
func (w *walker) name() bool {
	t := w.text
	var i int
	if !w.begun {
		w.begun = true
		if i = skipSpace(t, w.pos+1); i < len(t) && t[i] == '}' {
			w.pos = i + 1
			return false
		}
	} else {
		i = skipSpace(t, w.pos)
		switch {
		case i >= len(t):
			return w.fail(i, unexpectedEnd)
		case t[i] == '}':
			w.pos = i + 1
			return false
		case t[i] != ',':
			return w.fail(i, unexpectedByte)
		}
		i = skipSpace(t, i+1)
	}
	w.keyAt = i
	valueAt, p := skipKey(t, i)
	if p != fine {
		return w.fail(valueAt, p)
	}
	w.key, w.valueAt = keyText(t, i+1, valueAt), valueAt
	return true
}

// ends takes the value of the member that name has read: it ends before end.
func (w *walker) ends(end int) {
	w.value, w.pos = w.text[w.valueAt:end:end], end
}

func (w *walker) fail(at int, p problem) bool {
	w.pos, w.bad = at, p
	return false
}

// keyText cuts the key out of t[start:end], which holds its text, its closing quote, a colon and perhaps
// white space.
func keyText(t []byte, start, end int) []byte {
	for end--; t[end] != '"'; end-- {
	}
	return t[start:end:end]
}
