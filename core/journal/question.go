package journal

import (
	"bytes"
	"slices"
)

// AskedEntry returns the entry for a request of the server's.
func AskedEntry(id, message []byte) Entry {
	return Entry{Kind: Asked, Data: append(appendBytes(nil, id), message...)}
}

// AnswerEntry returns the entry for the answer to the request with that id.
func AnswerEntry(id, message []byte) Entry {
	return Entry{Kind: Answer, N: [3]uint64{uint64(len(id))}, Data: append(bytes.Clone(id), message...)}
}

// AnsweredEntry returns the entry that says in plain that there is one; by is the
// number under which another page has given it. An empty id is that of the Round.
func AnsweredEntry(id []byte, by uint64) Entry {
	return Entry{Kind: Answered, N: [3]uint64{by}, Data: id}
}

// ReadAsked takes an Asked apart: the id of the request, and its message. Both alias
// the entry.
func ReadAsked(e Entry) (id, message []byte) {
	in := input{p: e.Data}
	id = in.bytes()
	return id, in.p
}

// ReadReply takes an Answer or a Draft apart: the id of what it answers, and the rest.
// Both alias the entry.
func ReadReply(e Entry) (id, message []byte) { return e.Data[:e.N[0]], e.Data[e.N[0]:] }

// MaxDraft bounds the draft of one answer, in bytes of JSON: a form, not a file.
const MaxDraft = 64 << 10

// DraftEntry returns the entry for the draft of an answer to the question with
// that id; no draft withdraws the one before.
func DraftEntry(id, draft []byte) Entry {
	return Entry{Kind: Draft, N: [3]uint64{uint64(len(id))}, Data: append(bytes.Clone(id), draft...)}
}

// WithoutDraft returns the secret part of a row that is not written yet without
// the draft of that question: of several the last is enough.
func WithoutDraft(part, id []byte) []byte {
	row := ReadRow(part)
	for {
		start := len(part) - len(row.in.p)
		e, ok := row.Next()
		if !ok {
			return part
		}
		if e.Kind != Draft || !bytes.Equal(e.Data[:e.N[0]], id) {
			continue
		}
		part = slices.Delete(part, start, len(part)-len(row.in.p))
		if len(part) == 2 { // the header alone
			part = part[:0]
		}
		return part
	}
}
