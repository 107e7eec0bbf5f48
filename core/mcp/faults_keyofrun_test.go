package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 521: a task that has asked, and was answered, is lost, and its call is run again. The
// new task asks under the same key, and the page is loaded again. The next page asks the
// person, and sends no answer by itself.
func TestFault521_TaskKeyOfTheRunBefore(t *testing.T) {
	for _, taken := range []bool{true, false} {
		r := newRig(t, modernDisk)
		r.Start()
		r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
			`{"supportedVersions":["2026-07-28"],`+
				`"capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`))
		o := r.tool(mcp.CallOptions{Flags: journal.Idempotent})
		becomes := func(task string) {
			o.x, _ = o.asked("tools/call", 60_000)
			o.id = coretest.RequestID(o.Exchange(o.x).Request)
			o.json(o.x, coretest.Result(o.id, `{"resultType":"task","taskId":"`+task+
				`","status":"working","pollIntervalMs":1000}`))
		}
		asks := `,"status":"input_required","inputRequests":{"name":{"method":"elicitation/create",` +
			`"params":{"message":"who?"}}}}`
		becomes("T")
		o.gives("tasks/get", `{"taskId":"T"`+asks)
		o.wantTold(engine.EventInput, "who?", 1)
		o.answers(`{"name":{"action":"accept"}}`)
		o.store()
		if taken {
			o.gives("tasks/update", `{}`)
		}
		o.refuses("tasks/get", -32602)
		becomes("U")
		o.gives("tasks/get", `{"taskId":"U"`+asks)
		o.wantTold(engine.EventInput, "who?", 2)
		o = o.reloads()
		for range 3 {
			o.gives("tasks/get", `{"taskId":"U"`+asks)
		}
		if n := o.posted(`"tasks/update"`, `"taskId":"U"`); n != 0 {
			o.fatal("taken %t: the answer to the run before goes to the task of the next one", taken)
		}
		o.wantTold(engine.EventInput, "who?", 1)
	}
}
