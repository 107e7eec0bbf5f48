//go:build js && wasm

package main

import (
	"github.com/hack-pad/safejs"

	"github.com/holdfast-mcp/holdfast/core/engine"
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
//	revision      string     pins one; "" to negotiate
//	assume        string     the one that the server spoke last time, or ""
//	handles       string[]   methods of server requests that the app answers
//	headers       string[]   name, value, name, value ...; values are byte strings
//	token         boolean    there is a bearer token provider
//	noListen      boolean    no GET stream
//	eventSource   boolean    there is an EventSource
//	journal       boolean    there is a store
//	tabs          boolean    other pages may share the session
//	scarce        boolean    few connections: durable calls wait for one
//	epoch         number     for request ids; 0 for a random one
//	wall          number     Date.now() at performance.now() 0
//	maxStored     number     bytes of this server's calls in the store; 0 for the default
//	answer, idle, total      number, ms; 0 for the default, negative for never
//	maxLine, maxEvent, maxBody   number, bytes; 0 for the default
//	maxDepth, maxCalls       number; 0 for the default
func connect(_ safejs.Value, args []safejs.Value) (result any) {
	defer func() {
		if r := recover(); r != nil {
			die(r)
			result = dead
		}
	}()
	if panicked {
		return dead
	}
	if len(args) != 1 {
		return "connect takes one object"
	}
	o := jsbridge.ReadOptions(args[0])
	cfg := mcp.Config{
		URL:              o.String("url"),
		ClientInfo:       []byte(o.String("clientInfo")),
		Capabilities:     []byte(o.String("capabilities")),
		Revision:         o.String("revision"),
		Assume:           o.String("assume"),
		Handles:          o.Strings("handles"),
		HasTokenProvider: o.Bool("token"),
		NoListen:         o.Bool("noListen"),
		EventSource:      o.Bool("eventSource"),
		Journal:          o.Bool("journal"),
		Tabs:             o.Bool("tabs"),
		Scarce:           o.Bool("scarce"),
		Wall:             o.Int("wall"),
		Timeouts:         mcp.Timeouts{Answer: o.Int("answer"), Idle: o.Int("idle"), Total: o.Int("total")},
		Limits: mcp.Limits{
			Line: int(o.Int("maxLine")), Event: int(o.Int("maxEvent")), Body: int(o.Int("maxBody")),
			Depth: int(o.Int("maxDepth")), Calls: int(o.Int("maxCalls")),
			Stored: int(o.Int("maxStored")),
		},
	}
	headers := o.Strings("headers")
	for i := 0; i+1 < len(headers); i += 2 {
		cfg.Header = append(cfg.Header, engine.Field{Name: headers[i], Value: latin1(headers[i+1])})
	}
	epoch := uint32(o.Int("epoch"))
	if err := o.Err(); err != nil {
		return err.Error()
	}
	random, err := jsbridge.Random64()
	if err != nil {
		return "crypto.getRandomValues: " + err.Error()
	}
	// The store counts epochs. Without one a random epoch keeps the ids of two
	// loads of a page apart: 29 bits, so that they stay below 2^53 with the counter.
	if cfg.Epoch = epoch; epoch == 0 {
		cfg.Epoch = uint32(random % mcp.EpochLimit)
	}
	cfg.Seed = random
	return int(newClient(cfg).handle)
}

// latin1 turns a byte string (one character per byte, as fetch takes header
// values) into the bytes that it stands for.
func latin1(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}
