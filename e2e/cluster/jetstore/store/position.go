package store

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
)

// Stream names a stream of events: those of one request, in the session of one user. Both parts are
// the caller's. A session's name may be a secret; no implementation shows it.
type Stream struct{ Session, Name string }

// Position is a place in a stream: that of an event, or [Stream.Start] before the first. It is a value
// that can be given to a client, and comes back as it was given or is refused.
type Position struct {
	// Number counts the events of the stream, from 1; 0 is before the first.
	Number uint64
	// Place is where the store has the event; it means nothing to anybody else.
	Place uint64
	// Chain is a digest of the stream's name and of all events up to here.
	Chain uint64
}

// Start is the position before the first event.
func (s Stream) Start() Position {
	return Position{Chain: digest(0, "stream", []byte(strconv.Itoa(len(s.Session))+":"+s.Session+s.Name))}
}

// Next returns the position of an event that comes after p, without its place, which the store gives.
func (p Position) Next(label string, data []byte) Position {
	return Position{Number: p.Number + 1, Chain: digest(p.Chain, label, data)}
}

// Same reports whether both name the same event of the same history.
func (p Position) Same(q Position) bool { return p.Number == q.Number && p.Chain == q.Chain }

// String is short and plain, as an event's id has to be: digits, letters and dots.
func (p Position) String() string {
	return strconv.FormatUint(p.Number, 36) + "." + strconv.FormatUint(p.Place, 36) + "." +
		strconv.FormatUint(p.Chain, 36)
}

// ParsePosition reads what [Position.String] has written; false for anything else.
func ParsePosition(text string) (Position, bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return Position{}, false
	}
	var n [3]uint64
	for i, part := range parts {
		value, err := strconv.ParseUint(part, 36, 64)
		if err != nil || strconv.FormatUint(value, 36) != part { // one way to write each
			return Position{}, false
		}
		n[i] = value
	}
	return Position{Number: n[0], Place: n[1], Chain: n[2]}, true
}

// digest continues a chain. Eight bytes of SHA-256 find every accident; who can write to the store
// itself is not kept out by it.
func digest(chain uint64, label string, data []byte) uint64 {
	h := sha256.New()
	var head [16]byte
	binary.BigEndian.PutUint64(head[:8], chain)
	binary.BigEndian.PutUint64(head[8:], uint64(len(label)))
	h.Write(head[:])
	h.Write([]byte(label))
	h.Write(data)
	return binary.BigEndian.Uint64(h.Sum(nil))
}
