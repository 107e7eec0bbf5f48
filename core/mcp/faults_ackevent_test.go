package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 524: an app with ack "manual" says that it has done with the last event, while the outcome
// that came with it is stored and not processed yet (the loop of docs/guide/durable-calls.md).
// The page is killed. The next page has the outcome, and not the events; ack() without a position
// has it forgotten.
func TestFault524_AckOfTheLastEventIsNotOfTheOutcome(t *testing.T) {
	r := connected(t, mcp.Config{Journal: true, NoListen: true})
	r.store()
	o := r.onStreamAs(mcp.CallOptions{Key: "order-1", Flags: journal.ManualAck})
	o.say(coretest.Message("e1", coretest.Progress(o.id, 1)) +
		coretest.Message("e2", coretest.Result(o.id, `{"content":[]}`)))
	o.store()
	o.wantResult()
	ack := func(position uint32) {
		o.input("ack", func(m *mcp.Client, now engine.Time) { m.Ack(now, o.c, position, 0) })
		o.store()
	}
	ack(1)
	o = o.reload(0, 0)
	o.wantResult()
	if acked := o.Store.Record(o.Store.Calls()[0]).Acked; acked != 1 {
		o.fatal("acked up to %d", acked)
	}
	ack(9) // as far as there are events
	if len(o.Store.Calls()) != 1 {
		o.fatal("an event's position has the outcome forgotten")
	}
	ack(0)
	if len(o.Store.Calls()) != 0 {
		o.fatal("it is not forgotten")
	}
}
