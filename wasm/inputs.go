//go:build js && wasm

package main

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// exportPeek asks how a call stands: the answer is an event of it.
//
//go:wasmexport peek
func exportPeek(handle, id uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Peek(engine.Time(now), engine.CallID(id))
	return c.leave(engine.Time(now))
}

// exportDraft keeps the answer that a person has begun: the input is a frame of
// the key of the request for input and the draft, JSON or empty. The request is
// one of a call's, by that key, or the server's own, or the agent's, with that
// handle, where it is not 0.
//
//go:wasmexport draft
func exportDraft(handle, id, request uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	parts, err := jsbridge.Parts(table.Input(int(n)))
	if err != nil || len(parts) != 2 {
		panic(jsbridge.ErrFrame)
	}
	if c.agent != nil {
		saveDraft(c.agent, engine.Time(now), request, parts[1])
	} else {
		c.mcp.SaveDraft(engine.Time(now), engine.CallID(id), request, string(parts[0]), parts[1])
	}
	return c.leave(engine.Time(now))
}
