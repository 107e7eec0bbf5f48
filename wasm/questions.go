//go:build js && wasm

package main

import (
	"unsafe"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// The exports that change nothing: questions of JavaScript's, whose answer it needs at once.
// docs/architecture.md says of each why it is not an input.

//go:wasmexport header
func exportHeader() unsafe.Pointer { return table.Header() }

//go:wasmexport reserve
func exportReserve(n int32) (records int32) {
	defer guard(&records)
	table.Reserve(int(n))
	return 0
}

// living returns a client; nil if there is no such client or the program is dead.
func living(handle uint32) *client {
	if panicked {
		return nil
	}
	return clients[handle]
}

// exportCounters answers with one Value record: the counters as JSON.
//
//go:wasmexport counters
func exportCounters(handle uint32) (records int32) {
	defer guard(&records)
	table.Begin()
	if c := living(handle); c != nil {
		text := table.Keep(c.machine.AppendCounters(nil))
		table.Add(jsbridge.Record{Kind: jsbridge.KindValue, Client: handle}, text)
	}
	return table.Finish()
}

// exportMirrored answers with one Value record, if any: the header fields that a call of a tool would repeat
// arguments in now, whose params are the input.
//
//go:wasmexport mirrored
func exportMirrored(handle uint32, n int32) (records int32) {
	defer guard(&records)
	table.Begin()
	if c := living(handle); c != nil && c.mcp != nil {
		c.value(0, c.mcp.Mirrored(table.Input(int(n))))
	}
	return table.Finish()
}

// exportRecord returns what a call is named by in the store; 0 for one that is not
// stored.
//
//go:wasmexport record
func exportRecord(handle, id uint32) float64 {
	if c := living(handle); c != nil && c.mcp != nil {
		return float64(c.mcp.Record(engine.CallID(id)))
	}
	return 0
}

// exportFollowing returns how many calls without an outcome other tabs carry.
//
//go:wasmexport following
func exportFollowing(handle uint32) int32 {
	if c := living(handle); c != nil && c.tabs != nil {
		return int32(c.tabs.Following())
	}
	return 0
}

// exportReads returns 1 where a call that is stored could be read.
//
//go:wasmexport reads
func exportReads(handle uint32, record float64) int32 {
	if c := living(handle); c != nil && c.tabs != nil && c.tabs.Reads(uint64(record)) {
		return 1
	}
	return 0
}

// exportFresh returns for how long from now on a result may be used, in ms, as durable.Fresh does.
//
//go:wasmexport fresh
func exportFresh(at, ttl, latest, wall, ran float64) int32 {
	return int32(durable.Fresh(ms(at), ms(ttl), ms(latest), ms(wall), ms(ran)))
}

// ms makes whole ms of a number; 0 of one that is none, and of one that no clock shows.
func ms(n float64) int64 {
	if n > -1<<53 && n < 1<<53 {
		return int64(n)
	}
	return 0
}
