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
	stored   bool // it may leave
	sent     bool // it is in the request under way
}

// inputID names a task's request for input in the journal, where the ids of a
// server's own requests start with their kind.
func inputID(key string) []byte { return append([]byte{'k'}, key...) }

// askTaskInput hands what is new among a task's requests for input to the app: a
// key is asked once for the life of the task (SEP-2663), however often polls
// repeat it.
func (call *call) askTaskInput(c *Client, now engine.Time, requests []byte) {
	k := call.task
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
		call.noteAsked(e.Key, e.Value)
		c.write(call, journal.AskedEntry(inputID(e.Key), withoutTask(e.Value)))
		fresh = appendInput(fresh, e.Key, e.Value)
	}
	if more {
		c.integrity("too_many_requests", nil)
	}
	if fresh != nil {
		call.askedAt = now
		c.deliver(call, engine.EventInput, inputEvent(append(fresh, '}')))
	}
}

func (call *call) noteAsked(key string, request []byte) {
	k := call.task
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
func (call *call) answerTask(c *Client, now engine.Time, responses []byte) {
	k := call.task
	entries, _ := jsonrpc.Entries(responses, maxTaskInput)
	var replies []*taskReply
	for _, e := range entries {
		if k.waiting[e.Key] == nil {
			continue
		}
		delete(k.waiting, e.Key)
		call.drafts.drop(inputID(e.Key))
		r := &taskReply{key: e.Key, response: append([]byte(nil), e.Value...)}
		replies = append(replies, r)
		c.writeAnswer(call, inputID(e.Key), r.response)
	}
	if len(replies) == 0 {
		return
	}
	call.totalBy = later(call.totalBy, now.Since(call.askedAt))
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
	for _, r := range call.task.answers {
		if r.sent = r.stored; r.sent {
			object = appendInput(object, r.key, r.response)
		}
	}
	var members []byte
	if object != nil {
		members = append(append([]byte(`,"inputResponses":`), object...), '}')
	}
	if len(call.task.state) > 0 && (object != nil || call.task.echo) {
		members = append(append(members, `,"requestState":`...), call.task.state...)
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
		} else {
			left = append(left, r)
		}
	}
	call.task.answers = left
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
	for _, q := range r.Asked {
		if key, ok := inputKey(q.ID); ok {
			request := call.withTask(q.Message)
			call.noteAsked(key, request)
			again = appendInput(again, key, request)
		}
	}
	for _, a := range r.Outbox {
		if key, ok := inputKey(a.ID); ok {
			call.noteAsked(key, nil)
			delete(k.waiting, key)
			k.answers = append(k.answers, &taskReply{key: key, response: a.Message, stored: true})
		}
	}
	for _, id := range r.Taken {
		if key, ok := inputKey(id); ok {
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
		c.effects.Add(engine.Effect{Kind: engine.Deliver, C: call.id, Event: engine.EventInput, Position: call.position, Data: call.drafts.withSaved(inputEvent(again), again, inputID)})
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
	for _, key := range sortedKeys(k.asked) {
		if request := k.waiting[key]; request != nil {
			c.write(call, journal.AskedEntry(inputID(key), withoutTask(request)))
		} else if !k.answered(key) {
			c.write(call, journal.Entry{Kind: journal.Taken, Data: inputID(key)})
		}
	}
	for _, r := range k.answers {
		c.writeAnswer(call, inputID(r.key), r.response)
	}
	c.rewriteDrafts(call)
}
