package mcp

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// inquiries are the requests of the server's on a call's stream.
type inquiries struct {
	asking    int            // how many the app is answering
	questions [][]byte       // their ids
	replayed  [][]byte       // those that sessions before have the answers of: a replay may bring them again
	outbox    []*reply       // answers that the server has not taken
	drafts    durable.Drafts // of answers to these, and to what a round or a task asks for
}

// reply is an answer to a request of the server's on a call's stream, which is
// sent until the server has taken it: same id, same words,
// so that a server which has it knows it again.
type reply struct {
	id      []byte // of the request, with its kind
	message []byte
	at      engine.Time // when to send it; Never while it is under way
	attempt int
}

// maxReplies is how often an answer is sent at most: about ten minutes.
const maxReplies = 24

// questionID names a request of the server's on one call: its id, and whether
// that is a number or a string.
func questionID(id jsonrpc.ID) []byte { return append([]byte{byte(id.Kind)}, id.Text...) }

// answered stores the app's answer to a question of the call's stream, then sends it.
func (call *call) answered(c *Client, now engine.Time, id jsonrpc.ID, message []byte) {
	r := &reply{id: questionID(id), message: message, at: engine.Never}
	call.outbox = append(call.outbox, r)
	c.writeAnswer(call, r.id, message)
	c.whenStored(now, call, true, r)
}

func (r *reply) goOn(c *Client, call *call, now engine.Time) { call.deliverReply(c, now, r) }

func (call *call) deliverReply(c *Client, now engine.Time, r *reply) {
	// While it was being stored, another tab may have taken the call over.
	if call.state >= callEnding || !slices.Contains(call.outbox, r) {
		return
	}
	r.at = engine.Never
	if c.state != stateOpen || call.generation != c.session.generation {
		call.drop(r) // the session that asked is gone
		return
	}
	c.answerFor(now, call, r)
}

// replied takes what became of sending an answer.
func (call *call) replied(c *Client, now engine.Time, r *reply, failure *engine.Error) {
	c.reschedule(call)
	// Whether the server has it or not: the same answer twice is harmless.
	again := failure != nil && (failure.Code == engine.CodeNetwork || failure.Code == engine.CodeTimeout ||
		wire.Transient(failure.Status))
	if again && r.attempt < maxReplies && call.state < callEnding {
		r.at = now.After(c.cfg.Retry.Delay(r.attempt, -1, &c.random))
		r.attempt++
		return
	}
	if call.drop(r) && call.state < callEnding {
		c.write(call, journal.Entry{Kind: journal.Taken, Data: r.id})
	}
}

// drop takes a reply out of the outbox; false if it was not there.
func (call *call) drop(r *reply) bool {
	for i, other := range call.outbox {
		if other == r {
			call.outbox = append(call.outbox[:i], call.outbox[i+1:]...)
			return true
		}
	}
	return false
}

// restoreOutbox sends the answers again that the server may not have taken.
func (call *call) restoreOutbox(c *Client, now engine.Time, r *recorded.Call) {
	for _, a := range r.Outbox {
		if _, task := inputKey(a.ID); !task { // restoreTaskInput's
			call.outbox = append(call.outbox, &reply{id: a.ID, message: a.Message, at: now})
		}
	}
	for _, id := range r.Taken {
		call.noteQuestion(id)
	}
	for _, q := range r.Asked {
		call.noteQuestion(q.ID)
	}
	for _, a := range r.Outbox {
		call.noteQuestion(a.ID)
	}
}

// maxQuestionBytes bounds the ids of questions by which a replay is known, of one
// call, in bytes. A replay begins behind the cursor: the latest are enough.
const maxQuestionBytes = 64 << 10

// noteQuestion remembers that the server has asked this on the call. What a task asks
// has keys, which the task knows.
func (call *call) noteQuestion(id []byte) {
	if _, task := inputKey(id); task {
		return
	}
	call.questions = append(call.questions, id)
	size := 0
	for i := len(call.questions) - 1; i >= 0; i-- {
		if size += len(call.questions[i]); size > maxQuestionBytes {
			call.questions = slices.Delete(call.questions, 0, i+1)
			return
		}
	}
}

// isOpen reports whether a question on the call waits for its answer, or for that to be
// taken.
func (c *Client) isOpen(call *call, id []byte) bool {
	for _, a := range c.openQuestions {
		if a.call == call && a.generation == c.asksIn(call) && bytes.Equal(questionID(a.id), id) {
			return true
		}
	}
	for _, a := range call.outbox {
		if bytes.Equal(a.id, id) {
			return true
		}
	}
	return false
}

// handAsked asks the app again what the page before it had not answered.
func (call *call) handAsked(c *Client, now engine.Time, r *recorded.Call) {
	for _, q := range r.Asked {
		if _, task := inputKey(q.ID); task {
			continue
		}
		if m, err := jsonrpc.Parse(call.withTask(q.Message),
			jsonrpc.Limits{Depth: c.cfg.Limits.Depth}); err == nil && m.Kind == jsonrpc.Request {
			c.hand(now, call, &m)
		}
	}
}

// askedBefore reports whether the server has asked this on the call already: a
// replay repeats what it has asked, and a person is asked once.
func (call *call) askedBefore(c *Client, id jsonrpc.ID) bool {
	key := questionID(id)
	for _, q := range call.questions {
		if bytes.Equal(q, key) {
			return true
		}
	}
	return c.isOpen(call, key)
}

// advanceOutbox sends the answers that are due.
func (call *call) advanceOutbox(c *Client, now engine.Time) {
	for _, r := range append([]*reply(nil), call.outbox...) {
		if now >= r.at {
			call.deliverReply(c, now, r)
		}
	}
}

// outboxDue returns when advanceOutbox is due.
func (call *call) outboxDue() engine.Time {
	at := engine.Never
	for _, r := range call.outbox {
		at = min(at, r.at)
	}
	return at
}
