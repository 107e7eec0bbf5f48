package mcp

import (
	"bytes"

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
		t.polled(c, now, outcome, data)
	case k.fetch.call:
		k.fetch.call = nil
		t.fetched(c, now, outcome, data, failure)
	}
}

// polled takes the answer to tasks/get.
func (t *call) polled(c *Client, now engine.Time, outcome engine.Outcome, data []byte) {
	k := t.task
	if outcome == engine.OutcomeRPCError && errorCode(data) == invalidParams {
		t.taskGone(c, now)
		return
	}
	if outcome != engine.OutcomeResult {
		k.poll.again(now, c)
		return
	}
	k.poll.attempts = 0
	if interval, ok := jsonrpc.Member(data, "pollInterval"); ok {
		k.interval = clampInterval(interval)
	}
	c.taskStatus(t, data)
	switch k.status {
	case "completed", "failed", "cancelled":
		if k.segments.complete && k.segments.gapless() {
			k.final = true
		}
		switch {
		case k.fetch.call == nil && k.fetch.at == engine.Never:
			k.fetch.at = now
		case k.fetch.call != nil:
			// It should have been answered by now: a dead connection says nothing.
			if k.ended++; k.ended > 1 {
				c.abort(k.fetch.call.x)
				k.fetch.call.stream.End()
				c.finish(k.fetch.call)
				k.fetch.call, k.fetch.at, k.ended = nil, now, 0
			}
		}
	}
	// Polled on also after the end: only a result ends the call, and what asks
	// for it may have to be asked again.
	k.poll.at = now.After(k.interval)
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
				k.fetch.at = now.After(k.interval) // nothing new: a gap that is not filled is not asked for in a loop
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
		if !failure.Retryable && failure.Code != engine.CodeTimeout {
			c.settle(now, t, engine.OutcomeFailure, nil, failure)
			return
		}
		k.fetch.again(now, c)
	}
}

// taskGone ends a call whose task the server does not know any more. What was
// streamed of it stays readable.
func (t *call) taskGone(c *Client, now engine.Time) {
	if t.task.final {
		t.settleMerged(c, now)
		return
	}
	if t.task.status == "cancelled" {
		c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{Code: engine.CodeCancelled, Op: t.method, Message: "the server has cancelled the task"})
		return
	}
	t.cuts++
	t.stranded(c, now, "lost", &engine.Error{Code: engine.CodeLost, Op: t.method,
		Message: "the server no longer has this call's task; it may have run"})
}

// settleMerged ends a call with what its segments come to.
func (t *call) settleMerged(c *Client, now engine.Time) {
	c.settle(now, t, engine.OutcomeResult, t.task.segments.appendResult(nil), nil)
}

// compare tells the app where the whole result is not what was streamed. The
// whole result stands (RELIABILITY fault 102).
func (t *call) compare(c *Client, result []byte) {
	merged, _ := jsonrpc.Member(t.task.segments.appendResult(nil), "content")
	whole, _ := jsonrpc.Member(result, "content")
	a, b := jsonrpc.Elements(merged), jsonrpc.Elements(whole)
	same := len(a) == len(b)
	for i := 0; same && i < len(a); i++ {
		same = bytes.Equal(a[i], jsonrpc.AppendWithout(nil, b[i], ""))
	}
	if !same {
		c.integrity("different_result", nil)
	}
}

func errorCode(object []byte) int64 {
	value, _ := jsonrpc.Member(object, "code")
	code, _ := jsonrpc.Int(value)
	return code
}
