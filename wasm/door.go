//go:build js && wasm

package main

import (
	"math"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// Whatever happens in a page, but for what page.go listens to, comes by this door: it is the hot road.

// dead is returned by every export once one has panicked.
const dead = -1

// panicked is set by the first panic. A state machine that panicked is not
// used again: its loader rejects what is pending and starts a new program.
var panicked bool

// input is what an input of inputs.go comes with.
type input struct {
	now     engine.Time
	a, b, c float64
	bytes   []byte // lent until the input is over
}

// exportInput takes an input: its number, three numbers, and how many bytes JavaScript wrote into the input
// buffer; now is performance.now(). It returns how many records the table holds, or dead.
//
//go:wasmexport input
func exportInput(handle, op uint32, a, b, c float64, n int32, now float64) (records int32) {
	defer guard(&records)
	if panicked {
		return dead
	}
	table.Begin()
	if its := clients[handle]; its != nil {
		in := input{engine.Time(now), a, b, c, table.Input(int(n))}
		its.now = in.now
		its.take(op, &in)
		its.drain(in.now)
	}
	return table.Finish()
}

// frame splits the bytes of an input, which has at least so many parts.
func (in *input) frame(least int) [][]byte {
	parts, err := jsbridge.Parts(in.bytes)
	if err != nil || len(parts) < least {
		panic(jsbridge.ErrFrame)
	}
	return parts
}

// further returns the numbers of an input beyond the third: the first part of its frame.
func further(part []byte, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		var bits uint64
		for k, b := range part[8*i : 8*i+8] {
			bits |= uint64(b) << (8 * k)
		}
		list[i] = math.Float64frombits(bits)
	}
	return list
}

// guard is deferred by every export. An unrecovered panic would leave the
// program running with garbage for an answer (BUILD facts: wasm).
func guard(n *int32) {
	if r := recover(); r != nil {
		die(r)
		*n = dead
	}
}

// die marks the program dead and lets go of the page.
func die(r any) {
	panicked = true
	for _, stop := range stopWatching {
		stop()
	}
	stopWatching = nil
	if err, ok := r.(error); ok {
		println("holdfast: panic:", err.Error())
	} else if text, ok := r.(string); ok {
		println("holdfast: panic:", text)
	}
}
