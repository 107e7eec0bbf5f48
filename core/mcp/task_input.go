package mcp

import (
	"bytes"

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
	stored   bool // it may leave
	sent     bool // it is in the request under way
}

// inputID names a task's request for input in the journal, where the ids of a
// server's own requests start with their kind.
func inputID(key string) []byte { return append([]byte{'k'}, key...) }

// askTaskInput hands what is new among a task's requests for input to the app: a
// key is asked once for the life of the task (SEP-2663), however often polls
// repeat it.
func (t *call) askTaskInput(c *Client, now engine.Time, requests []byte) {
	k := t.task
	entries, more := jsonrpc.Entries(requests, maxTaskInput)
	var fresh []byte
	waiting := 0
	for _, request := range k.waiting {
		waiting += len(request)
	}
	for _, e := range entries {
		if k.asked[e.Key] || !jsonrpc.IsObject(e.Value) {
			continue
		}
		if waiting += len(e.Value); len(k.asked) >= maxTaskInput || waiting > maxTaskInputBytes || len(e.Key) > maxTaskInputKey {
			more = true
			break
		}
		t.noteAsked(e.Key, e.Value)
		c.write(t, journal.AskedEntry(inputID(e.Key), withoutTask(e.Value)))
		fresh = appendInput(fresh, e.Key, e.Value)
	}
	if more {
		c.integrity("too_many_requests", nil)
	}
	if fresh != nil {
		t.askedAt = now
		c.deliver(t, engine.EventInput, inputEvent(append(fresh, '}')))
	}
}

func (t *call) noteAsked(key string, request []byte) {
	k := t.task
	if k.asked == nil {
		k.asked, k.waiting = map[string]bool{}, map[string][]byte{}
	}
	k.asked[key], k.waiting[key] = true, bytes.Clone(request)
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

// answerTask takes the app's answers, some or all of them. They are on disk
// before they leave.
func (t *call) answerTask(c *Client, now engine.Time, responses []byte) {
	k := t.task
	entries, _ := jsonrpc.Entries(responses, maxTaskInput)
	var replies []*taskReply
	for _, e := range entries {
		if k.waiting[e.Key] == nil {
			continue
		}
		delete(k.waiting, e.Key)
		t.drafts.drop(inputID(e.Key))
		r := &taskReply{key: e.Key, response: append([]byte(nil), e.Value...)}
		replies = append(replies, r)
		c.writeAnswer(t, inputID(e.Key), r.response)
	}
	if len(replies) == 0 {
		return
	}
	t.totalBy = later(t.totalBy, now.Since(t.askedAt))
	k.answers = append(k.answers, replies...)
	c.whenStored(now, t, true, &taskAnswers{k, replies})
}

// taskAnswers sends what the app has answered to a task.
type taskAnswers struct {
	task    *task
	replies []*taskReply
}

func (s *taskAnswers) goOn(_ *Client, t *call, now engine.Time) {
	for _, r := range s.replies {
		r.stored = true
	}
	if t.task == s.task {
		s.task.sendAnswers(now)
	}
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
func (t *call) inputMembers(wanted bool) []byte {
	if !wanted {
		return nil
	}
	var object []byte
	for _, r := range t.task.answers {
		if r.sent = r.stored; r.sent {
			object = appendInput(object, r.key, r.response)
		}
	}
	var members []byte
	if object != nil {
		members = append(append([]byte(`,"inputResponses":`), object...), '}')
	}
	if len(t.task.state) > 0 && (object != nil || t.task.echo) {
		members = append(append(members, `,"requestState":`...), t.task.state...)
	}
	return members
}

// answersTaken notes that the server has taken the answers under way, or refused
// them for good.
func (t *call) answersTaken(c *Client) {
	var left []*taskReply
	for _, r := range t.task.answers {
		if r.sent {
			c.write(t, journal.Entry{Kind: journal.Taken, Data: inputID(r.key)})
		} else {
			left = append(left, r)
		}
	}
	t.task.answers = left
}

// updated takes the answer to tasks/update.
func (t *call) updated(c *Client, now engine.Time, outcome engine.Outcome, data []byte, failure *engine.Error) {
	k, code := t.task, errorCode(data)
	refused := outcome == engine.OutcomeRPCError
	switch {
	case refused && code != invalidParams && code != wire.MethodNotFound && k.update.attempts < maxReplies:
		k.update.again(now, c) // it has not been taken
	case outcome != engine.OutcomeFailure:
		// An error says that the task is over or wants no such key: what becomes
		// of it the next poll tells.
		k.update.attempts = 0
		t.answersTaken(c)
		k.poll.at = min(k.poll.at, now.After(pollFloor))
	case failure.Retryable,
		failure.Code == engine.CodeProtocol && k.update.attempts < resultTries: // half an answer, or none, with a clean end
		k.update.again(now, c)
	default:
		t.answersTaken(c)
	}
}

// restoreTaskInput brings back what the task has asked: answered, answered and
// not taken, or neither.
func (t *call) restoreTaskInput(c *Client, now engine.Time, r *recorded.Call) {
	k := t.task
	var again []byte
	for _, q := range r.Asked {
		if key, ok := inputKey(q.ID); ok {
			request := t.withTask(q.Message)
			t.noteAsked(key, request)
			again = appendInput(again, key, request)
		}
	}
	for _, a := range r.Outbox {
		if key, ok := inputKey(a.ID); ok {
			t.noteAsked(key, nil)
			delete(k.waiting, key)
			k.answers = append(k.answers, &taskReply{key: key, response: a.Message, stored: true})
		}
	}
	for _, id := range r.Taken {
		if key, ok := inputKey(id); ok {
			t.noteAsked(key, nil)
			delete(k.waiting, key)
		}
	}
	// The state goes with the answers, or at once where nothing is asked.
	k.echo = len(k.state) > 0 && len(k.waiting)+len(k.answers) == 0
	if len(k.answers) > 0 {
		k.sendAnswers(now)
	}
	if again != nil {
		t.askedAt = now
		again = append(again, '}')
		c.effects.Add(engine.Effect{Kind: engine.Deliver, C: t.id, Event: engine.EventInput, Position: t.position, Data: t.drafts.withSaved(inputEvent(again), again, inputID)})
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
func (c *Client) rewriteTask(t *call) {
	k := t.task
	c.writeTask(t)
	if len(k.state) > 0 {
		c.writeSecret(t, journal.Entry{Kind: journal.TaskState, Data: k.state})
	}
	for _, key := range sortedKeys(k.waiting) {
		c.write(t, journal.AskedEntry(inputID(key), withoutTask(k.waiting[key])))
	}
	for _, r := range k.answers {
		c.writeAnswer(t, inputID(r.key), r.response)
	}
	c.rewriteDrafts(t)
}
