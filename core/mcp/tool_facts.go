package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// maxTools bounds what is stored of a server's tools, in bytes.
const maxTools = 48 << 10

// toolFacts is what calls need to know of the server's tools.
type toolFacts struct {
	state   toolsState
	known   []jsonrpc.Entry // each tool: {"task":"optional","flags":1,"fields":[…]}
	stored  []byte          // what the store has of them, or is to have
	mirrors bool            // the server wants header fields that its revision does not have (seen at GitHub's)
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
	f.known, _ = jsonrpc.Entries(jsonrpc.First(text, "tools"), maxTools)
	f.state = from
}

// of returns what is known of a tool; nil for nothing.
func (f *toolFacts) of(name string) []byte {
	for i := range f.known {
		if e := &f.known[i]; e.Key == name {
			return e.Value
		}
	}
	return nil
}

// Tools takes what calls need to know of the tools that the host has listed: for each,
// whether its calls may become tasks, what its annotations say of running them twice, and
// which arguments are repeated in header fields. It is stored beside the session, which
// spares a later page a tools/list; what is too large is not kept for it.
//
// Nothing says that the server's tools have changed, which another tab may have been told.
// Until they are listed again no hint allows to run one of them twice, and a later page
// learns nothing of them. Whether they want a task or header fields is the best guess that
// this page has: who refuses it has not run the call.
func (c *Client) Tools(now engine.Time, listed []byte) {
	c.effects.Begin(now)
	switch {
	case len(listed) == 0:
		c.toolsChanged()
	case c.storedObject(listed):
		listed = bytes.Clone(listed)
		c.tools.learn(listed, toolsListed)
		c.storeTools(listed)
	}
}

func (c *Client) toolsChanged() {
	if len(c.tools.known) > 0 {
		c.tools.state = toolsStale
		c.storeTools([]byte(`{"tools":{}}`))
	}
}

func (c *Client) storeTools(text []byte) {
	if c.tools.mirrors {
		text = jsonrpc.AppendObject(nil, text, []byte(`"mirrors":true`))
	}
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
	c.tools.mirrors = c.tools.mirrors || jsonrpc.First(stored, "mirrors") != nil
	if c.tools.state == toolsRecalled {
		c.tools.learn(stored, toolsRecalled)
	}
}

// factsFor returns what is known of the tool that a request calls; nil for another request, and for nothing.
func (c *Client) factsFor(method string, params []byte) []byte {
	if method != "tools/call" || len(c.tools.known) == 0 {
		return nil
	}
	name, _ := jsonrpc.String(jsonrpc.First(params, "name"))
	return c.tools.of(name)
}

// hints are what a tool's annotations say of running a call of it twice.
func (c *Client) hints(facts []byte) journal.Flags {
	flags := jsonrpc.First(facts, "flags")
	if c.tools.state == toolsStale || len(flags) != 1 {
		return 0
	}
	return journal.Flags(flags[0]-'0') & (journal.ReadOnly | journal.Idempotent)
}

// fields returns which arguments of a call of that tool are repeated in header fields,
// as Tools has them: a JSON array, nil for none. They are where the revision wants them
// (SEP-2243), and where the server has refused a call for want of them.
func (c *Client) fields(facts []byte) []byte {
	if c.tools.mirrors || c.revision != nil && c.revision.SelfDescribing {
		return jsonrpc.First(facts, "fields")
	}
	return nil
}

// Mirrored returns the header fields that repeat arguments of a call of a tool, as it would be sent now. What
// is absent, or null, is left out.
func (c *Client) Mirrored(params []byte) []engine.Field {
	return c.mirrored(c.factsFor("tools/call", params), params, nil)
}

// MirroredIn returns those of a call that is under way.
func (c *Client) MirroredIn(id engine.CallID) []engine.Field {
	if call := c.byCall[id]; call != nil {
		return call.header
	}
	return nil
}

// mirrored is the same by the tool's facts. Left out is what the host cannot send (CallOptions).
func (c *Client) mirrored(facts, params, refused []byte) (header []engine.Field) {
	for _, field := range jsonrpc.Elements(c.fields(facts)) {
		name, _ := jsonrpc.String(jsonrpc.First(field, "header"))
		value := jsonrpc.First(params, "arguments")
		for _, step := range jsonrpc.Elements(jsonrpc.First(field, "path")) {
			key, _ := jsonrpc.String(step)
			value = jsonrpc.First(value, key)
		}
		name = "Mcp-Param-" + name
		if text, ok := fieldText(value); ok && !bytes.Contains(refused, []byte(engine.Lower(name)+" ")) {
			header = append(header, engine.Field{Name: name, Value: wire.HeaderValue(text)})
		}
	}
	return header
}

// fieldText returns an argument as a header field has it: a string, an integer or a boolean.
func fieldText(value []byte) (string, bool) {
	if text, ok := jsonrpc.String(value); ok {
		return text, true
	}
	_, isInteger := jsonrpc.Int(value)
	return string(value), isInteger || string(value) == "true" || string(value) == "false"
}
