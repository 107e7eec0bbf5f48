package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// makes are the ways in which a call becomes a task: the revision, and the result.
var makes = map[string]struct{ revision, result string }{
	"extension": {"2026-07-28", `{"resultType":"task","taskId":"T","status":"working","statusMessage":"m",` +
		`"ttlMs":60000,"pollIntervalMs":1000}`},
	"task": {"", `{"task":{"taskId":"T","status":"working","statusMessage":"m","pollInterval":1000}}`},
	"fallback": {"", `{"task":{"taskId":"T","status":"working","statusMessage":"m"},` +
		`"_meta":{"io.modelcontextprotocol/fallback-mode":"task"}}`},
	"streamed": {"", `{"task":{"taskId":"T","status":"working","statusMessage":"m"},` +
		`"partial-content":[{"seqNr":1,"type":"text","text":"s1"}]}`},
	"related": {"", `{"partial-content":[{"seqNr":1,"type":"text","text":"s1"}],` + relatedT + `}`},
}

// made makes a call become a task in that way; nothing of it is stored yet.
func made(t *testing.T, way string, disk bool) *onTask {
	t.Helper()
	m := makes[way]
	r := newRig(t, mcp.Config{Revision: m.revision, Journal: disk, NoListen: true})
	if m.revision == "" {
		r.connect("2025-11-25")
	} else {
		r.Start()
		r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
			`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
	}
	o := r.tool(mcp.CallOptions{})
	o.Head(o.x, 200, "content-type", coretest.JSON)
	o.Chunk(o.x, coretest.Result(o.id, m.result))
	o.End(o.x, engine.EndClean)
	return o
}

// Task ids are stored before the app hears of the task, in every dialect: the
// guarantee and then the first task event follow the commit that holds the id.
func TestTask_ToldOnceItsIDIsStored(t *testing.T) {
	for way := range makes {
		first := `{"status":"working","message":"m"}`
		switch way {
		case "fallback":
			first = `{"status":"working","message":"m","fallback":"task"}`
		case "related":
			first = `{"status":"working"}`
		}
		// The order in which the app hears of it, and of the commit.
		heard := func(o *onTask) (list []string) {
			for _, e := range o.call(o.c).events {
				if e.Event == engine.EventTask || e.Event == engine.EventGuarantee {
					list = append(list, string(e.Data))
				}
			}
			return list
		}
		o := made(t, way, true)
		if got := heard(o); len(got) > 0 {
			o.fatal("%s: told before it is stored: %v", way, got)
		}
		o.Advance(100)
		if got := heard(o); len(got) > 0 || o.Store.Record(o.Store.Calls()[0]).TaskID != "" {
			o.fatal("%s: told before it is stored: %v", way, got)
		}
		o.Stored(journal.ResultOK, 0)
		o.audit()
		if o.Store.Record(o.Store.Calls()[0]).TaskID != "T" {
			o.fatal("%s: the id is not stored", way)
		}
		want := `{"guarantee":"durable"} ` + first
		if got := strings.Join(heard(o), " "); got != want {
			o.fatal("%s: told %s", way, got)
		}
		o.wantTold(engine.EventTask, "", 1)
		// A store that fails, or hangs, holds nobody up.
		for name, fail := range map[string]func(o *onTask){
			"fails": func(o *onTask) { o.Stored(journal.ResultFailed, durable.ReasonFailed); o.audit() },
			"hangs": func(o *onTask) { o.Advance(3_000) },
		} {
			o = made(t, way, true)
			fail(o)
			if got := strings.Join(heard(o), " "); !strings.HasPrefix(got, first) {
				o.fatal("%s, a store that %s: told %q", way, name, got)
			}
		}
		// Without one it is told at once.
		o = made(t, way, false)
		if got := strings.Join(heard(o), " "); got != first {
			o.fatal("%s, in memory: told %q", way, got)
		}
	}
}

// What the server says until then is told once, as it stands; also of a task that
// is over by then, before its outcome.
func TestTask_ToldAsItStandsOnceStored(t *testing.T) {
	o := made(t, "fallback", true)
	o.Advance(0)
	x := o.waits("tasks/continue")
	o.Head(x, 200, "content-type", coretest.JSON)
	o.Chunk(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request),
		`{"taskId":"T","status":"completed","statusMessage":"done","result":`+whole(1)+`}`))
	o.End(x, engine.EndClean)
	o.wantTold(engine.EventTask, "", 0)
	o.wantPending()
	o.store()
	o.wantTold(engine.EventTask, "", 1)
	o.wantTold(engine.EventTask, `{"status":"completed","message":"done","fallback":"task"}`, 1)
	o.wantWhole(1)
	if log := o.Log(); strings.Index(log, "deliver c2 #0 task") > strings.Index(log, "settle c2") {
		o.fatal("told of the task after the outcome")
	}
	o.quiet()
}

// SEP-2339: notifications/tasks/status may carry the result or the error. It ends
// the call, without another request.
func TestTask_StatusNotificationBringsTheOutcome(t *testing.T) {
	for said, want := range map[string]engine.Outcome{
		`"status":"completed","result":` + whole(1):                      engine.OutcomeResult,
		`"status":"failed","error":{"code":-32000,"message":"no"}`:       engine.OutcomeRPCError,
		`"status":"failed","result":{"content":[],"isError":true}`:       engine.OutcomeResult,
		`"status":"working","result":` + whole(1):                        0, // not before its end
		`"status":"completed"`:                                           0, // the next poll brings it
		`"status":"completed","taskId":"T","result":` + whole(1):         0, // twice the same member is none
		`"status":"working","error":{"code":-32000,"message":"not yet"}`: 0,
	} {
		for _, polled := range []bool{false, true} {
			r := newRig(t, mcp.Config{Journal: true}).connectListening()
			alone := r.Newest()
			o := newTask(r, false)
			if polled {
				o.gives("tasks/continue", `{"taskId":"T","status":"working","pollInterval":60000}`)
			} else {
				o.Advance(0) // the first poll is under way
			}
			asked := o.posted(`"method":"tasks/`)
			o.Chunk(alone,
				coretest.Message("",
					`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"T",`+said+
						`}}`))
			o.store()
			s := o.call(o.c).settled
			if want == 0 {
				o.wantPending()
				continue
			}
			if s == nil || s.Outcome != want {
				o.fatal("%s: settled %+v", said, s)
			}
			o.Advance(hour / 6)
			if n := o.posted(`"method":"tasks/`); n != asked {
				o.fatal("%s: %d requests follow", said, n-asked)
			}
		}
	}
	// Of a task that is nobody's it ends nothing.
	r := newRig(t, mcp.Config{Journal: true}).connectListening()
	alone := r.Newest()
	o := newTask(r, false)
	o.Chunk(alone, coretest.Message("", `{"jsonrpc":"2.0","method":"notifications/tasks/status",`+
		`"params":{"taskId":"U","status":"completed","result":`+whole(1)+`}}`))
	o.store()
	o.wantPending()
}
