package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// JSON-RPC error codes about a task.
const (
	invalidParams = -32602 // the server does not know the task, or no more
	internalError = -32603 // of a tasks/result with lastSeqNr: it cannot resume (SEP-1905)
)

// taskAnswered takes what became of a request about a task.
func (c *Client) taskAnswered(now engine.Time, s *call, outcome engine.Outcome, data []byte, failure *engine.Error) {
	t := s.parent
	k := t.task
	if k == nil || t.phase != callTask {
		return
	}
	switch s {
	case k.poll.call:
		k.poll.call = nil
		t.polled(c, now, outcome, data, failure)
	case k.fetch.call:
		k.fetch.call = nil
		t.fetched(c, now, outcome, data, failure)
	case k.update.call:
		k.update.call = nil
		t.updated(c, now, outcome, failure)
	}
}

// polled takes the answer to a poll.
func (t *call) polled(c *Client, now engine.Time, outcome engine.Outcome, data []byte, failure *engine.Error) {
	k := t.task
	refused := outcome == engine.OutcomeRPCError
	switch {
	case k.trying && (refused && errorCode(data) != invalidParams || outcome == engine.OutcomeFailure && !failure.Retryable):
		// No tasks/continue: asked once, and never again of this server.
		c.noContinue = true
		k.trying, k.dialect = false, coreTasks
		c.writeTask(t)
		k.fetch.at, k.poll.at = now, now.After(k.interval)
		return
	case refused && errorCode(data) == invalidParams:
		t.taskGone(c, now)
		return
	case outcome != engine.OutcomeResult:
		k.poll.again(now, c)
		return
	}
	if k.trying {
		k.trying, c.continues = false, true
	}
	k.poll.attempts = 0
	if k.dialect.update == "" && k.dialect.result == "" {
		t.answersTaken(c)
	}
	k.poll.at = now.After(k.interval)
	t.taskState(c, now, data)
}

// taskState takes a task as a poll or a notification says it is.
func (t *call) taskState(c *Client, now engine.Time, data []byte) {
	k := t.task
	if id := taskID(data); id != "" && id != k.id {
		c.integrity("foreign_task", nil)
		return
	}
	if interval, ok := jsonrpc.Member(data, k.dialect.interval); ok {
		k.interval = clampInterval(interval)
		k.poll.at = min(k.poll.at, now.After(k.interval))
	}
	c.taskStatus(t, data)
	if requests, ok := jsonrpc.Member(data, "inputRequests"); ok && k.dialect.result == "" {
		state, _ := jsonrpc.Member(data, "requestState")
		k.state = append(k.state[:0], state...)
		t.askTaskInput(c, now, requests)
	}
	if k.dialect.result == "" {
		t.taskOutcome(c, now, data)
		return
	}
	switch k.status {
	case "completed", "failed", "cancelled":
		k.final = k.final || k.segments.complete && k.segments.gapless()
		switch {
		case k.fetch.call == nil && k.fetch.at == engine.Never:
			k.fetch.at = now
		case k.fetch.call != nil:
			// It should have been answered by now: a dead connection says nothing.
			if k.ended++; k.ended > 1 {
				k.fetch.drop(c)
				k.fetch.at, k.ended = now, 0
			}
		}
	}
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
	switch outcome {
	case engine.OutcomeResult:
		k.fetch.attempts = 0
		if partial, is := jsonrpc.Member(data, "partial-content"); is {
			before := k.segments.last()
			k.fetch.at = now.After(k.interval)
			t.takeSegments(c, now, partial, data)
			if t.task == k && !k.final && k.segments.last() == before && k.fetch.at == now {
				k.fetch.at = now.After(k.interval) // a gap that is not filled is not asked for in a loop
			}
			return
		}
		if k.streams && k.segments.complete && k.segments.gapless() {
			t.compare(c, data)
		}
		c.settle(now, t, engine.OutcomeResult, data, nil)
	case engine.OutcomeRPCError:
		switch code := errorCode(data); {
		case k.streams && !k.final && !k.whole && code == internalError && k.segments.last() > 0:
			k.whole, k.fetch.at = true, now
		case k.final:
			t.settleMerged(c, now)
		case code == invalidParams:
			t.taskGone(c, now)
		default:
			// tasks/result gives exactly the outcome of the request itself.
			c.settle(now, t, engine.OutcomeRPCError, data, nil)
		}
	default:
		// Its stream is lost; the task is not.
		lost := failure.Code == engine.CodeLost || failure.Code == engine.CodeOutcomeUnknown
		if !failure.Retryable && !lost && failure.Code != engine.CodeTimeout {
			c.settle(now, t, engine.OutcomeFailure, nil, failure)
			return
		}
		k.fetch.again(now, c)
	}
}

// taskGone ends a call whose task the server does not know any more. What was
// streamed of it stays readable.
func (t *call) taskGone(c *Client, now engine.Time) {
	switch {
	case t.task.final:
		t.settleMerged(c, now)
	case t.task.status == "cancelled":
		t.taskCancelled(c, now)
	default:
		t.cuts++
		t.stranded(c, now, "lost", &engine.Error{Code: engine.CodeLost, Op: t.method,
			Message: "the server no longer has this call's task; it may have run"})
	}
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
		if t.phase == callTask && t.task.id == id && id != "" {
			t.taskState(c, now, params)
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
