package mcp

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// TaskOffer says whether a call of a tool may become a task (2025-11-25 tasks).
type TaskOffer uint8

// What a server offers, and what a call makes use of.
const (
	TaskNone  TaskOffer = iota // it is a plain call
	TaskPlain                  // it may become a task: its params have a member task
	TaskModes                  // and the member says how it may be answered (SEP-1905)
)

// TaskWish is what an app says of a task for its call.
type TaskWish uint8

// The wishes of an app.
const (
	TaskUnsaid TaskWish = iota // as the tool says
	TaskWanted
	TaskUnwanted // unless the tool requires one
)

// TaskFor says whether a call of that tool is to become a task.
func (c *Client) TaskFor(name []byte, wish TaskWish) TaskOffer {
	// Without the capability a request MUST NOT be augmented (2025-11-25 tasks).
	if c.taskOffer == TaskNone {
		return TaskNone
	}
	t := c.tools.of(name)
	if t == nil {
		if wish == TaskWanted {
			return c.taskOffer
		}
		return TaskNone
	}
	support, _ := jsonrpc.Member(t, "task")
	if jsonrpc.IsString(support, "forbidden") || wish == TaskUnwanted && !jsonrpc.IsString(support, "required") {
		return TaskNone
	}
	return c.taskOffer
}

// taskOffered returns what the server says of itself in a result of initialize.
func taskOffered(result []byte) TaskOffer {
	capabilities, _ := jsonrpc.Member(result, "capabilities")
	tasks, _ := jsonrpc.Member(capabilities, "tasks")
	requests, _ := jsonrpc.Member(tasks, "requests")
	tools, _ := jsonrpc.Member(requests, "tools")
	call, _ := jsonrpc.Member(tools, "call")
	switch string(call) {
	case "", "null", "false":
		return TaskNone
	}
	if _, ok := jsonrpc.Member(tasks, "responses"); ok {
		return TaskModes
	}
	return TaskPlain
}
