package sse

// field is a field name that 9.2.6 defines.
type field uint8

const (
	undecided field = iota // more bytes are needed to tell
	other                  // a name that 9.2.6 does not define, or a comment
	fieldData
	fieldEvent
	fieldID
	fieldRetry
)

// longestPrefix is the length of the longest known name and its colon.
const longestPrefix = len("event:")

// classify reads the beginning of a line that is not blank and returns its
// field and the length of the name with its colon. A name without a colon counts only
// when it is the whole line (end). Names are compared byte by byte: 9.2.6 wants
// "field names compared literally", and a name that needs UTF-8 repair cannot be
// one of the four.
func classify(b []byte, end bool) (field, int) {
	if len(b) == 0 {
		return undecided, 0
	}
	var f field
	var name string
	switch b[0] {
	case 'd':
		f, name = fieldData, "data"
	case 'e':
		f, name = fieldEvent, "event"
	case 'i':
		f, name = fieldID, "id"
	case 'r':
		f, name = fieldRetry, "retry"
	default:
		return other, 0
	}
	n := len(name)
	switch {
	case len(b) > n:
		if string(b[:n]) == name && b[n] == ':' {
			return f, n + 1
		}
	case string(b) != name[:len(b)]:
	case !end:
		return undecided, 0
	case len(b) == n:
		return f, n
	}
	return other, 0
}

// maxRetry is where a retry value stops growing: the largest integer up to
// which JavaScript numbers are exact, and far from wrapping an int64.
const maxRetry = 1 << 53

// digits reads the value of a retry field piece by piece: a line of a
// gigabyte of digits needs no memory.
type digits struct {
	n     int64
	some  bool
	bogus bool
}

func (d *digits) add(b []byte) {
	if d.bogus {
		return
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			d.bogus = true
			return
		}
		d.some = true
		// At most 10 * 2^53 + 9, which an int64 holds.
		d.n = min(d.n*10+int64(c-'0'), maxRetry)
	}
}

// ms returns the value, or false for anything but one or more ASCII digits.
func (d *digits) ms() (int64, bool) { return d.n, d.some && !d.bogus }

// millis is an optional reconnection time.
type millis struct {
	n   int64
	set bool
}

func (m millis) orNone() int64 {
	if !m.set {
		return -1
	}
	return m.n
}
