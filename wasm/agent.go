//go:build js && wasm && !mcponly

package main

// What is spoken to agents is in the files with this build tag: holdfast-agents.wasm has it,
// and holdfast.wasm, which is for MCP alone, has mcponly.go in their place.

import (
	"github.com/hack-pad/safejs"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// agent is the machine of a client that speaks ACP; nil for an MCP server.
type agent = *acp.Client

func init() { setUps["connectAgent"] = connectAgent }

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

// ForwardSettled takes what became of a request that another tab makes for this one: an outcome and its text as
// settle has it.
func (c *client) ForwardSettled(now engine.Time, request uint64, outcome engine.Outcome, text []byte) {
	var failure *engine.Error
	if outcome == engine.OutcomeFailure {
		failure = readFailure(text)
	}
	c.agent.ForwardSettled(now, request, outcome, text, failure)
}

// readFailure reads what appendFailure wrote in another tab.
func readFailure(text []byte) *engine.Error {
	member := func(name string) string {
		value, _ := jsonrpc.Member(text, name)
		s, _ := jsonrpc.String(value)
		return s
	}
	status, _ := jsonrpc.Member(text, "status")
	code, _ := jsonrpc.Int(status)
	retryable, _ := jsonrpc.Member(text, "retryable")
	e := &engine.Error{
		Code: engine.Code(member("code")), Op: member("op"), Status: int(code),
		Retryable: string(retryable) == "true", Message: member("message"),
	}
	if cause := member("cause"); cause != "" {
		e.Cause = &engine.Error{Message: cause}
	}
	return e
}
