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
func (c *Client) taskAnswered(now engine.Time, s *call, outcome engine.Outcome, data []byte,
	failure *engine.Error) {
	call := s.parent
	k := call.task
	if k == nil || call.state != callTask {
		return
	}
	switch s {
	case k.poll.call:
		k.poll.call = nil
		call.polled(c, now, s, outcome, data, failure)
	case k.fetch.call:
		k.fetch.call = nil
		call.fetched(c, now, outcome, data, failure)
	case k.update.call:
		k.update.call = nil
		call.updated(c, now, outcome, data, failure)
	case k.peek.call:
		k.peek.call = nil
		call.peeked(c, now, outcome, data, failure)
	}
}

// polled takes the answer to a poll.
func (call *call) polled(c *Client, now engine.Time, s *call, outcome engine.Outcome, data []byte,
	failure *engine.Error) {
	k := call.task
	refused := outcome == engine.OutcomeRPCError
	trying := k.trying && s.method == wire.ContinuedTasks.Poll
	switch {
	case trying && (refused && jsonrpc.ErrorCode(data) != invalidParams ||
		outcome == engine.OutcomeFailure && failure.Code == engine.CodeHTTP && !failure.Retryable):
		// No tasks/continue: asked once, and never again of this server.
		c.continues = unsupported
		k.trying, k.poll.at = false, now.After(k.interval)
		if k.dialect == wire.ContinuedTasks {
			k.dialect, k.fetch.at = wire.CoreTasks, now
			c.writeTask(call)
		}
		return
	case refused && jsonrpc.ErrorCode(data) == invalidParams && k.echoes == echoStored:
		k.echoes, k.state, k.poll.at = echoRefused, nil, now
		for _, r := range k.answers {
			r.sent = false
		}
		return
	case refused && jsonrpc.ErrorCode(data) == invalidParams:
		call.taskGone(c, now)
		return
	case outcome != engine.OutcomeResult:
		k.doubtAnswers()
		call.pollFailed(c, now)
		return
	}
	if trying {
		k.trying, c.continues = false, supported
		c.tellPolled(call)
	}
	k.poll.attempts = 0
	k.pace(data)
	k.poll.at = now.After(k.interval)
	if k.pollSoon {
		k.pollSoon, k.poll.at = false, now.After(min(k.interval, pollDefault))
	}
	if k.dialect.AnswersByPoll() {
		k.echoes = echoHeard
		call.answersTaken(c)
		call.takeState(c, now, data)
	}
	call.taskState(c, now, data, false)
	if call.task == k && k.dialect.AnswersByPoll() {
		k.closeKeys()
		call.settleDoubts(c, now, data)
	}
	if call.task == k && k.result == resultDoubted {
		call.undoubted(c, now)
	}
}

// takeState keeps the state that goes back with the next answers (a SEP-2339
// draft), byte for byte; at once where nothing is asked. Answers that came while
// the poll was under way follow it at once, too.
func (call *call) takeState(c *Client, now engine.Time, data []byte) {
	k := call.task
	state, _ := jsonrpc.Member(data, "requestState")
	if !bytes.Equal(state, k.state) {
		c.writeSecret(call, journal.Entry{Kind: journal.TaskState, Data: state})
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
func (call *call) taskState(c *Client, now engine.Time, data []byte, notified bool) {
	k := call.task
	if id := taskID(data); id != "" && id != k.id {
		c.integrity("foreign_task", nil)
		return
	}
	if notified {
		k.pace(data)
		k.poll.at = min(k.poll.at, now.After(k.interval))
	}
	call.heardOf(c, now, data)
	before := k.status
	c.taskStatus(call, data)
	if requests, ok := jsonrpc.Member(data, "inputRequests"); ok && k.dialect.Result == "" {
		call.askTaskInput(c, now, requests, notified)
	}
	switch {
	case k.dialect.Result == "" && notified && !hasOutcome(data):
		if k.over() {
			k.poll.at = now // which brings it
		}
	case k.dialect.Result == "":
		call.taskOutcome(c, now, data)
	case !k.streams() && k.status == "completed" && inlined(data):
		call.taskOutcome(c, now, data) // SEP-2339: there is nothing left to fetch
	case k.result == resultDoubted:
	case k.fetch.call == nil && (k.fetch.at == engine.Never || k.fetch.attempts > 0 && before != k.status) &&
		(k.over() || k.status == "input_required"):
		// What it asks comes on the way to its result. What failed so far was to wait for that.
		k.fetch.at, k.fetch.attempts = now, 0
	case call.waitsInVain():
		k.fetch.drop(c)
		if call.x == 0 || !k.segments.Gapless() {
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
func (call *call) taskOutcome(c *Client, now engine.Time, data []byte) {
	result, hasResult := jsonrpc.Member(data, "result")
	rpc, hasError := jsonrpc.Member(data, "error")
	switch call.task.status {
	case "completed", "failed":
		switch {
		case hasError && jsonrpc.IsObject(rpc):
			c.settle(now, call, engine.OutcomeRPCError, rpc, nil)
		case hasResult && jsonrpc.IsObject(result):
			c.settle(now, call, engine.OutcomeResult, result, nil)
		case call.task.refusal != nil:
			c.settle(now, call, engine.OutcomeRPCError, call.task.refusal, nil)
		default:
			c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
				Code: engine.CodeProtocol, Op: call.method,
				Message: "the server's task has ended without an outcome"})
		}
	case "cancelled":
		call.taskCancelled(c, now)
	}
}

// fetched takes the answer to tasks/result.
func (call *call) fetched(c *Client, now engine.Time, outcome engine.Outcome, data []byte,
	failure *engine.Error) {
	k := call.task
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
		call.heardOf(c, now, nil)
		k.fetch.attempts = 0
		if partial, is := jsonrpc.Member(data, "partial-content"); is {
			call.refetched(c, now, partial, data)
			return
		}
		if k.streams() {
			if call.compare(c, data) {
				call.tellRest(c, data)
			}
		}
		c.settle(now, call, engine.OutcomeResult, data, nil)
	case engine.OutcomeRPCError:
		switch code := jsonrpc.ErrorCode(data); {
		case k.numbered && !k.expired && (code == internalError || code == invalidParams):
			k.askWhole(c)
			k.fetch.at = now
		case code == wire.MethodNotFound && !k.streams():
			// No tasks/result: what it would give comes with the status (SEP-2339). If it
			// does not, this was the tool's own word.
			k.dialect, k.refusal, c.inlined = wire.InlinedTasks, bytes.Clone(data), true
			k.poll.at = now
			c.writeTask(call)
		case code == invalidParams:
			k.expired = true // and this was its last word
			call.taskGone(c, now)
		case k.result == resultComplete && (k.segments.Failed || k.status != "failed"):
			call.settleMerged(c, now)
		case k.status == "cancelled":
			call.taskCancelled(c, now)
		default:
			// tasks/result gives exactly the outcome of the request itself.
			c.settle(now, call, engine.OutcomeRPCError, data, nil)
		}
	default:
		// Its stream is lost; the task is not.
		lost := failure.Code == engine.CodeLost || failure.Code == engine.CodeOutcomeUnknown
		// half an answer, with a clean end
		garbled := failure.Code == engine.CodeProtocol && k.fetch.attempts < resultTries
		if !failure.Retryable && !lost && !garbled {
			c.settle(now, call, engine.OutcomeFailure, nil, failure)
			return
		}
		k.fetch.again(now, c)
	}
}

// taskGone ends a call whose task the server does not know any more, once its
// result has been asked for in vain. What was streamed of it stays readable.
func (call *call) taskGone(c *Client, now engine.Time) {
	k := call.task
	if k.dialect.Result != "" && !k.expired {
		k.expired, k.ended = true, 0
		k.fetch.drop(c)
		k.fetch.at, k.poll.at = now, engine.Never
		return
	}
	call.taskOver(c, now, k.result == resultComplete)
}

// taskOver ends a call whose task the server does not know any more, and whose result
// was asked for in vain. complete: all segments of it are there.
func (call *call) taskOver(c *Client, now engine.Time, complete bool) {
	switch {
	case complete:
		call.settleMerged(c, now)
	case call.task.status == "cancelled":
		call.taskCancelled(c, now)
	default:
		call.taskLost(c, now)
	}
}

func (call *call) taskLost(c *Client, now engine.Time) {
	call.cuts++
	why := "the server no longer has this call's task; it may have run"
	if call.task.ttl.over {
		why = "the server kept this call's task for as long as it had promised, and that is over; it " +
			"may have run"
	}
	call.answerLost(c, now, engine.Lost, &engine.Error{Code: engine.CodeLost, Op: call.method, Message: why})
}

func (call *call) taskCancelled(c *Client, now engine.Time) {
	c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
		Code: engine.CodeCancelled, Op: call.method, Message: "the server has cancelled the task"})
}

// taskNotified takes notifications/tasks or notifications/tasks/status: a hint
// that saves a poll, for whichever call the task carries. False where it is
// nobody's.
func (c *Client) taskNotified(now engine.Time, params []byte) bool {
	id := taskID(params)
	for _, call := range c.calls {
		if call.state == callTask && call.task.id == id && id != "" {
			c.reschedule(call)
			call.taskState(c, now, params, true)
			return true
		}
	}
	return false
}
