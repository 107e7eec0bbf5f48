//go:build js && wasm

package main

import (
	"github.com/hack-pad/safejs"

	"github.com/holdfast-mcp/holdfast/core/mcp"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// connect is the cold road: it reads an options object and returns the handle of a new client, which input start
// then connects. Where an option is of the wrong type it returns a string that names it, and dead once the program
// has panicked. The options are those of mcp.Config, and tab, deaf and abrupt of tabs.Config where there is a store.
// Objects are JSON text, sizes bytes, times ms with 0 for the default and negative for never; wall is Date.now() at
// performance.now() 0, and headers are name, value, name, value ..., whose values are byte strings.
func connect(_ safejs.Value, args []safejs.Value) any {
	return setUp("connect", args, func(o *jsbridge.Options, seed uint64) *client {
		m := mcp.New(mcp.Config{
			URL:              o.String("url"),
			ClientInfo:       []byte(o.String("clientInfo")),
			Capabilities:     []byte(o.String("capabilities")),
			Extensions:       []byte(o.String("extensions")),
			Revision:         o.String("revision"),
			Assume:           o.String("assume"),
			Handles:          o.Strings("handles"),
			Header:           headerOf(o),
			HasTokenProvider: o.Bool("token"),
			SignIn:           o.Bool("signIn"),
			LateHeads:        o.Bool("lateHeads"),
			Streams:          o.Bool("streams"),
			NoListen:         o.Bool("noListen"),
			EventSource:      o.Bool("eventSource"),
			Journal:          o.Bool("journal"),
			Tabs:             o.Bool("tabs"),
			Scarce:           o.Bool("scarce"),
			Epoch:            epochOf(o, seed),
			Seed:             seed,
			Wall:             o.Int("wall"),
			Sound:            o.Int("sound"),
			Retention:        mcp.Retention{Ended: o.Int("keepEnded"), Running: o.Int("keepRunning")},
			Timeouts:         mcp.Timeouts{Answer: o.Int("answer"), Idle: o.Int("idle"), Total: o.Int("total"), Send: o.Int("sendWithin")},
			Limits: mcp.Limits{
				Line: int(o.Int("maxLine")), Event: int(o.Int("maxEvent")), Body: int(o.Int("maxBody")),
				Depth: int(o.Int("maxDepth")), Calls: int(o.Int("maxCalls")),
				Stored: int(o.Int("maxStored")),
			},
		})
		return &client{machine: m, mcp: m}
	})
}
