package durable

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Quarantined tells the host of a record that this page cannot read: {"record":1}. The
// host gives it up where this page has it, and it belongs to nobody until a page comes
// that can read it (fault 135).
func Quarantined(record uint64) engine.Effect {
	data := strconv.AppendUint([]byte(`{"record":`), record, 10)
	return engine.Effect{Kind: engine.Deliver, Event: engine.EventQuarantined, Data: append(data, '}')}
}
