package journal

import "errors"

// ErrCorrupt is what every reader of this package returns for bytes that no
// writer of it can have made.
var ErrCorrupt = errors.New("journal: the record is corrupt")

// ErrNewer says that a later version wrote the record in a way that this one
// would misread. It is left where it is: that version may come back.
var ErrNewer = errors.New("journal: the record was written by a newer version")

// version is the newest format this build writes; oldest is the least version
// that can read what it writes. A field or an entry kind that an older reader
// may skip raises version alone.
const (
	version = 1
	oldest  = 1
)

// maxSafe is the largest number that JavaScript keeps exactly. Numbers pass
// through both sides, so a larger one was never written by us.
const maxSafe = 1<<53 - 1

// appendUvarint appends n in the one form that input.uvarint reads.
func appendUvarint(b []byte, n uint64) []byte {
	n = min(n, maxSafe) // a number that no reader takes would cost the whole record
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

func appendBytes(b, p []byte) []byte { return append(appendUvarint(b, uint64(len(p))), p...) }

// input reads what the functions above wrote; the first error sticks, and
// every later read gives zero.
type input struct {
	p   []byte
	err error
}

func (in *input) fail() {
	if in.err == nil {
		in.err = ErrCorrupt
	}
	in.p = nil
}

func (in *input) uvarint() uint64 {
	var n uint64
	for i, c := range in.p {
		if i == 8 {
			break // 2^53 needs eight groups of seven bits
		}
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 && i > 0 || n > maxSafe {
				break // not the one way to write it
			}
			in.p = in.p[i+1:]
			return n
		}
	}
	in.fail()
	return 0
}

// bytes returns the next length-prefixed bytes; they alias the input.
func (in *input) bytes() []byte {
	n := in.uvarint()
	if n > uint64(len(in.p)) {
		in.fail()
		return nil
	}
	p := in.p[:n:n]
	in.p = in.p[n:]
	return p
}

// field reads a tagged field; ok is false at the end and where there is none.
func (in *input) field() (tag uint64, value []byte, ok bool) {
	if in.err != nil || len(in.p) == 0 {
		return 0, nil, false
	}
	tag, value = in.uvarint(), in.bytes()
	if tag == 0 {
		in.fail() // zeros are what a torn write leaves behind
	}
	return tag, value, in.err == nil
}

// header reads the two version bytes that every record starts with.
func (in *input) header() {
	if len(in.p) < 2 || in.p[1] == 0 || in.p[1] > in.p[0] {
		in.fail()
		return
	}
	if in.p[1] > version {
		in.err, in.p = ErrNewer, nil
		return
	}
	in.p = in.p[2:]
}

func appendHeader(b []byte) []byte { return append(b, version, oldest) }
