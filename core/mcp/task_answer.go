package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// JSON-RPC error codes about a task.
const (
	invalidParams = -32602 // the server does not know the task, or no more
	internalError = -32603 // of a tasks/result with lastSeqNr: it cannot resume (SEP-1905)
)

// resultTries is how often in a row the answer to a request for a task's result
// may be none.
const resultTries = 4

// taskAnswered takes what became of a request about a task.
func (c *Client) taskAnswered(now engine.Time, s *call, outcome engine.Outcome, data []byte, failure *engine.Error) {
	t := s.parent
	k := t.task
	if k == nil || t.state != callTask {
		return
	}
	switch s {
	case k.poll.call:
		k.poll.call = nil
		t.polled(c, now, s, outcome, data, failure)
	case k.fetch.call:
		k.fetch.call = nil
		t.fetched(c, now, outcome, data, failure)
	case k.update.call:
		k.update.call = nil
		t.updated(c, now, outcome, data, failure)
	case k.peek.call:
		k.peek.call = nil
		t.peeked(c, now, outcome, data, failure)
	}
}

// polled takes the answer to a poll.
func (t *call) polled(c *Client, now engine.Time, s *call, outcome engine.Outcome, data []byte, failure *engine.Error) {
	k := t.task
	refused := outcome == engine.OutcomeRPCError
	trying := k.trying && s.method == wire.ContinuedTasks.Poll
	switch {
	case trying && (refused && errorCode(data) != invalidParams || outcome == engine.OutcomeFailure && failure.Code == engine.CodeHTTP && !failure.Retryable):
		// No tasks/continue: asked once, and never again of this server.
		c.continues = unsupported
		k.trying, k.poll.at = false, now.After(k.interval)
		if k.dialect == wire.ContinuedTasks {
			k.dialect, k.fetch.at = wire.CoreTasks, now
			c.writeTask(t)
		}
		return
	case refused && errorCode(data) == invalidParams && k.echoes == echoStored:
		k.echoes, k.state, k.poll.at = echoRefused, nil, now
		for _, r := range k.answers {
			r.sent = false
		}
		return
	case refused && errorCode(data) == invalidParams:
		t.taskGone(c, now)
		return
	case outcome != engine.OutcomeResult:
		t.pollFailed(c, now)
		return
	}
	if trying {
		k.trying, c.continues = false, supported
		c.tellPolled(t)
	}
	k.poll.attempts = 0
	k.pace(data)
	k.poll.at = now.After(k.interval)
	if k.pollSoon {
		k.pollSoon, k.poll.at = false, now.After(min(k.interval, pollDefault))
	}
	if k.dialect.AnswersByPoll() {
		k.echoes = echoHeard
		t.answersTaken(c)
		t.takeState(c, now, data)
	}
	t.taskState(c, now, data, false)
	if t.task == k && k.result == resultDoubted {
		t.undoubted(c, now)
	}
}

// takeState keeps the state that goes back with the next answers (a SEP-2339
// draft), byte for byte; at once where nothing is asked. Answers that came while
// the poll was under way follow it at once, too.
func (t *call) takeState(c *Client, now engine.Time, data []byte) {
	k := t.task
	state, _ := jsonrpc.Member(data, "requestState")
	if !bytes.Equal(state, k.state) {
		c.writeSecret(t, journal.Entry{Kind: journal.TaskState, Data: state})
	}
	_, asks := jsonrpc.Member(data, "inputRequests")
	k.state, k.echo = append(k.state[:0], state...), len(state) > 0 && !asks
	for _, r := range k.answers {
		if r.stored {
			k.poll.at = now
		}
	}
}

// taskState takes a task as a poll or a notification says it is.
func (t *call) taskState(c *Client, now engine.Time, data []byte, notified bool) {
	k := t.task
	if id := taskID(data); id != "" && id != k.id {
		c.integrity("foreign_task", nil)
		return
	}
	if notified {
		k.pace(data)
		k.poll.at = min(k.poll.at, now.After(k.interval))
	}
	t.heardOf(c, now, data)
	c.taskStatus(t, data)
	if requests, ok := jsonrpc.Member(data, "inputRequests"); ok && k.dialect.Result == "" {
		t.askTaskInput(c, now, requests)
	}
	switch {
	case k.dialect.Result == "" && notified && !hasOutcome(data):
		if k.over() {
			k.poll.at = now // which brings it
		}
	case k.dialect.Result == "":
		t.taskOutcome(c, now, data)
	case !k.streams() && k.status == "completed" && inlined(data):
		t.taskOutcome(c, now, data) // SEP-2339: there is nothing left to fetch
	case k.result == resultDoubted:
	case k.fetch.call == nil && k.fetch.at == engine.Never && (k.over() || k.status == "input_required"):
		k.fetch.at = now // what it asks comes on the way to its result
	case t.waitsInVain():
		k.fetch.drop(c)
		if t.x == 0 || !k.segments.Gapless() {
			k.fetch.at = now
		}
	case k.fetch.call != nil && k.over() && !notified:
		// It should have been answered by now: a dead connection says nothing. A
		// notification is faster than a server that looks once in an interval.
		if k.chunks != k.fetch.call.chunks {
			k.chunks, k.ended = k.fetch.call.chunks, 0
		}
		if k.ended++; k.ended > 1 {
			k.fetch.drop(c)
			k.fetch.at, k.ended = now, 0
		}
	}
}

// pace takes the interval between polls that the server names, if it does.
func (k *task) pace(data []byte) {
	if interval, ok := jsonrpc.Member(data, k.dialect.Interval); ok {
		k.interval = clampInterval(interval)
	}
}

func hasOutcome(data []byte) bool {
	_, result := jsonrpc.Member(data, "result")
	_, failure := jsonrpc.Member(data, "error")
	return result || failure
}

// inlined reports whether a task brings its result with it.
func inlined(task []byte) bool {
	result, _ := jsonrpc.Member(task, "result")
	return jsonrpc.IsObject(result)
}

// taskOutcome ends the call where the task brings its outcome with it.
func (t *call) taskOutcome(c *Client, now engine.Time, data []byte) {
	result, hasResult := jsonrpc.Member(data, "result")
	rpc, hasError := jsonrpc.Member(data, "error")
	switch t.task.status {
	case "completed", "failed":
		switch {
		case hasError && jsonrpc.IsObject(rpc):
			c.settle(now, t, engine.OutcomeRPCError, rpc, nil)
		case hasResult && jsonrpc.IsObject(result):
			c.settle(now, t, engine.OutcomeResult, result, nil)
		case t.task.refusal != nil:
			c.settle(now, t, engine.OutcomeRPCError, t.task.refusal, nil)
		default:
			c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
				Code: engine.CodeProtocol, Op: t.method, Message: "the server's task has ended without an outcome"})
		}
	case "cancelled":
		t.taskCancelled(c, now)
	}
}

// fetched takes the answer to tasks/result.
func (t *call) fetched(c *Client, now engine.Time, outcome engine.Outcome, data []byte, failure *engine.Error) {
	k := t.task
	if outcome == engine.OutcomeResult || outcome == engine.OutcomeRPCError {
		k.unheard = 0
	}
	switch outcome {
	case engine.OutcomeResult:
		if id := relatedTask(data); id != "" && id != k.id {
			c.integrity("foreign_task", nil)
			k.fetch.again(now, c)
			return
		}
		t.heardOf(c, now, nil)
		k.fetch.attempts = 0
		if partial, is := jsonrpc.Member(data, "partial-content"); is {
			t.refetched(c, now, partial, data)
			return
		}
		if k.streams() {
			if t.compare(c, data) {
				t.tellRest(c, data)
			}
		}
		c.settle(now, t, engine.OutcomeResult, data, nil)
	case engine.OutcomeRPCError:
		switch code := errorCode(data); {
		case k.numbered && !k.expired && (code == internalError || code == invalidParams):
			k.askWhole(c)
			k.fetch.at = now
		case code == wire.MethodNotFound && !k.streams():
			// No tasks/result: what it would give comes with the status (SEP-2339). If it
			// does not, this was the tool's own word.
			k.dialect, k.refusal, c.inlined = wire.InlinedTasks, bytes.Clone(data), true
			k.poll.at = now
			c.writeTask(t)
		case code == invalidParams:
			k.expired = true // and this was its last word
			t.taskGone(c, now)
		case k.result == resultComplete && (k.segments.Failed || k.status != "failed"):
			t.settleMerged(c, now)
		case k.status == "cancelled":
			t.taskCancelled(c, now)
		default:
			// tasks/result gives exactly the outcome of the request itself.
			c.settle(now, t, engine.OutcomeRPCError, data, nil)
		}
	default:
		// Its stream is lost; the task is not.
		lost := failure.Code == engine.CodeLost || failure.Code == engine.CodeOutcomeUnknown
		garbled := failure.Code == engine.CodeProtocol && k.fetch.attempts < resultTries // half an answer, with a clean end
		if !failure.Retryable && !lost && !garbled {
			c.settle(now, t, engine.OutcomeFailure, nil, failure)
			return
		}
		k.fetch.again(now, c)
	}
}

// taskGone ends a call whose task the server does not know any more, once its
// result has been asked for in vain. What was streamed of it stays readable.
func (t *call) taskGone(c *Client, now engine.Time) {
	k := t.task
	if k.dialect.Result != "" && !k.expired {
		k.expired, k.ended = true, 0
		k.fetch.drop(c)
		k.fetch.at, k.poll.at = now, engine.Never
		return
	}
	t.taskOver(c, now, k.result == resultComplete)
}

// taskOver ends a call whose task the server does not know any more, and whose result
// was asked for in vain. complete: all segments of it are there.
func (t *call) taskOver(c *Client, now engine.Time, complete bool) {
	switch {
	case complete:
		t.settleMerged(c, now)
	case t.task.status == "cancelled":
		t.taskCancelled(c, now)
	default:
		t.taskLost(c, now)
	}
}

func (t *call) taskLost(c *Client, now engine.Time) {
	t.cuts++
	why := "the server no longer has this call's task; it may have run"
	if t.task.ttl.over {
		why = "the server kept this call's task for as long as it had promised, and that is over; it may have run"
	}
	t.answerLost(c, now, engine.Lost, &engine.Error{Code: engine.CodeLost, Op: t.method, Message: why})
}

func (t *call) taskCancelled(c *Client, now engine.Time) {
	c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
		Code: engine.CodeCancelled, Op: t.method, Message: "the server has cancelled the task"})
}

// taskNotified takes notifications/tasks or notifications/tasks/status: a hint
// that saves a poll, for whichever call the task carries. False where it is
// nobody's.
func (c *Client) taskNotified(now engine.Time, params []byte) bool {
	id := taskID(params)
	for _, t := range c.calls {
		if t.state == callTask && t.task.id == id && id != "" {
			c.reschedule(t)
			t.taskState(c, now, params, true)
			return true
		}
	}
	return false
}

func errorCode(object []byte) int64 {
	value, _ := jsonrpc.Member(object, "code")
	code, _ := jsonrpc.Int(value)
	return code
}
