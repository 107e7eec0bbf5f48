//go:build js && wasm

package main

import (
	"encoding/binary"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// replay gathers what the journal tells again of one call into one record: a page
// that comes back may have ten thousand events, and reads few of them.
type replay struct {
	on       bool // what the client says now comes from the journal
	call     engine.CallID
	position uint32 // of the last event
	events   []byte
}

// replayed is memory for the events of one restore, read out before the next.
var replayed []byte

// begin makes room for the events in an input of n bytes, as far as that can be
// told: each takes more room here than there, but not all that is there are events.
func (r *replay) begin(n int) {
	if n = min(n, 2*jsbridge.ChunkBytes); cap(replayed) < n { // those of a larger call get memory as they come
		replayed = make([]byte, 0, max(n, jsbridge.ChunkBytes))
	}
	*r = replay{on: true, events: replayed[:0]}
}

// takes adds an event, which has to be of the call of those before it, and of a
// kind that nobody but a reader of the call hears of.
func (r *replay) takes(e engine.Effect) bool {
	if !r.on || e.Kind != engine.Deliver || e.Event > engine.EventNotification || e.Failure != nil || e.C == 0 || len(r.events) > 0 && e.C != r.call {
		return false
	}
	r.call, r.position = e.C, e.Position
	r.events = append(r.events, byte(e.Event))
	r.events = binary.LittleEndian.AppendUint32(r.events, e.Position)
	r.events = binary.LittleEndian.AppendUint32(r.events, uint32(len(e.Data)))
	r.events = append(r.events, e.Data...)
	return true
}

// next writes the record of the events that were gathered, if any, and begins
// the next one behind it.
func (r *replay) next(client uint32) {
	if len(r.events) == 0 {
		return
	}
	table.Add(jsbridge.Record{Kind: jsbridge.KindReplay, Client: client, ID: uint32(r.call), Number: r.position}, table.Keep(r.events))
	r.events = r.events[len(r.events):]
}
