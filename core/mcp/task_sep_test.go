package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// related1905 names the task of a partial result, and fell1905 is the task of a
// server that has fallen back to that.
const (
	related1905 = `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}`
	fell1905    = `{"task":{"taskId":"T","status":"working","pollInterval":1000},` +
		`"_meta":{"io.modelcontextprotocol/fallback-mode":"task"}}`
)

// taskMode is a task in mode task, from its first poll.
func taskMode(o *onTask) {
	o.refuses("tasks/continue", -32601)
	o.gives("tasks/get", `{"taskId":"T","status":"working"}`)
	o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
	o.gives("tasks/result", whole(2))
	o.wantWhole(2)
	o.wantSegments(0)
}

type scenario1905 struct {
	name string
	play func(o *onTask)
	task string // what the client asks with
}

// What clients of SEP-1905 ask with, and those from before it.
const (
	allModes1905  = `{"ttl":60000,"responseModes":["immediate","streaming","task"]}`
	streaming1905 = `{"ttl":60000,"responseModes":["streaming"]}`
	noModes1905   = `{"ttl":60000}`
)

// scenarios1905 are the test scenarios that SEP-1905 recommends, under its names,
// seen from the client.
var scenarios1905 = []scenario1905{
	{"Immediate Mode - Complete Results", func(o *onTask) {
		o.json(o.x, coretest.Result(o.id, strings.TrimSuffix(whole(2), "}")+`,"isError":false,`+related1905+
			`}`))
		o.wantResult()
	}, allModes1905},
	{"Task Mode - Standard Flow", func(o *onTask) {
		o.json(o.x, coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000}}`))
		taskMode(o)
	}, allModes1905},
	{"Streaming Mode - Initial Response Only", func(o *onTask) {
		o.json(o.x, coretest.Result(o.id, partial(`,"isComplete":true,`+related1905, 1, 2)))
		o.wantSegments(2)
		o.refuses("tasks/result", -32603) // so that the client has to merge
		o.wantWhole(2)
	}, allModes1905},
	{"Streaming Mode - Multiple Responses", func(o *onTask) {
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.streams(`,"isComplete":false,`+related1905, 1, 2)
		o.streams(`,"isComplete":false,`+related1905, 3, 4)
		o.streams(`,"isComplete":true,` + related1905)
		o.wantSegments(4)
		o.gives("tasks/result", whole(4))
		o.wantWhole(4)
	}, allModes1905},
	{"Streaming Mode - SSE Stream", func(o *onTask) {
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.say("event: message\nid: event-1\ndata: " + coretest.Result(
			o.id, partial(`,"isComplete":false,`+related1905, 1)) + "\n\n")
		o.store()
		o.say("event: message\nid: event-2\ndata: " + `{"jsonrpc":"2.0",` +
			`"method":"notifications/tasks/status","params":{"taskId":"T","status":"working",` +
			`"statusMessage":"half"}}` + "\n\n")
		o.say("event: message\nid: event-3\ndata: " + coretest.Result(
			o.id, partial(`,"isComplete":true,`+related1905, 2)) + "\n\n")
		o.wantSegments(2)
		o.wantTold(engine.EventTask, `"half"`, 1)
		o.gives("tasks/result", whole(2))
		o.wantWhole(2)
	}, allModes1905},
	{"Streaming Mode - Resume with lastSeqNr", func(o *onTask) {
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.streams(`,`+related1905, 1, 2, 3)
		o.cut(engine.EndNetwork)
		if n := lastSeqNr(o.gives("tasks/result", partial(`,"isComplete":true,`+related1905, 4))); n != 3 {
			o.fatal("resumed from %d", n)
		}
		o.wantSegments(4)
		o.gives("tasks/result", whole(4))
		o.wantWhole(4)
	}, allModes1905},
	{"Streaming Mode - Gap Detection", func(o *onTask) {
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.streams(`,`+related1905, 1, 3, 5)
		if n := lastSeqNr(
			o.gives("tasks/result", partial(`,"isComplete":true,`+related1905, 2, 3, 4, 5))); n != 1 {
			o.fatal("asked from %d", n)
		}
		o.wantSegments(5)
		o.gives("tasks/result", whole(5))
		o.wantWhole(5)
	}, allModes1905},
	{"Immediate Mode Fallback", func(o *onTask) {
		o.json(o.x, coretest.Result(o.id, fell1905))
		o.wantTold(engine.EventTask, `"fallback":"task"`, 1)
		taskMode(o)
	}, allModes1905},
	{"TTL Expiration During Streaming", func(o *onTask) {
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.streams(`,`+related1905, 1)
		o.refuses("tasks/get", -32602)
		o.gives("tasks/result", partial(`,"isComplete":true,`+related1905, 2))
		o.wantSegments(2)
		o.wantFailure(engine.CodeLost)
	}, allModes1905},
	{"Task Cancellation During Streaming", func(o *onTask) {
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.streams(`,`+related1905, 1)
		o.cancel(o.c)
		o.store()
		o.gives("tasks/cancel", `{"taskId":"T","status":"cancelled"}`)
		o.wantSegments(1)
		o.wantFailure(engine.CodeCancelled)
	}, allModes1905},
	{"Task Failure During Streaming", func(o *onTask) {
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.streams(`,`+related1905, 1)
		o.streams(`,"isError":true,"isComplete":true,`+related1905, 2)
		o.wantSegments(2)
		o.gives("tasks/result", strings.TrimSuffix(whole(2), "}")+`,"isError":true}`)
		o.wantResult()
	}, allModes1905},
	{"Duplicate Segment Detection", func(o *onTask) {
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.streams(`,`+related1905, 1, 2)
		o.streams(`,"isComplete":true,`+related1905, 2, 3)
		o.wantSegments(3)
		o.gives("tasks/result", whole(3))
		o.wantWhole(3)
	}, allModes1905},
	// "Old server doesn't support it": no word of modes, nor of having fallen back.
	{"New Client + Old Server", func(o *onTask) {
		o.json(o.x, coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000}}`))
		taskMode(o)
		o.wantTold(engine.EventTask, `"fallback"`, 0)
	}, streaming1905},
	// "Server defaults to task mode": it has all of them, and was asked for none.
	{"Old Client + New Server", func(o *onTask) {
		o.json(o.x, coretest.Result(o.id, fell1905))
		taskMode(o)
	}, noModes1905},
	{"Mixed Mechanisms", func(o *onTask) {
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.event("", coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000},`+
			members([]int{1, 2}, "")))
		o.streams(`,`+related1905, 4, 2)
		o.gives("tasks/result", partial("", 3, 4))
		o.streams(`,"isComplete":true,`+related1905, 5, 1)
		o.wantSegments(5)
		o.gives("tasks/result", whole(5))
		o.wantWhole(5)
	}, allModes1905},
}

// TestSEP1905 plays them all; the proposal's checklist for clients is in
// TestSEP1905_ClientChecklist.
func TestSEP1905(t *testing.T) {
	for _, s := range scenarios1905 {
		t.Run(s.name, func(t *testing.T) { play1905(t, s.name) })
	}
}

// play1905 plays one of the scenarios to its end.
func play1905(t *testing.T, name string) {
	t.Helper()
	i := slices.IndexFunc(scenarios1905, func(s scenario1905) bool { return s.name == name })
	if i < 0 {
		t.Fatalf("SEP-1905 has no scenario %q", name)
	}
	s := scenarios1905[i]
	o := connected(t, withDisk).toolAs(s.task, mcp.CallOptions{})
	if body := o.body(o.x); !strings.Contains(body, `"task":`+s.task) {
		o.fatal("asked with %s", body)
	}
	s.play(o)
	if o.call(o.c).settled == nil {
		o.fatal("the call has not settled")
	}
	o.quiet()
}

// SEP-2339: a task that asks, in both forms that its drafts give to that, from its
// making to its result or its error.
func TestSEP2339(t *testing.T) {
	for _, asks := range []string{`{` + asksName + `}`,
		`{"taskId":"T","status":"input_required",` + asksName + `}`,
		`{"resultType":"input_required",` + asksName + `}`} {
		for _, outcome := range []string{`"status":"completed","result":` + whole(1),
			`"status":"failed","error":{"code":-32000,"message":"no"}`} {
			o := newTask(connected(t, withDisk), false)
			o.gives("tasks/continue", `{"taskId":"T","status":"working","pollInterval":1000}`)
			if _, waited := o.asked("tasks/continue", 10_000); waited != 1_000 {
				o.fatal("polled after %d ms", waited)
			}
			o.gives("tasks/continue", asks)
			o.gives("tasks/continue", asks)
			o.wantTold(engine.EventInput, "", 1)
			o.answers(`{"name":{"action":"accept","content":{"input":"Luca"}}}`)
			o.store()
			x, waited := o.asked("tasks/continue", 10_000)
			if waited != 0 ||
				!strings.HasSuffix(o.body(x),
					`"taskId":"T","inputResponses":{"name":{"action":"accept","content":{"input":"Luca"}}}}}`) {
				o.fatal("after %d ms: %s", waited, o.body(x))
			}
			// The answer gets lost on its way: it goes out again, the same, where that is asked still.
			before := o.body(x)
			o.End(x, engine.EndNetwork)
			o.gives("tasks/continue", asks)
			x, _ = o.asked("tasks/continue", 10_000)
			if _, a, _ := strings.Cut(o.body(x), `"taskId"`); !strings.HasSuffix(before, a) {
				o.fatal("sent again as %s", o.body(x))
			}
			if body := o.gives("tasks/continue", `{"taskId":"T","status":"working"}`); !strings.Contains(
				body, "inputResponses") {
				o.fatal("sent %s", body)
			}
			if body := o.gives("tasks/continue", `{"taskId":"T",`+outcome+`}`); strings.Contains(
				body, "inputResponses") {
				o.fatal("sent %s", body)
			}
			o.store()
			if s := o.call(o.c).settled; s == nil ||
				(s.Outcome == engine.OutcomeResult) != strings.Contains(outcome, "completed") ||
				s.Failure != nil {
				o.fatal("settled otherwise")
			}
			o.quiet()
		}
	}
}

// An answer that the app gives while a poll is under way does not wait for the one
// after the next.
func TestSEP2339_AnsweredDuringAPoll(t *testing.T) {
	o := newTask(connected(t, withDisk), false)
	o.gives("tasks/continue", `{`+asksName+`}`)
	x, _ := o.asked("tasks/continue", 10_000)
	o.answers(`{"name":{"action":"accept"}}`)
	o.store()
	o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), `{`+asksName+`}`))
	if x, waited := o.asked("tasks/continue", 10_000); waited != 0 ||
		!strings.Contains(o.body(x), "inputResponses") {
		o.fatal("after %d ms: %s", waited, o.body(x))
	}
}
