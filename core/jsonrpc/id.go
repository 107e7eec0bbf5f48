package jsonrpc

import "bytes"

// IDKind is the JSON type of an id.
type IDKind uint8

// The kinds of id (JSON-RPC 2.0 section 4). The zero IDKind is an absent id.
const (
	IDNone   IDKind = iota // no id member
	IDNumber               // a JSON number
	IDString               // a JSON string
	IDNull                 // JSON null
)

// maxSafeInteger is 2^53-1, the largest integer that JavaScript reads back unchanged (RFC 8259 section 6).
const maxSafeInteger = 1<<53 - 1

// MaxID is the length of the longest id that is accepted, in bytes. A peer's request is kept by its id until
// it is answered, and known by it after that: an id of a megabyte would cost that much, hundreds of times.
const MaxID = 1 << 10

// ID is a JSON-RPC id as it stood in the text. Two ids are the same only if type and text are: 1, 1.0 and "1"
// are three ids, and so are "a" and "\u0061". A server has to echo the id it was given, and whoever rewrites
// it cannot be trusted to have meant the same request.
type ID struct {
	Kind IDKind
	// Text is the number as written, or the text between the quotes of a string, escapes kept; empty
	// otherwise. In a parsed message it aliases the text of the message.
	Text []byte
}

// Equal reports whether both ids have the same type and text.
func (id ID) Equal(other ID) bool {
	return id.Kind == other.Kind && bytes.Equal(id.Text, other.Text)
}

// IsZero reports whether the id is absent.
func (id ID) IsZero() bool { return id.Kind == IDNone }

// Uint returns the id if it is a number in the form in which [AppendRequest] writes one: decimal digits
// without sign, leading zero, fraction or exponent, at most 2^53-1. Any other id is not one that this client
// gave out.
func (id ID) Uint() (uint64, bool) {
	if id.Kind != IDNumber {
		return 0, false
	}
	return Uint(id.Text)
}

// appendTo writes the id as it stood; an absent one becomes null, as JSON-RPC 2.0 section 5 wants it in a
// reply to a request whose id could not be found.
func (id ID) appendTo(dst []byte) []byte {
	switch id.Kind {
	case IDNumber:
		return append(dst, id.Text...)
	case IDString:
		dst = append(dst, '"')
		dst = append(dst, id.Text...)
		return append(dst, '"')
	}
	return append(dst, "null"...)
}
