package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// maxTools bounds what is stored of a server's tools, in bytes.
const maxTools = 48 << 10

// toolFacts is what calls need to know of the server's tools.
type toolFacts struct {
	state  toolsState
	known  []jsonrpc.Entry // each tool: {"task":"optional","flags":1,"fields":[…]}
	stored []byte          // what the store has of them, or is to have
}

// toolsState says where the facts come from.
type toolsState uint8

const (
	toolsRecalled toolsState = iota // an earlier page or another tab has stored them, if there are any
	toolsListed                     // the host has listed them
	toolsStale                      // the server has said since then that its tools have changed
)

// learn takes facts: {"tools":{"NAME":{…}}}. They are lent for good.
func (f *toolFacts) learn(text []byte, from toolsState) {
	tools, _ := jsonrpc.Member(text, "tools")
	f.known, _ = jsonrpc.Entries(tools, maxTools)
	f.state = from
}

// of returns what is known of a tool; nil for nothing.
func (f *toolFacts) of(name []byte) []byte {
	for i := range f.known {
		if f.known[i].Key == string(name) {
			return f.known[i].Value
		}
	}
	return nil
}

// Tools takes what calls need to know of the tools that the host has listed: for each,
// whether its calls may become tasks, what its annotations say of running them twice, and
// which arguments are repeated in header fields. It is stored beside the session, which
// spares a later page a tools/list; what is too large is not kept for it.
func (c *Client) Tools(now engine.Time, listed []byte) {
	c.begin(now)
	if c.storedObject(listed) {
		listed = bytes.Clone(listed)
		c.tools.learn(listed, toolsListed)
		c.storeTools(listed)
	}
}

// ToolsChanged takes that the server's tools have changed, which another tab may have been
// told. Until they are listed again no hint allows to run one of them twice, and a later
// page learns nothing of them. Whether they want a task or header fields is the best guess
// that this page has: who refuses it has not run the call.
func (c *Client) ToolsChanged(now engine.Time) {
	c.begin(now)
	c.toolsChanged()
}

func (c *Client) toolsChanged() {
	if len(c.tools.known) > 0 {
		c.tools.state = toolsStale
		c.storeTools([]byte(`{"tools":{}}`))
	}
}

func (c *Client) storeTools(text []byte) {
	if len(text) > maxTools || bytes.Equal(text, c.tools.stored) {
		return
	}
	c.tools.stored = text
	if c.state == stateOpen {
		c.storeServer()
	}
}

// recallTools takes what the store has of the tools, unless they were listed here.
func (c *Client) recallTools(stored []byte) {
	c.tools.stored = stored
	if c.tools.state == toolsRecalled {
		c.tools.learn(stored, toolsRecalled)
	}
}

// hints are what a tool's annotations say of running this call of it twice.
func (c *Client) hints(method string, params []byte) (flags journal.Flags) {
	if method != "tools/call" || len(c.tools.known) == 0 || c.tools.state == toolsStale {
		return 0
	}
	jsonrpc.Range(params, func(key, value []byte) bool {
		if string(key) != "name" {
			return true
		}
		name, _ := jsonrpc.String(value)
		hints, _ := jsonrpc.Member(c.tools.of([]byte(name)), "flags")
		n, _ := jsonrpc.Uint(hints)
		flags = journal.Flags(n) & (journal.ReadOnly | journal.Idempotent)
		return false // the arguments behind it may be long
	})
	return flags
}
