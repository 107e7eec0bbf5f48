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
func (c *Client) TaskFor(name string, wish TaskWish) TaskOffer {
	// Without the capability a request MUST NOT be augmented (2025-11-25 tasks).
	if c.taskOffer == TaskNone {
		return TaskNone
	}
	makes := wish != TaskUnwanted
	switch string(jsonrpc.First(c.tools.of(name), "task")) {
	case "": // it was not listed
		makes = wish == TaskWanted
	case `"forbidden"`:
		makes = false
	case `"required"`:
		makes = true
	}
	if makes {
		return c.taskOffer
	}
	return TaskNone
}

// taskPath is where a result of initialize says that calls of tools may become tasks.
var taskPath = []string{"capabilities", "tasks", "requests", "tools", "call"}

// taskOffered returns what the server says of itself there.
func taskOffered(result []byte) TaskOffer {
	offer := TaskPlain
	for _, name := range taskPath {
		result = jsonrpc.First(result, name)
		if name == "tasks" && jsonrpc.First(result, "responses") != nil {
			offer = TaskModes
		}
	}
	if !says(result) {
		return TaskNone
	}
	return offer
}
