//go:build js && wasm

package main

import "github.com/holdfast-mcp/holdfast/core/engine"

// The exports by which a slow reader gets stored events once more.

// exportRecord returns what a call is named by in the store; 0 for one that is not
// stored.
//
//go:wasmexport record
func exportRecord(handle, id uint32) float64 {
	if c := clients[handle]; c != nil && c.mcp != nil && !panicked {
		return float64(c.mcp.Record(engine.CallID(id)))
	}
	return 0
}

// exportReplayRow replays the events from one position to another of a stored row: the
// input is its plain part, position that of the last event before it. The header's
// answer word is the position of its last.
//
//go:wasmexport replayRow
func exportReplayRow(handle, id, position, from, to uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	last := c.mcp.ReplayRow(engine.Time(now), engine.CallID(id), position, from, to, table.Input(int(n)))
	table.Answer(last)
	return c.leave(engine.Time(now))
}

// exportMissing counts events that a reader was told to be missing.
//
//go:wasmexport missing
func exportMissing(handle, events uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Missing(events)
	return c.leave(engine.Time(now))
}
