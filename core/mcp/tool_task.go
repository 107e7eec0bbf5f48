package mcp

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// taskOffer says whether a call of a tool may become a task (2025-11-25 tasks).
type taskOffer uint8

// What a server offers, and what a call makes use of.
const (
	taskNone  taskOffer = iota // it is a plain call
	taskPlain                  // it may become a task: its params have a member task
	taskModes                  // and the member says how it may be answered (SEP-1905)
)

// TaskWish is what an app says of a task for its call.
type TaskWish uint8

// The wishes of an app.
const (
	TaskAsIs   TaskWish = iota // its params say it themselves
	TaskUnsaid                 // as the tool says
	TaskWanted
	TaskUnwanted // unless the tool requires one
)

// allModes are the response modes of SEP-1905, in the order that it prefers: this client takes all of them.
const allModes = `["immediate","streaming","task"]`

// withTask returns the params of a call with what says that it may become a task, if it is to: said is what the
// app says of that, ttl and responseModes, in a JSON object or nil.
func (c *Client) withTask(params, facts []byte, wish TaskWish, said []byte) []byte {
	offer := c.taskFor(facts, wish)
	if offer == taskNone || len(params) < 2 {
		return params
	}
	var members []byte
	if ttl := jsonrpc.First(said, "ttl"); ttl != nil {
		members = append(jsonrpc.Raw(members, `,"ttl":`), ttl...)
	}
	if offer == taskModes {
		modes := jsonrpc.First(said, "responseModes")
		if modes == nil {
			modes = []byte(allModes)
		}
		members = append(jsonrpc.Raw(members, `,"responseModes":`), modes...)
	}
	task := append([]byte(`{"task":{`), members[min(1, len(members)):]...)
	return jsonrpc.AppendObject(nil, jsonrpc.Raw(task, "}}"), params[1:len(params)-1])
}

// taskFor says whether a call of the tool of which that is known is to become a task.
func (c *Client) taskFor(facts []byte, wish TaskWish) taskOffer {
	// Without the capability a request MUST NOT be augmented (2025-11-25 tasks).
	if wish == TaskAsIs || c.taskOffer == taskNone {
		return taskNone
	}
	makes := wish != TaskUnwanted
	switch string(jsonrpc.First(facts, "task")) {
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
	return taskNone
}

// taskPath is where a result of initialize says that calls of tools may become tasks.
var taskPath = []string{"capabilities", "tasks", "requests", "tools", "call"}

// taskOffered returns what the server says of itself there.
func taskOffered(result []byte) taskOffer {
	offer := taskPlain
	for _, name := range taskPath {
		result = jsonrpc.First(result, name)
		if name == "tasks" && jsonrpc.First(result, "responses") != nil {
			offer = taskModes
		}
	}
	if !says(result) {
		return taskNone
	}
	return offer
}
