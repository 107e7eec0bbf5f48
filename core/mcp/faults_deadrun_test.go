package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 494: a run of a call has asked for input when its stream is cut for good, and the call
// is run again. The new run asks for itself: no clock of it stands still for the old question,
// its record does not have that, though the store fails and works again, no later page asks it,
// and an answer to it goes nowhere.
func TestFault494_QuestionOfADeadRun(t *testing.T) {
	for _, storeFails := range []bool{false, true} {
		r := connected(t, askingDisk)
		c := r.Call("tools/call", `{"name":"work"}`,
			mcp.CallOptions{Durable: true, Flags: journal.Idempotent, Timeouts: mcp.Timeouts{Idle: 60_000}})
		r.store()
		o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
		o.accept()
		o.event("", elicitation)
		o.store()
		o.cut(engine.EndNetwork)
		for sent := len(r.Fetches()); len(r.Fetches()) == sent; {
			o.Advance(r.NextDeadline())
			o.store()
		}
		o.x = r.Newest()
		o.id = coretest.RequestID(r.Exchange(o.x).Request)
		o.accept()
		if storeFails {
			o.storeIsBack()
			o.store()
		}
		if asked := r.Store.Record(r.Store.Calls()[0]).Asked; len(asked) > 0 {
			o.fatal("store fails %t: the record of the new run asks %q", storeFails, asked)
		}
		if silent := o.silent(); silent != 60_000 {
			o.fatal("the new run is waited for in silence for %d ms", silent)
		}
		o.respond()
		o.store()
		answers := strings.Count(r.Log(), `"id":"q1","result"`)
		record := r.Store.Record(r.Store.Calls()[0])
		if answers != 0 || len(record.Outbox) > 0 {
			o.fatal("store fails %t: %d answers leave, and the record has %d", storeFails, answers,
				len(record.Outbox))
		}
		if !strings.Contains(r.Log(), "fetch x4") {
			o.fatal("no second run")
		}
		page := o.reload(1_000, 0)
		page.wantAsked(0)
	}
}
