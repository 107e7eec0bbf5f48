package mcp

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// The requests for input of one task: how many in its life, bytes of those that wait
// for the app, and bytes of the key of one.
const (
	maxTaskInput      = 256
	maxTaskInputBytes = 16 << 20
	maxTaskInputKey   = 1 << 10
)

// taskReply is the answer to one of a task's requests for input, which is sent
// until the server has taken it.
type taskReply struct {
	key      string
	response []byte
	asked    []byte // what it answers, without the task's id; nil where that is not known
	stored   bool   // it may leave
	sent     bool   // it is in the request under way
	left     bool   // it was in one, of this page or of one before
	doubted  bool   // whether its question is asked still is not known: it leaves where it is
}

// taskQuestion is one of a task's requests for input.
type taskQuestion struct {
	request  []byte // raw
	position uint32 // of the event by which the app was asked
	doubted  bool   // an earlier page has heard it: whether it is asked still is not known
}

// inputID names a task's request for input in the journal, where the ids of a
// server's own requests start with their kind.
func inputID(key string) []byte { return append([]byte{'k'}, key...) }

// askTaskInput hands what is new among a task's requests for input to the app, however often polls repeat it:
// a key is asked once for the life of the task (SEP-2663), or until its answer is taken and while it asks the
// same (SEP-2339). A notification may be older than what is known by now: the next poll tells.
func (call *call) askTaskInput(c *Client, now engine.Time, requests []byte, notified bool) {
	k := call.task
	entries, more := jsonrpc.Entries(requests, maxTaskInput)
	var fresh []byte
	var keys []string
	waiting := 0
	for _, q := range k.waiting {
		waiting += len(q.request)
	}
	for _, e := range entries {
		if !jsonrpc.IsObject(e.Value) || k.asked[e.Key] && (k.dialect.KeysForLife || notified || !call.asksOther(c, e.Key, e.Value)) {
			continue
		}
		if waiting += len(e.Value); k.asks >= maxTaskInput || waiting > maxTaskInputBytes || len(e.Key) > maxTaskInputKey {
			more = true
			break
		}
		call.noteAsked(e.Key, e.Value)
		c.write(call, journal.AskedEntry(inputID(e.Key), withoutTask(e.Value)))
		fresh, keys = appendInput(fresh, e.Key, e.Value), append(keys, e.Key)
	}
	if more {
		c.integrity("too_many_requests", nil)
	}
	if fresh != nil {
		call.askedAt = now
		c.deliver(call, engine.EventInput, inputEvent(append(fresh, '}')))
		k.shown(keys, call.position)
	}
}

// shown notes the position of the event by which the app was asked.
func (k *task) shown(keys []string, position uint32) {
	for _, key := range keys {
		k.waiting[key].position = position
	}
}

// asksOther reports whether the server asks something else under a key than before. What was
// asked before is over then, and an answer to it is for nobody.
func (call *call) asksOther(c *Client, key string, request []byte) bool {
	k := call.task
	request = withoutTask(request)
	if q := k.waiting[key]; q != nil {
		if bytes.Equal(withoutTask(q.request), request) {
			q.doubted = false
			return false
		}
		delete(k.waiting, key)
		call.drafts.Drop(inputID(key))
	} else if i := slices.IndexFunc(k.answers, func(r *taskReply) bool { return r.key == key }); i >= 0 {
		if r := k.answers[i]; bytes.Equal(r.asked, request) {
			r.doubted = false
			return false
		}
		k.answers = slices.Delete(k.answers, i, i+1)
		c.integrity("answer_dropped", nil)
	} else if had, closed := k.closed[key]; closed {
		if bytes.Equal(had, request) {
			return false // it takes the server a while to take the answer in
		}
		delete(k.closed, key)
	}
	c.write(call, journal.Entry{Kind: journal.Taken, Data: inputID(key)})
	return true
}

// closeKeys notes whose answers the server has taken with the poll that is answered now. It may ask
// the same again: in that very answer, or once it has not waited for input.
func (k *task) closeKeys() {
	if k.status != "input_required" {
		for key := range k.closed {
			delete(k.asked, key)
		}
		k.closed = nil
	}
	for _, r := range k.closing {
		if !k.asked[r.key] && k.status == "input_required" {
			if k.closed == nil {
				k.closed = map[string][]byte{}
			}
			k.asked[r.key], k.closed[r.key] = true, r.asked
		}
	}
	k.closing = nil
}

// settleDoubts ends the doubt about answers, by what a poll without them has told: the server asks the same
// still, and they go with the next one, or not any more.
func (call *call) settleDoubts(c *Client, now engine.Time, data []byte) {
	k := call.task
	_, asks := jsonrpc.Member(data, "inputRequests")
	left := k.answers[:0]
	for _, r := range k.answers {
		if r.doubted && !asks && k.status == "input_required" {
			r.doubted = false // it does not say what it waits for
		}
		if r.doubted {
			if !r.left {
				c.integrity("answer_dropped", nil) // nobody waits for it any more
			}
			c.write(call, journal.Entry{Kind: journal.Taken, Data: inputID(r.key)})
			delete(k.asked, r.key)
			continue
		}
		left = append(left, r)
		if r.stored {
			k.poll.at = now
		}
	}
	clear(k.answers[len(left):])
	k.answers = left
}

func (call *call) noteAsked(key string, request []byte) {
	k := call.task
	if k.asked == nil {
		k.asked, k.waiting = map[string]bool{}, map[string]*taskQuestion{}
	}
	k.asks++
	k.asked[key], k.waiting[key] = true, &taskQuestion{request: bytes.Clone(request)}
}

// appendInput appends a member to an object that it starts.
func appendInput(b []byte, key string, value []byte) []byte {
	if b == nil {
		b = []byte{'{'}
	} else {
		b = append(b, ',')
	}
	return append(append(jsonrpc.AppendString(b, key), ':'), value...)
}

// answerTask takes the app's answers, some or all of them, to what it was asked by the event of that
// position, or before it; 0 where nobody knows. They are on disk before they leave.
func (call *call) answerTask(c *Client, now engine.Time, position uint32, responses []byte) {
	k := call.task
	entries, _ := jsonrpc.Entries(responses, maxTaskInput)
	var replies []*taskReply
	for _, e := range entries {
		q := k.waiting[e.Key]
		if q == nil {
			continue
		}
		if position != 0 && position < q.position {
			c.integrity("answer_dropped", nil) // to what the server has asked before under that key
			continue
		}
		delete(k.waiting, e.Key)
		call.drafts.Drop(inputID(e.Key))
		r := &taskReply{key: e.Key, response: append([]byte(nil), e.Value...), asked: withoutTask(q.request), doubted: q.doubted}
		replies = append(replies, r)
		c.writeAnswer(call, inputID(e.Key), r.response)
	}
	if len(replies) == 0 {
		return
	}
	call.totalBy = call.totalBy.After(now.Since(call.askedAt))
	k.answers = append(k.answers, replies...)
	c.whenStored(now, call, true, &taskAnswers{k, replies})
}

// taskAnswers sends what the app has answered to a task.
type taskAnswers struct {
	task    *task
	replies []*taskReply
}

func (s *taskAnswers) goOn(_ *Client, call *call, now engine.Time) {
	for _, r := range s.replies {
		r.stored = true
	}
	if call.task == s.task {
		s.task.sendAnswers(now)
	}
}

// answered reports whether an answer under that key has not been taken yet.
func (k *task) answered(key string) bool {
	return slices.ContainsFunc(k.answers, func(r *taskReply) bool { return r.key == key })
}

// sendAnswers makes the request that takes answers due.
func (k *task) sendAnswers(now engine.Time) {
	if k.dialect.Update != "" {
		k.update.at = now
	} else {
		k.poll.at = now
	}
}

// inputMembers returns the members of params that carry the answers, nil for
// none.
func (call *call) inputMembers(wanted bool) []byte {
	if !wanted {
		return nil
	}
	var object []byte
	echo := call.task.echo
	for _, r := range call.task.answers {
		echo = echo || r.doubted // the server may know nothing but what its state says
		if r.sent = r.stored && !r.doubted; r.sent {
			r.left = true
			object = appendInput(object, r.key, r.response)
		}
	}
	var members []byte
	if object != nil {
		members = append(append([]byte(`,"inputResponses":`), object...), '}')
	}
	if len(call.task.state) > 0 && (object != nil || echo) {
		members = append(jsonrpc.Raw(members, `,"requestState":`), call.task.state...)
	}
	return members
}

// answersTaken notes that the server has taken the answers under way, or refused
// them for good.
func (call *call) answersTaken(c *Client) {
	var left []*taskReply
	for _, r := range call.task.answers {
		if r.sent {
			c.write(call, journal.Entry{Kind: journal.Taken, Data: inputID(r.key)})
			if !call.task.dialect.KeysForLife {
				delete(call.task.asked, r.key)
				call.task.closing = append(call.task.closing, r)
			}
		} else {
			left = append(left, r)
		}
	}
	call.task.answers = left
}

// doubtAnswers notes that nobody knows whether the server has the answers that went with a poll: it may be
// asking something else under their keys by now.
func (k *task) doubtAnswers() {
	for _, r := range k.answers {
		r.doubted = r.doubted || r.sent && !k.dialect.KeysForLife
	}
}

// updated takes the answer to tasks/update.
func (call *call) updated(c *Client, now engine.Time, outcome engine.Outcome, data []byte, failure *engine.Error) {
	k, code := call.task, jsonrpc.ErrorCode(data)
	refused := outcome == engine.OutcomeRPCError
	switch {
	case refused && code != invalidParams && code != wire.MethodNotFound && k.update.attempts < maxReplies:
		k.update.again(now, c) // it has not been taken
	case outcome != engine.OutcomeFailure:
		// An error says that the task is over or wants no such key: what becomes
		// of it the next poll tells.
		k.update.attempts = 0
		call.answersTaken(c)
		k.poll.at = min(k.poll.at, now.After(pollFloor))
	case failure.Retryable,
		failure.Code == engine.CodeProtocol && k.update.attempts < resultTries: // half an answer, or none, with a clean end
		k.update.again(now, c)
	default:
		call.answersTaken(c)
	}
}

// restoreTaskInput brings back what the task has asked: answered, answered and
// not taken, or neither.
func (call *call) restoreTaskInput(c *Client, now engine.Time, r *recorded.Call) {
	k := call.task
	var again []byte
	var keys []string
	for _, q := range r.Asked {
		if key, ok := inputKey(q.ID); ok {
			request := call.withTask(q.Message)
			call.noteAsked(key, request)
			k.waiting[key].doubted = !k.dialect.KeysForLife
			again, keys = appendInput(again, key, request), append(keys, key)
		}
	}
	k.shown(keys, call.position)
	for _, a := range r.Outbox {
		if key, ok := inputKey(a.ID); ok {
			call.noteAsked(key, nil)
			delete(k.waiting, key)
			k.answers = append(k.answers, &taskReply{key: key, response: a.Message, asked: a.Asked, stored: true, left: true, doubted: !k.dialect.KeysForLife})
		}
	}
	for _, id := range r.Taken {
		if key, ok := inputKey(id); ok && k.dialect.KeysForLife {
			call.noteAsked(key, nil)
			delete(k.waiting, key)
		}
	}
	// The state goes with the answers, or at once where nothing is asked.
	k.echo = len(k.state) > 0 && len(k.waiting)+len(k.answers) == 0
	if len(k.answers) > 0 {
		k.sendAnswers(now)
	}
	if again != nil {
		call.askedAt = now
		again = append(again, '}')
		c.effects.Add(engine.Effect{Kind: engine.Deliver, C: call.id, Event: engine.EventInput, Position: call.position, Data: withDrafts(&call.drafts, inputEvent(again), again, inputID)})
	}
}

// inputKey returns the key in an id that inputID made.
func inputKey(id []byte) (string, bool) {
	if len(id) == 0 || id[0] != 'k' {
		return "", false
	}
	return string(id[1:]), true
}

// rewriteTask writes a live task again after the store was cleared.
func (c *Client) rewriteTask(call *call) {
	k := call.task
	c.writeTask(call)
	if len(k.state) > 0 {
		c.writeSecret(call, journal.Entry{Kind: journal.TaskState, Data: k.state})
	}
	if k.unheard != 0 {
		c.write(call, journal.Entry{Kind: journal.Fetching, N: [3]uint64{uint64(k.unheard)}})
	}
	for _, r := range k.answers {
		if r.asked != nil {
			c.write(call, journal.AskedEntry(inputID(r.key), r.asked))
		}
	}
	for _, key := range sortedKeys(k.asked) {
		if q := k.waiting[key]; q != nil {
			c.write(call, journal.AskedEntry(inputID(key), withoutTask(q.request)))
		} else if !k.answered(key) {
			c.write(call, journal.Entry{Kind: journal.Taken, Data: inputID(key)})
		}
	}
	for _, r := range k.answers {
		c.writeAnswer(call, inputID(r.key), r.response)
	}
	call.rewriteDrafts()
}
