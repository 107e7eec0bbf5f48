//go:build js && wasm

package main

import "github.com/holdfast-mcp/holdfast/core/engine"

// The exports about what several tabs share.

// exportHold lets go of a call's stream, for which the page has no connection
// now, or takes it up again.
//
//go:wasmexport hold
func exportHold(handle, id uint32, held int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Hold(engine.Time(now), engine.CallID(id), held != 0)
	return c.leave(engine.Time(now))
}

// exportScarce says whether the page has few connections to the server, which
// calls wait for, from now on.
//
//go:wasmexport scarce
func exportScarce(handle uint32, scarce int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Scarce(engine.Time(now), scarce != 0)
	return c.leave(engine.Time(now))
}

// exportListen gives leave to hold the stream for unasked messages, or takes it
// back; missed is 1 where another tab had it before.
//
//go:wasmexport listen
func exportListen(handle uint32, leave, missed int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Listen(engine.Time(now), leave != 0, missed != 0)
	return c.leave(engine.Time(now))
}
