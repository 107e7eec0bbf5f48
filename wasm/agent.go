//go:build js && wasm && !mcponly

package main

// What is spoken to agents is in the files with this build tag: holdfast-agents.wasm has it,
// and holdfast.wasm, which is for MCP alone, has mcponly.go in their place.

import (
	"github.com/hack-pad/safejs"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// agent is the machine of a client that speaks ACP; nil for an MCP server.
type agent = *acp.Client

func init() { setUps["connectAgent"] = connectAgent }

// connectAgent is connect for an ACP agent: its options are those of acp.Config.
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
		failure = link.ReadFailure(text)
	}
	c.agent.ForwardSettled(now, request, outcome, text, failure)
}
