//go:build js && wasm && !mcponly

package main

// What is spoken to agents is in the files with this build tag: holdfast-agents.wasm has it,
// and holdfast.wasm, which is for MCP alone, has mcponly.go in their place.

import (
	"github.com/hack-pad/safejs"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// agent is the machine of a client that speaks ACP; nil for an MCP server.
type agent = *acp.Client

func init() { setUps["connectAgent"] = connectAgent }

// saveDraft keeps the answer to an agent's question that a person has begun.
func saveDraft(a agent, now engine.Time, question uint32, draft []byte) {
	a.SaveDraft(now, question, draft)
}

// connectAgent is connect for an ACP agent. Its fields:
//
//	url           string     absolute; of the endpoint, whatever the transport
//	transport     string     "http" or "websocket"
//	info          string     JSON object
//	capabilities  string     JSON object
//	version       number     pins one; 0 to negotiate
//	headers       string[]   name, value, name, value ...; values are byte strings
//	token         boolean    there is a bearer token provider
//	signIn        boolean    where there is no token, a person has to sign in
//	lateHeads     boolean    the head of an event stream is shown with the first byte behind it
//	journal       boolean    there is a store
//	tabs          boolean    other tabs can be reached
//	tab           string     name of this tab, where there is a store
//	deaf          boolean    there is no channel: nothing is heard of other tabs
//	abrupt        boolean    nothing is heard before this page, or worker, ends
//	epoch         number     for request ids; 0 for a random one
//	wall          number     Date.now() at performance.now() 0
//	maxStored     number     bytes of this agent's sessions in the store; 0 for the default
//	answer, idle  number     ms; 0 for the default, negative for never
//	maxLine, maxEvent, maxBody, maxItem, maxReplay   number, bytes; 0 for the default
//	maxDepth, maxRequests, maxStreams   number; 0 for the default
func connectAgent(_ safejs.Value, args []safejs.Value) any {
	return setUp("connectAgent", args, func(o *jsbridge.Options, seed uint64) *client {
		m := acp.New(acp.Config{
			URL:              o.String("url"),
			Transport:        o.String("transport"),
			Info:             []byte(o.String("info")),
			Capabilities:     []byte(o.String("capabilities")),
			Version:          int(o.Int("version")),
			Header:           headerOf(o),
			HasTokenProvider: o.Bool("token"),
			SignIn:           o.Bool("signIn"),
			NoLifecycle:      o.Bool("noLifecycle"),
			LateHeads:        o.Bool("lateHeads"),
			Journal:          o.Bool("journal"),
			Tabs:             o.Bool("tabs"),
			Epoch:            epochOf(o, seed),
			Seed:             seed,
			Wall:             o.Int("wall"),
			Timeouts:         acp.Timeouts{Answer: o.Int("answer"), Idle: o.Int("idle")},
			Limits: acp.Limits{
				Line: int(o.Int("maxLine")), Event: int(o.Int("maxEvent")), Body: int(o.Int("maxBody")),
				Item: int(o.Int("maxItem")), Replay: int(o.Int("maxReplay")), Stored: int(o.Int("maxStored")),
				Depth: int(o.Int("maxDepth")), Requests: int(o.Int("maxRequests")), Streams: int(o.Int("maxStreams")),
			},
		})
		return &client{machine: m, agent: m}
	})
}

// enterACP is enter for the exports that ACP alone has; nil for an MCP server.
func enterACP(handle uint32) *client {
	c := enter(handle)
	if c == nil || c.agent == nil {
		return nil
	}
	return c
}

// exportAgentRequest makes a request of a session, or of the connection where it
// is 0: the input is a frame of method and params, a JSON object or empty. The
// header's answer word is the call's id.
//
//go:wasmexport agentRequest
func exportAgentRequest(handle, session uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	method, params := outgoing(n)
	table.Answer(uint32(c.agent.Request(engine.Time(now), session, method, params)))
	return c.leave(engine.Time(now))
}

// exportAgentNotify sends a notification; otherwise as agentRequest.
//
//go:wasmexport agentNotify
func exportAgentNotify(handle, session uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	method, params := outgoing(n)
	table.Answer(uint32(c.agent.Notify(engine.Time(now), session, method, params)))
	return c.leave(engine.Time(now))
}

// outgoing reads the method and the params of a message to the agent. The
// machine copies what it keeps of them.
func outgoing(n int32) (method string, params []byte) {
	parts, err := jsbridge.Parts(table.Input(int(n)))
	if err != nil || len(parts) != 2 {
		panic(jsbridge.ErrFrame)
	}
	if len(parts[1]) > 0 {
		params = parts[1]
	}
	return string(parts[0]), params
}

// exportAgentCancel asks the agent to give up a request ($/cancel_request).
//
//go:wasmexport agentCancel
func exportAgentCancel(handle, id uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	c.agent.Cancel(engine.Time(now), engine.CallID(id))
	return c.leave(engine.Time(now))
}
