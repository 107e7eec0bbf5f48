package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// peekMethod asks for a task's status alone: it asks for no input, in whatever
// dialect the task is driven (SEP-2339 keeps it for that).
const peekMethod = "tasks/get"

// Peek tells the app how a call stands (EventPeek): asked of the server where a
// task or a resume policy carries it, in one request however many ask; else what is
// known here, without one. Of a call that has ended its outcome tells.
func (c *Client) Peek(now engine.Time, id engine.CallID) {
	c.effects.Begin(now)
	call := c.callOf(id)
	switch {
	case call == nil || call.state >= callEnding:
	case call.state == callStreaming && call.policy != nil && call.policy.carries() && c.state == stateOpen && !c.token.Asking() &&
		call.generation == c.session.generation:
		if call.policy.peek == nil {
			call.policy.peek = call.askStatus(c, now)
		}
	case call.state != callTask:
		c.tellKnown(call)
	case call.task.peek.call == nil:
		s := c.bookTask(now, call, peekMethod, nil)
		call.task.peek.call = s
		if c.state == stateOpen && !c.token.Asking() {
			s.send(c, now)
		}
	}
}

// peeked takes the answer to a peek. What is new in it is told as what a poll
// brings, and an end makes the next poll due.
func (call *call) peeked(c *Client, now engine.Time, outcome engine.Outcome, data []byte, failure *engine.Error) {
	k := call.task
	if outcome == engine.OutcomeResult {
		status, _ := jsonrpc.Member(data, "status")
		if _, ok := jsonrpc.String(status); !ok {
			outcome, failure = engine.OutcomeFailure, &engine.Error{
				Code: engine.CodeProtocol, Op: peekMethod, Message: "the server's task has no status"}
		}
		if id := taskID(data); id != "" && id != k.id {
			c.integrity("foreign_task", nil)
			outcome, failure = engine.OutcomeFailure, &engine.Error{
				Code: engine.CodeProtocol, Op: peekMethod, Message: "the server has answered with another task"}
		}
	}
	e := engine.Effect{Kind: engine.Deliver, Event: engine.EventPeek, C: call.id, Position: uint32(outcome), Failure: failure}
	switch outcome {
	case engine.OutcomeResult:
		e.Data = k.dialect.AppendStatus(nil, data)
		call.heardOf(c, now, data)
		c.taskStatus(call, data)
		if k.over() && k.poll.call == nil {
			k.poll.at = now
		}
	case engine.OutcomeRPCError:
		e.Data = data
	}
	c.effects.Add(e)
}

// statusAnswered takes the answer to requests/getStatus for the app: "processing", and
// whether messages wait that have not arrived, or input is wanted. A server without
// it leaves what is known here.
func (call *call) statusAnswered(c *Client, now engine.Time, outcome engine.Outcome, data []byte, failure *engine.Error) {
	e := engine.Effect{Kind: engine.Deliver, Event: engine.EventPeek, C: call.id, Position: uint32(outcome), Failure: failure}
	switch outcome {
	case engine.OutcomeResult:
		call.contact(c, now)
		value, _ := jsonrpc.Member(data, "status")
		status, _ := jsonrpc.String(value)
		pending, _ := jsonrpc.Member(data, "hasPendingMessage")
		input, _ := jsonrpc.Member(data, "hasInputRequest")
		call.policy.failed = status == "failed"
		switch {
		case string(input) == "true":
			status = "input_required"
		case status == "processing":
			status = "working" // in the words of tasks
		}
		e.Data = jsonrpc.AppendString([]byte(`{"status":`), status)
		if string(pending) == "true" {
			e.Data = jsonrpc.Raw(e.Data, `,"pending":true`)
		}
		e.Data = append(e.Data, '}')
	case engine.OutcomeRPCError:
		c.tellKnown(call) // an error means that only a resume can tell
		return
	}
	c.effects.Add(e)
}

// tellKnown tells the app how a call stands as far as is known here.
func (c *Client) tellKnown(call *call) {
	status := "working"
	switch {
	case call.task != nil && call.task.status != "":
		status = call.task.status
	case call.waitsForApp(), call.fold != nil && (len(call.fold.Asked) > 0 || call.fold.Asks()):
		status = "input_required"
	}
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventPeek, C: call.id,
		Data: append(jsonrpc.AppendString([]byte(`{"status":`), status), '}')})
}
