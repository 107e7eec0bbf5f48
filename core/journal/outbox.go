package journal

import (
	"bytes"
	"slices"
)

// asked notes a request of the server's; Data is its id, length first, then the
// message. One that was answered already is not asked again; one that nobody waited
// for any more may be, on another connection.
func (r *Record) asked(data []byte) {
	in := input{p: data}
	id := in.bytes()
	if in.err != nil || len(r.Asked) >= maxOutbox {
		return
	}
	for _, q := range r.Asked {
		if bytes.Equal(q.ID, id) {
			return
		}
	}
	for _, a := range r.Outbox {
		if bytes.Equal(a.ID, id) {
			return
		}
	}
	if slices.ContainsFunc(r.Answered, func(a GivenAnswer) bool { return bytes.Equal(a.ID, id) }) {
		return
	}
	same := func(other []byte) bool { return bytes.Equal(other, id) }
	if slices.ContainsFunc(r.Withdrawn, same) {
		r.Withdrawn, r.Taken = slices.DeleteFunc(r.Withdrawn, same), slices.DeleteFunc(r.Taken, same)
	}
	if slices.ContainsFunc(r.Taken, same) {
		return
	}
	r.Asked = append(r.Asked, Question{ID: bytes.Clone(id), Message: bytes.Clone(in.p)})
}

// answered moves a question to the outbox. The first answer to it stands.
func (r *Record) answered(e Entry) {
	id := e.Data[:e.N[0]]
	for _, a := range r.Outbox {
		if bytes.Equal(a.ID, id) {
			return
		}
	}
	if len(r.Outbox) >= maxOutbox {
		return
	}
	r.dropDrafts(func(other []byte) bool { return bytes.Equal(other, id) })
	r.unask(id)
	r.Outbox = append(r.Outbox, Reply{ID: bytes.Clone(id), Message: bytes.Clone(e.Data[e.N[0]:])})
}

// given notes that a question has an answer, or the Round its responses, which the
// secret part of the row has.
func (r *Record) given(e Entry) {
	id := e.Data
	if len(id) == 0 {
		r.RoundOver = r.Round != nil
		r.dropDrafts(isRoundID)
		return
	}
	r.dropDrafts(func(other []byte) bool { return bytes.Equal(other, id) })
	if q, asked := r.unask(id); asked && len(r.Answered) < maxOutbox {
		r.Answered = append(r.Answered, GivenAnswer{q, e.N[0]})
	}
}

// unask takes a question from those that are open, or whose answer could not be read.
func (r *Record) unask(id []byte) (q Question, asked bool) {
	for i, q := range r.Asked {
		if bytes.Equal(q.ID, id) {
			r.Asked = append(r.Asked[:i], r.Asked[i+1:]...)
			return q, true
		}
	}
	r.Answered = slices.DeleteFunc(r.Answered, func(a GivenAnswer) bool { return bytes.Equal(a.ID, id) })
	return Question{}, false
}

// AskAgain opens the questions whose answers could not be read: whoever goes on with
// the call has nothing that it could send.
func (r *Record) AskAgain() {
	for _, a := range r.Answered {
		r.Asked = append(r.Asked, a.Question)
	}
	r.Answered = nil
}

// Asks reports whether a Round waits for its responses.
func (r *Record) Asks() bool { return r.Round != nil && !r.RoundOver }

// taken clears the outbox of the answer that the server has taken. A question that
// has none is over as well: nobody waits for an answer any more.
func (r *Record) taken(id []byte) {
	if len(r.Taken) < maxOutbox {
		r.Taken = append(r.Taken, bytes.Clone(id)) // a replay may ask it again
	}
	for i, q := range r.Asked {
		if bytes.Equal(q.ID, id) {
			r.Asked = append(r.Asked[:i], r.Asked[i+1:]...)
			r.dropDrafts(func(other []byte) bool { return bytes.Equal(other, id) })
			r.Withdrawn = append(r.Withdrawn, bytes.Clone(id))
			r.Withdrawn = r.Withdrawn[max(0, len(r.Withdrawn)-maxOutbox):]
			return
		}
	}
	r.unask(id)
	for i, a := range r.Outbox {
		if bytes.Equal(a.ID, id) {
			r.Outbox = append(r.Outbox[:i], r.Outbox[i+1:]...)
			return
		}
	}
}

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
