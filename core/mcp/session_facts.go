package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Facts is what a page goes by on an open connection: bits, and two guarantees
// behind them. A page compares no revisions: what it has to know of one is a bit
// here, from the revision's row (wire/revision.go). Of no connection it is 0.
type Facts uint32

// The bits of Facts.
const (
	// FactSelfDescribing: each request says all that the server has to know, and the
	// server sends no requests (wire.Revision.SelfDescribing).
	FactSelfDescribing Facts = 1 << iota
	// FactCompletionContext: completion/complete may say which arguments are chosen already
	// (wire.Revision.CompletionContext).
	FactCompletionContext
)

// Where the guarantees of Facts begin: 8 bits each, a durable.Guarantee.
const (
	floorShift   = 8  // what a call of a tool begins with
	ceilingShift = 16 // the best that it may come to, where calls are stored
)

// facts returns what a page goes by on the connection, which is open.
func (c *Client) facts() Facts {
	facts := Facts(durable.LostOnReload)<<floorShift | Facts(c.ceiling())<<ceilingShift
	if c.revision.SelfDescribing {
		facts |= FactSelfDescribing
	}
	if c.revision.CompletionContext {
		facts |= FactCompletionContext
	}
	return facts
}

// ceiling returns the best that a stored call may come to by itself; what its
// server asks may make it resumable for a while. A task outlives its page. A
// stream does where it can be gone on with by a cursor: over HTTP+SSE it cannot,
// nor where its end cancels the call.
func (c *Client) ceiling() durable.Guarantee {
	switch {
	case c.offersTasks():
		return durable.Durable
	case c.revision.LastEventID:
		return durable.Resumable
	}
	return durable.LostOnReload
}

// offersTasks reports whether the server says that it has tasks, in the way of its
// revision: by the extension where a request describes itself, by the capability in
// the one before that. Earlier ones have no tasks.
func (c *Client) offersTasks() bool {
	capabilities := jsonrpc.First(c.session.result, "capabilities")
	if c.revision.SelfDescribing {
		return says(jsonrpc.First(jsonrpc.First(capabilities, "extensions"), tasksExtension))
	}
	return c.revision.CoreTasks && says(jsonrpc.First(capabilities, "tasks"))
}

// says reports whether a capability is there and is not denied.
func says(capability []byte) bool {
	switch string(capability) {
	case "", "null", "false":
		return false
	}
	return true
}
