package durable

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/journal"
)

// maxQuestions bounds what a stored record may make us hold or send again.
const maxQuestions = 256

// Question is a request of the other side's that waits for the app: its id and its raw
// message.
type Question struct{ ID, Message []byte }

// GivenAnswer is that a question has an answer, and who gave it: the number that
// another page has named, 0 for the page that carries the record.
type GivenAnswer struct {
	Question
	By uint64
}

// Reply answers the question with that id, or is the draft of an answer.
type Reply struct {
	ID, Message []byte
	// Asked is the raw message that it answers, where Questions.KeepAsked is set and the message is known:
	// the other side may refuse the answer, and wait still.
	Asked []byte
}

// Questions are what the other side has asked in a record, and what was answered, as
// they follow from its rows.
type Questions struct {
	Asked []Question // nobody has answered them
	// Answered are those whose answer is stored and could not be read, as for a page
	// that looks on.
	Answered []GivenAnswer
	Outbox   []Reply  // answers that have not been taken yet
	Taken    [][]byte // ids of those whose answers have been taken, or are needed no more
	// Withdrawn has the ids of those of Taken that nobody has answered.
	Withdrawn [][]byte
	Drafts    []Reply // of answers
	// KeepAsked: replies have what they answer (Reply.Asked).
	KeepAsked bool
}

// Fold takes an entry that is about a question, and reports whether it was one. opens
// says of an id which is no question's whether something else asks under it.
func (r *Questions) Fold(e journal.Entry, opens func(id []byte) bool) bool {
	switch e.Kind {
	case journal.Asked:
		r.ask(journal.ReadAsked(e))
	case journal.Answer:
		r.answer(journal.ReadReply(e))
	case journal.Answered:
		r.given(e)
	case journal.Taken:
		r.take(e.Data)
	case journal.Draft:
		id, draft := journal.ReadReply(e)
		r.draft(id, draft, opens)
	default:
		return false
	}
	return true
}

// ask notes a request. One that was answered already is not asked again; one that
// nobody waited for any more may be, on another connection.
func (r *Questions) ask(id, message []byte) {
	if len(r.Asked) >= maxQuestions {
		return
	}
	if find(r.Asked, id) >= 0 || findReply(r.Outbox, id) >= 0 {
		return
	}
	for _, a := range r.Answered {
		if bytes.Equal(a.ID, id) {
			return
		}
	}
	same := func(other []byte) bool { return bytes.Equal(other, id) }
	if slices.ContainsFunc(r.Withdrawn, same) {
		r.Withdrawn, r.Taken = slices.DeleteFunc(r.Withdrawn, same), slices.DeleteFunc(r.Taken, same)
	}
	if slices.ContainsFunc(r.Taken, same) {
		return
	}
	r.Asked = append(r.Asked, Question{ID: bytes.Clone(id), Message: bytes.Clone(message)})
}

// find returns where the one with that id is, -1 for nowhere.
func find(all []Question, id []byte) int {
	return slices.IndexFunc(all, func(q Question) bool { return bytes.Equal(q.ID, id) })
}

// findReply does so among replies.
func findReply(all []Reply, id []byte) int {
	return slices.IndexFunc(all, func(r Reply) bool { return bytes.Equal(r.ID, id) })
}

// answer moves a question to the outbox. The first answer to it stands.
func (r *Questions) answer(id, message []byte) {
	if findReply(r.Outbox, id) >= 0 || len(r.Outbox) >= maxQuestions {
		return
	}
	r.DropDraft(id)
	reply := Reply{ID: bytes.Clone(id), Message: bytes.Clone(message)}
	if q, _ := r.unask(id); r.KeepAsked {
		reply.Asked = q.Message
	}
	r.Outbox = append(r.Outbox, reply)
}

// given notes that a question has an answer, which the secret part of the row has.
func (r *Questions) given(e journal.Entry) {
	r.DropDraft(e.Data)
	if q, asked := r.unask(e.Data); asked && len(r.Answered) < maxQuestions {
		r.Answered = append(r.Answered, GivenAnswer{q, e.N[0]})
	}
}

// unask takes a question from those that are open, or whose answer could not be read; asked
// says that it was open.
func (r *Questions) unask(id []byte) (q Question, asked bool) {
	if i := find(r.Asked, id); i >= 0 {
		q = r.Asked[i]
		r.Asked = slices.Delete(r.Asked, i, i+1)
		return q, true
	}
	if i := slices.IndexFunc(r.Answered, func(a GivenAnswer) bool { return bytes.Equal(a.ID, id) }); i >= 0 {
		q = r.Answered[i].Question
		r.Answered = slices.Delete(r.Answered, i, i+1)
	}
	return q, false
}

// AskAgain opens the questions whose answers could not be read: whoever goes on with
// the record has nothing that it could send.
func (r *Questions) AskAgain() {
	for _, a := range r.Answered {
		r.Asked = append(r.Asked, a.Question)
	}
	r.Answered = nil
}

// Reopen forgets that a question was answered, for one that the other side asks under the
// same id, or whose answer it has refused.
func (r *Questions) Reopen(id []byte) {
	same := func(other []byte) bool { return bytes.Equal(other, id) }
	r.Answered = slices.DeleteFunc(r.Answered, func(a GivenAnswer) bool { return same(a.ID) })
	r.Outbox = slices.DeleteFunc(r.Outbox, func(a Reply) bool { return same(a.ID) })
	r.Taken = slices.DeleteFunc(r.Taken, same)
}

// take clears the outbox of an answer that was taken. A question that has none is over
// as well: nobody waits for an answer any more.
func (r *Questions) take(id []byte) {
	r.Taken = append(r.Taken, bytes.Clone(id)) // a replay may ask it again
	r.Taken = r.Taken[max(0, len(r.Taken)-maxQuestions):]
	if find(r.Asked, id) >= 0 {
		r.unask(id)
		r.DropDraft(id)
		r.Withdrawn = append(r.Withdrawn, bytes.Clone(id))
		r.Withdrawn = r.Withdrawn[max(0, len(r.Withdrawn)-maxQuestions):]
		return
	}
	r.unask(id)
	r.Outbox = slices.DeleteFunc(r.Outbox, func(a Reply) bool { return bytes.Equal(a.ID, id) })
}

// draft keeps the draft of an answer, in the place of the one before, while its
// question is open: answers are folded first, so that the draft in the row of its
// answer counts for nothing.
func (r *Questions) draft(id, draft []byte, opens func(id []byte) bool) {
	if find(r.Asked, id) < 0 && !opens(id) || len(draft) > journal.MaxDraft {
		return
	}
	r.DropDraft(id)
	if len(draft) > 0 && len(r.Drafts) < maxQuestions {
		r.Drafts = append(r.Drafts, Reply{ID: bytes.Clone(id), Message: bytes.Clone(draft)})
	}
}

// DropDraft drops the draft of the answer to the question with that id.
func (r *Questions) DropDraft(id []byte) {
	r.DropDrafts(func(other []byte) bool { return bytes.Equal(other, id) })
}

// DropDrafts drops the drafts of questions whose ids are such.
func (r *Questions) DropDrafts(of func(id []byte) bool) {
	r.Drafts = slices.DeleteFunc(r.Drafts, func(d Reply) bool { return of(d.ID) })
}

// Leave drops the questions whose ids are such, whatever has become of them: nobody
// waits for their answers any more, and what is asked under such an id is another question.
func (r *Questions) Leave(of func(id []byte) bool) {
	r.Asked = slices.DeleteFunc(r.Asked, func(q Question) bool { return of(q.ID) })
	r.Outbox = slices.DeleteFunc(r.Outbox, func(a Reply) bool { return of(a.ID) })
	r.Answered = slices.DeleteFunc(r.Answered, func(a GivenAnswer) bool { return of(a.ID) })
	r.Taken, r.Withdrawn = slices.DeleteFunc(r.Taken, of), slices.DeleteFunc(r.Withdrawn, of)
	r.DropDrafts(of)
}

// Draft returns the draft of the answer to the question with that id, nil for none.
func (r *Questions) Draft(id []byte) []byte {
	if i := findReply(r.Drafts, id); i >= 0 {
		return r.Drafts[i].Message
	}
	return nil
}
