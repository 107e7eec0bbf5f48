package journal

import (
	"bytes"
	"slices"
)

// MaxDraft bounds the draft of one answer, in bytes of JSON: a form, not a file.
const MaxDraft = 64 << 10

// RoundID names one of the requests for input of a Round, where the ids of
// other questions start with something else: their kind, or the letter k.
func RoundID(key string) []byte { return append([]byte{'r'}, key...) }

func isRoundID(id []byte) bool { return len(id) > 0 && id[0] == 'r' }

// DraftEntry returns the entry for the draft of an answer to the question with
// that id; no draft withdraws the one before.
func DraftEntry(id, draft []byte) Entry {
	return Entry{Kind: Draft, N: [3]uint64{uint64(len(id))}, Data: append(bytes.Clone(id), draft...)}
}

// drafted keeps the draft of an answer, in the place of the one before, while
// its question is open: answers are folded first, so that the draft in the row
// of its answer counts for nothing.
func (r *Record) drafted(e Entry) {
	id, draft := e.Data[:e.N[0]], e.Data[e.N[0]:]
	asked := func(q Question) bool { return bytes.Equal(q.ID, id) }
	open := slices.ContainsFunc(r.Asked, asked) || isRoundID(id) && r.Asks()
	if !open || len(draft) > MaxDraft {
		return
	}
	r.dropDrafts(func(other []byte) bool { return bytes.Equal(other, id) })
	if len(draft) > 0 && len(r.Drafts) < maxOutbox {
		r.Drafts = append(r.Drafts, Reply{ID: bytes.Clone(id), Message: bytes.Clone(draft)})
	}
}

func (r *Record) dropDrafts(of func(id []byte) bool) {
	r.Drafts = slices.DeleteFunc(r.Drafts, func(d Reply) bool { return of(d.ID) })
}

// Draft returns the draft of the answer to the question with that id, nil for
// none.
func (r *Record) Draft(id []byte) []byte {
	for _, d := range r.Drafts {
		if bytes.Equal(d.ID, id) {
			return d.Message
		}
	}
	return nil
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
