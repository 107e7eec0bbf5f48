//go:build js && wasm

package main

import (
	"github.com/hack-pad/safejs"

	"github.com/holdfast-mcp/holdfast/core/mcp"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// connect is the cold road: it reads an options object and returns the handle
// of a new client, which export start then connects. Where an option is of the
// wrong type it returns a string that names it, and dead once the program has
// panicked. Its fields:
//
//	url           string     absolute
//	clientInfo    string     JSON object
//	capabilities  string     JSON object
//	extensions    string     JSON object of those that the app declares
//	revision      string     pins one; "" to negotiate
//	assume        string     the one that the server spoke last time, or ""
//	handles       string[]   methods of server requests that the app answers
//	headers       string[]   name, value, name, value ...; values are byte strings
//	token         boolean    there is a bearer token provider
//	signIn        boolean    where there is no token, a person has to sign in
//	lateHeads     boolean    the head of an event stream is shown with the first byte behind it
//	streams       boolean    a request can have a body that is a stream
//	noListen      boolean    no GET stream
//	eventSource   boolean    there is an EventSource
//	journal       boolean    there is a store
//	tabs          boolean    other pages may share the session
//	tab           string     name of this tab, where there is a store
//	deaf          boolean    there is no channel: nothing is heard of other tabs
//	abrupt        boolean    nothing is heard before this page, or worker, ends
//	scarce        boolean    few connections: durable calls wait for one
//	epoch         number     for request ids; 0 for a random one
//	wall          number     Date.now() at performance.now() 0
//	sound         number     the latest time that is sure to have come, ms since 1970; 0 for none
//	keepEnded, keepRunning   number, ms; 0 for the default, negative for ever
//	maxStored     number     bytes of this server's calls in the store; 0 for the default
//	answer, idle, total, sendWithin      number, ms; 0 for the default, negative for never
//	maxLine, maxEvent, maxBody   number, bytes; 0 for the default
//	maxDepth, maxCalls       number; 0 for the default
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
