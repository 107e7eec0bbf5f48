package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// unsealed stores the commit under way without its secrets: they could not be sealed.
func (r *rig) unsealed() {
	r.t.Helper()
	r.Stored(journal.ResultUnsealed, 0)
	r.audit()
}

// answersUnsealed answers the call of 2026-07-28 with a result, of which no secret is sealed.
func (o *onTask) answersUnsealed(result string) {
	o.t.Helper()
	o.Head(o.x, 200, "content-type", coretest.JSON)
	o.Chunk(o.x, coretest.Result(o.id, result))
	o.End(o.x, engine.EndClean)
	o.unsealed()
}

func modernCall(t *testing.T) *onTask {
	t.Helper()
	r := newRig(t, modernDisk)
	r.Start()
	r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
		`{"supportedVersions":["2026-07-28"],`+
			`"capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`))
	return r.tool(mcp.CallOptions{})
}

// Fault 491: what a call is gone on with could not be sealed, and what comes after it can.
// With that its guarantee rises, and the next page goes on with it: here by the id of its task.
func TestFault491_TaskSealedLater(t *testing.T) {
	o := modernCall(t)
	o.answersUnsealed(`{"resultType":"task","taskId":"T","status":"working","pollIntervalMs":1000}`)
	o.wantTold(engine.EventGuarantee, "durable", 0)
	o.gives("tasks/get", askingForName)
	o.answers(`{"name":{"action":"accept"}}`)
	o.store()
	o.wantTold(engine.EventGuarantee, "durable", 1)
	o = o.reloads()
	o.store()
	o.wantPending()
	o.gives("tasks/get", `{"taskId":"T","status":"completed","result":{"content":[]}}`)
	o.wantResult()
}

// Fault 491: the state of what it has asked for goes with the answer.
func TestFault491_StateSealedLater(t *testing.T) {
	o := modernCall(t)
	o.answersUnsealed(`{"resultType":"input_required",` +
		`"inputRequests":{"name":{"method":"elicitation/create"}},"requestState":"s"}`)
	o.answers(roundAnswer)
	o.Stored(journal.ResultOK, 0)
	o = o.reloads()
	o.store()
	o.wantPending()
	o.wantAnswerSent()
}

// Fault 491: the token of a resume policy comes with the next cursor.
func TestFault491_TokenSealedLater(t *testing.T) {
	r := connected(t, withDisk)
	c := r.Call("tools/call", `{"name":"work"}`, durably)
	r.store()
	o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.event("", policyFor(o.id, `"tok"`, ""))
	o.unsealed()
	o.progress(1)
	o.store()
	o = o.reload(0, 0)
	o.resumePost(`"tok"`, hour)
}

// Fault 491: a cursor comes with whatever is sealed next, though it has not moved on.
func TestFault491_CursorSealedLater(t *testing.T) {
	r := connected(t, askingDisk)
	c := r.Call("tools/call", `{"name":"work"}`, durably)
	r.store()
	o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.event("e1", elicitation)
	o.unsealed()
	o.respond()
	if o.told(engine.EventGuarantee, "resumable") != 1 {
		o.fatal("it is not resumable")
	}
	o = o.reload(0, 0)
	if cursor, _ := o.resume(); cursor != "e1" {
		o.fatal("resumed from %q", cursor)
	}
}
