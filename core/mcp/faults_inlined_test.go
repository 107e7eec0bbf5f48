package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// inlining makes a call that became a task of a server that has tasks/get alone.
func inlining(t *testing.T) *onTask {
	o := newTask(connected(t, withDisk), true)
	o.refuses("tasks/result", -32601)
	return o
}

// Fault 150: the form to which SEP-2339 converged: no tasks/continue, no
// tasks/result, the outcome inlined in tasks/get. It is read, whatever it is, and
// the next call of this server is not asked for what it lacks.
func TestFault150_TheResultIsInlined(t *testing.T) {
	for task, want := range map[string]engine.Outcome{
		`{"taskId":"T","status":"completed","result":{"content":[],"isError":false}}`:   engine.OutcomeResult,
		`{"taskId":"T","status":"failed","result":{"content":[],"isError":true}}`:       engine.OutcomeResult,
		`{"taskId":"T","status":"failed","error":{"code":-32000,"message":"it broke"}}`: engine.OutcomeRPCError,
		`{"taskId":"T","status":"cancelled"}`:                                           engine.OutcomeFailure,
	} {
		o := inlining(t)
		o.gives("tasks/get", `{"taskId":"T","status":"working","pollInterval":1000}`)
		o.wantPending()
		o.gives("tasks/get", task)
		o.store()
		if s := o.call(o.c).settled; s == nil || s.Outcome != want {
			o.fatal("%s: it does not end so", task)
		}
		before := o.posted(`"tasks/result"`) + o.posted(`"tasks/continue"`)
		next := newTask(o.rig, false)
		next.gives("tasks/get", `{"taskId":"T","status":"completed","result":{"content":[]}}`)
		next.store()
		next.wantResult()
		if n := o.posted(`"tasks/result"`) + o.posted(`"tasks/continue"`); n != before {
			o.fatal("the server is asked again for what it lacks")
		}
	}
}

// Fault 150: a result that comes inlined although there is a tasks/result is not
// waited for a second time.
func TestFault150_InlinedBesideTasksResult(t *testing.T) {
	o := newTask(connected(t, withDisk), true)
	o.asked("tasks/result", 1_000) // it hangs
	o.gives("tasks/get", `{"taskId":"T","status":"completed","result":{"content":[]}}`)
	o.store()
	o.wantResult()
	o.quiet()
}

// Fault 150: what the task asks for comes with tasks/get, and the answers go with
// the next one, once, with the state beside them.
func TestFault150_InputInlined(t *testing.T) {
	o := inlining(t)
	o.gives("tasks/get", `{"taskId":"T","status":"input_required",`+asksName+`}`)
	o.wantTold(engine.EventInput, "", 1)
	o.answers(`{"name":{"action":"accept","content":{"name":"Luca"}}}`)
	if body := o.gives("tasks/get", `{"taskId":"T","status":"working"}`); !strings.Contains(
		body, `"inputResponses":{"name":`) {
		o.fatal("sent %s", body)
	}
	if body := o.gives("tasks/get",
		`{"taskId":"T","status":"completed","result":{"content":[]}}`); strings.Contains(
		body, "inputResponses") {
		o.fatal("sent again: %s", body)
	}
	o.store()
	o.wantResult()
}

// Fault 150: a later page goes on with tasks/get.
func TestFault150_AfterAReload(t *testing.T) {
	o := inlining(t)
	o.gives("tasks/get", `{"taskId":"T","status":"working"}`)
	o.store()
	o = o.reloads()
	o.gives("tasks/get", `{"taskId":"T","status":"completed","result":{"content":[]}}`)
	o.store()
	o.wantResult()
	if n := o.posted(`"tasks/result"`); n > 1 {
		o.fatal("tasks/result was asked for %d times", n)
	}
}

// Fault 150: tasks/result gives the outcome of the request itself, which may be
// -32601. Where the status brings no other, that is it.
func TestFault150_TheToolsOwnWord(t *testing.T) {
	o := inlining(t)
	o.gives("tasks/get", `{"taskId":"T","status":"failed"}`)
	o.store()
	if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError ||
		!strings.Contains(string(s.Data), "-32601") {
		o.fatal("it does not end with the server's error")
	}
}
