package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// However the server takes its time, a call that is cancelled, has expired or is
// refused ends in the same word.
func TestTask_SameWordsInEachDialect(t *testing.T) {
	for dialect, poll := range pollOf {
		core := dialect == "core"
		// Cancelled by the app: the task is told, once, and not the request.
		o := keptTask(t, dialect, "60000")
		o.cancel(o.c)
		o.store()
		o.wantFailure(engine.CodeCancelled)
		if o.posted(`"method":"tasks/cancel"`, `"taskId":"T"`) != 1 ||
			o.posted("notifications/cancelled") != 0 {
			o.fatal("%s: the server is told otherwise", dialect)
		}
		// Cancelled by the server.
		o = keptTask(t, dialect, "60000")
		if o.gives(poll, `{"taskId":"T","status":"cancelled"}`); core {
			o.refuses("tasks/result", -32603)
		}
		o.wantFailure(engine.CodeCancelled)
		o.quiet()
		// Expired.
		o = keptTask(t, dialect, "60000")
		if o.refuses(poll, -32602); core {
			o.refuses("tasks/result", -32602)
		}
		o.wantFailure(engine.CodeLost)
		o.wantTold(engine.EventResumed, `"lost"`, 1)
		o.quiet()
		// Refused: the server's error is the call's.
		o = keptTask(t, dialect, "60000")
		if core {
			o.gives(poll, `{"taskId":"T","status":"failed"}`)
			o.refuses("tasks/result", -32000)
		} else {
			o.gives(poll, `{"taskId":"T","status":"failed","error":{"code":-32000,"message":"no"}}`)
		}
		o.store()
		if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError ||
			string(s.Data) != `{"code":-32000,"message":"no"}` {
			o.fatal("%s: settled %+v", dialect, s)
		}
		o.quiet()
	}
}

// "CreateTaskResult on other methods MUST be treated as invalid" (SEP-2663).
func TestTask_OfAnotherMethod(t *testing.T) {
	for method, ok := range map[string]bool{"tools/call": true, "prompts/get": false,
		"resources/read": false} {
		r := newRig(t, modernDisk)
		r.Start()
		r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
			`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
		c := r.Call(method, `{"name":"x","uri":"x:y"}`, mcp.CallOptions{Durable: true})
		r.store()
		o := &onTask{&onStream{rig: r, c: c, x: r.Newest(),
			id: coretest.RequestID(r.Exchange(r.Newest()).Request)}}
		o.json(o.x,
			coretest.Result(o.id,
				`{"resultType":"task","taskId":"T","status":"working","ttlMs":null,"pollIntervalMs":1000}`))
		if ok {
			o.wantPending()
			continue
		}
		o.wantFailure(engine.CodeProtocol)
		o.wantTold(engine.EventTask, "", 0)
		o.quiet()
	}
}

// A server that answers each answer with another question (2026-07-28 mrtr) is
// given up after sixteen rounds.
func TestInput_RoundsAreCapped(t *testing.T) {
	r := newRig(t, modernDisk)
	r.Start()
	r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
		`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
	o := r.tool(mcp.CallOptions{})
	rounds := 0
	for o.gives("tools/call",
		`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}`); o.call(
		o.c).settled == nil; {
		if rounds++; rounds > 16 {
			o.fatal("asked for ever")
		}
		o.answers(`{"a":{"action":"accept"}}`)
		o.store()
		o.gives("tools/call",
			`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}`)
	}
	if o.wantTold(engine.EventInput, "", 16); rounds != 16 {
		o.fatal("given up after %d rounds", rounds)
	}
	o.wantFailure(engine.CodeLimit)
	o.quiet()
}
