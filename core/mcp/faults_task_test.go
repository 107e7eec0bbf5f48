package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

var handling = mcp.Config{Journal: true, NoListen: true, Handles: []string{"elicitation/create"}}

// Fault 88: the server's interval is kept within bounds, whatever it says, and
// may change from poll to poll.
func TestFault88_PollInterval(t *testing.T) {
	intervals := map[string]int64{"0": 250, "1": 250, "-1": 5_000, "250.5": 250, "1000": 1_000, "1e3": 1_000,
		"1000000000000": 60_000,
		"1e400":         5_000, `"5000"`: 5_000, "null": 5_000, "{}": 5_000, "59999": 59_999}
	for value, want := range intervals {
		for _, cfg := range []mcp.Config{withDisk, modernDisk} {
			var o *onTask
			member, method := "pollInterval", "tasks/get"
			if cfg.Revision == "" {
				o = newTask(connected(t, cfg), true)
			} else {
				o, member = newExtension(newRig(t, cfg)), "pollIntervalMs"
			}
			if x, waited := o.asked(method, 120_000); x == 0 || waited != 1_000 {
				o.fatal("the first poll comes after %d ms", waited)
			}
			o.gives(method, fmt.Sprintf(`{"taskId":"T","status":"working","%s":%s}`, member, value))
			if _, waited := o.asked(method, 120_000); waited != want {
				o.fatal("interval %s: polled after %d ms, want %d", value, waited, want)
			}
			o.gives(method, `{"taskId":"T","status":"working"}`) // missing: as before
			if _, waited := o.asked(method, 120_000); waited != want {
				o.fatal("interval %s, then none: polled after %d ms, want %d", value, waited, want)
			}
		}
	}
	// Named by nobody.
	o := connected(t, withDisk).tool(mcp.CallOptions{})
	o.json(o.x, coretest.Result(o.id, `{"task":{"taskId":"T","status":"working"}}`))
	o.gives("tasks/continue", `{"taskId":"T","status":"working"}`)
	if _, waited := o.asked("tasks/continue", 120_000); waited != 5_000 {
		o.fatal("polled after %d ms", waited)
	}
}

// Fault 106: nothing follows the end of a task; a status that nobody knows is told
// and means that it goes on.
func TestFault106_Statuses(t *testing.T) {
	o := newTask(connected(t, withDisk), true)
	o.gives("tasks/get", `{"taskId":"T","status":"resting","statusMessage":"zz"}`)
	o.wantTold(engine.EventTask, `{"status":"resting","message":"zz"}`, 1)
	o.wantPending()
	o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
	for _, status := range []string{"working", "input_required", "failed", "cancelled", "resting"} {
		o.gives("tasks/get", `{"taskId":"T","status":"`+status+`"}`)
	}
	o.wantBroken("task_status", 5)
	o.wantTold(engine.EventTask, "", 3)
	o.gives("tasks/get", `{"taskId":"T","status":7}`)
	o.wantPending()
	o.gives("tasks/result", whole(1))
	o.wantWhole(1)
	o.quiet()
}

// Fault 106: a task that has ended without an outcome, where that would come with
// it, is an error.
func TestFault106_CompletedWithoutResult(t *testing.T) {
	for _, ended := range []string{`"status":"completed"`, `"status":"failed"`,
		`"status":"completed","result":null`, `"status":"failed","error":"no"`} {
		for _, cfg := range []mcp.Config{withDisk, modernDisk} {
			var o *onTask
			if cfg.Revision == "" {
				o = newTask(connected(t, cfg), false)
				o.gives("tasks/continue", `{"taskId":"T",`+ended+`}`)
			} else {
				o = newExtension(newRig(t, cfg))
				o.gives("tasks/get", `{"taskId":"T",`+ended+`}`)
			}
			o.wantFailure(engine.CodeProtocol)
			o.quiet()
		}
	}
	// A notification may leave it out: the poll that it saves brings it.
	o := newExtension(newRig(t, modernDisk))
	s := o.stream("tools/call")
	s.event("",
		`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"T","status":"completed"}}`)
	o.wantPending()
	if _, waited := o.asked("tasks/get", 1_000); waited != 0 {
		o.fatal("polled after %d ms", waited)
	}
	o.gives("tasks/get", `{"taskId":"T","status":"completed","result":`+whole(1)+`}`)
	o.wantWhole(1)
}

// Fault 106: ids are opaque and have a length.
func TestFault106_TaskIDs(t *testing.T) {
	for id, ok := range map[string]bool{``: false, strings.Repeat("i", 10<<10): false,
		strings.Repeat("i", 1<<10): true, `../`: true, `a\r\nX: y`: true, `\u00e9 \"`: true} {
		for _, cfg := range []mcp.Config{withDisk, modernDisk} {
			var o *onTask
			if cfg.Revision == "" {
				o = connected(t, cfg).tool(mcp.CallOptions{})
				o.json(o.x, coretest.Result(o.id, `{"task":{"taskId":"`+id+`","status":"working"}}`))
			} else {
				r := newRig(t, cfg)
				r.Start()
				r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
					`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
				o = r.tool(mcp.CallOptions{})
				o.json(o.x, coretest.Result(o.id, `{"resultType":"task","taskId":"`+id+
					`","status":"working"}`))
			}
			if !ok {
				o.wantFailure(engine.CodeProtocol)
				o.quiet()
				continue
			}
			o.nextFetch(10_000)
			x := o.Newest()
			if body := o.body(x); !strings.Contains(body, `"taskId":`) || strings.ContainsAny(body, "\r\n") {
				o.fatal("asked with %s", body)
			}
			if name, _ := o.field(x, "Mcp-Name"); strings.ContainsAny(name, "\r\n\u00e9") {
				o.fatal("Mcp-Name: %q", name)
			}
			o.gives(map[bool]string{true: "tasks/continue", false: "tasks/get"}[cfg.Revision == ""],
				`{"taskId":"`+id+`","status":"completed","result":`+whole(1)+`}`)
			o.wantWhole(1)
		}
	}
	// No task at all.
	for _, result := range []string{`{"task":7}`, `{"task":null}`} {
		o := connected(t, withDisk).tool(mcp.CallOptions{})
		o.json(o.x, coretest.Result(o.id, result))
		o.wantResult()
	}
}

const asksName = `"inputRequests":{"name":{"method":"elicitation/create","params":{"message":"?"}}}`

// Fault 107: what a task asks is asked once, however often polls repeat it, by a
// page that lives; the next page asks again what nobody had answered, and no more
// once that is answered.
func TestFault107_AskedOnce(t *testing.T) {
	for _, cfg := range []mcp.Config{withDisk, modernDisk} {
		var o *onTask
		poll := "tasks/continue"
		if cfg.Revision == "" {
			o = newTask(connected(t, cfg), false)
		} else {
			o, poll = newExtension(newRig(t, cfg)), "tasks/get"
		}
		asking := `{"taskId":"T","status":"input_required",` + asksName + `}`
		for range 3 {
			for range 3 {
				o.gives(poll, asking)
			}
			o.wantTold(engine.EventInput, `"name"`, 1)
			o = o.reloads()
		}
		o.answers(`{"name":{"action":"accept"}}`)
		o.store()
		var sent []string
		for range 3 { // never taken
			if cfg.Revision == "" {
				// an answer that may have been taken leaves where it is asked for still (fault 737)
				o.gives(poll, asking)
				x, _ := o.asked(poll, 0)
				sent = append(sent, o.body(x))
			} else {
				x, _ := o.asked("tasks/update", 0)
				sent = append(sent, o.body(x))
			}
			o = o.reloads()
		}
		for _, body := range sent {
			if !strings.Contains(body, `"inputResponses":{"name":{"action":"accept"}}`) {
				o.fatal("sent %s", body)
			}
		}
		if cfg.Revision != "" {
			o.gives("tasks/update", `{"resultType":"complete"}`)
		}
		if cfg.Revision == "" {
			o.gives(poll, asking)
			if body := o.gives(poll, `{"taskId":"T","status":"input_required"}`); !strings.Contains(
				body, "inputResponses") {
				o.fatal("sent %s", body)
			}
		}
		for n := range 4 { // still asked: taking it in takes the server a while
			if body := o.gives(poll, asking); strings.Contains(body, "inputResponses") {
				o.fatal("poll %d is %s", n, body)
			}
		}
		o.wantTold(engine.EventInput, "", 0)
		if cfg.Revision != "" {
			o = o.reloads()
			o.gives(poll, asking)
			o.wantTold(engine.EventInput, "", 0)
		}
		if x := o.waits("tasks/update"); x != 0 {
			o.fatal("%s is sent again", o.body(x))
		}
		o.gives(poll, `{"taskId":"T","status":"completed","result":`+whole(1)+`}`)
		o.wantWhole(1)
		o.quiet()
	}
}

// Fault 107: some of what is asked may be answered first.
func TestFault107_SomeOfThem(t *testing.T) {
	o := newExtension(newRig(t, modernDisk))
	o.gives("tasks/get",
		`{"taskId":"T","status":"input_required","inputRequests":{"a":{"method":"x"},"b":{"method":"x"}}}`)
	o.answers(`{"b":{"action":"accept"},"c":{}}`)
	if body := o.gives("tasks/update", `{}`); !strings.Contains(
		body, `"inputResponses":{"b":{"action":"accept"}}`) {
		o.fatal("sent %s", body)
	}
	o.answers(`{"b":{"action":"decline"}}`) // a second answer counts for nothing
	o.store()
	o.Advance(100)
	if x := o.waits("tasks/update"); x != 0 {
		o.fatal("%s", o.body(x))
	}
	o.gives("tasks/get",
		`{"taskId":"T","status":"input_required","inputRequests":{"a":{"method":"x"},"d":{"method":"x"}}}`)
	o.wantTold(engine.EventInput, `{"inputRequests":{"d":{"method":"x"}}}`, 1)
	o = o.reloads()
	o.wantTold(engine.EventInput, `"a":{"method":"x"},"d":{"method":"x"}`, 1)
	// Sent until it is taken, in the same words; a refusal for good is an end as well.
	o.answers(`{"a":{"action":"accept"}}`)
	o.store()
	for n := range 5 {
		x, waited := o.asked("tasks/update", 40_000)
		if x == 0 || !strings.Contains(o.body(x), `"inputResponses":{"a":{"action":"accept"}}`) {
			o.fatal("after %d ms: %s", waited, o.body(x))
		}
		switch n {
		case 0:
			o.End(x, engine.EndNetwork)
		case 1:
			o.Head(x, 503)
		case 2:
			o.refuses("tasks/update", -32603)
		case 3:
			o = o.reloads()
		case 4:
			o.refuses("tasks/update", -32602)
		}
		o.store()
	}
	o.Advance(400)
	if x := o.waits("tasks/update"); x != 0 {
		o.fatal("%s", o.body(x))
	}
}

// Fault 108: of three ways to a task's result the one that the server has: asked
// for once, and never again of this server.
func TestFault108_WhicheverTheServerHas(t *testing.T) {
	o := newTask(connected(t, withDisk), true)
	o.gives("tasks/result", whole(1))
	o.wantWhole(1)
	for range 3 {
		next := newTask(o.rig, false)
		next.gives("tasks/result", whole(1))
		next.wantWhole(1)
	}
	if n := o.posted(`"tasks/continue"`); n != 1 {
		o.fatal("tasks/continue is asked for %d times", n)
	}
	// One that has it is not asked for anything else.
	o = newTask(connected(t, withDisk), false)
	o.gives("tasks/continue", `{"taskId":"T","status":"working","pollInterval":1000}`)
	o.Advance(900)
	o.gives("tasks/continue", `{"taskId":"T","status":"completed","result":`+whole(1)+`}`)
	o.wantWhole(1)
	if o.posted(`"tasks/get"`)+o.posted(`"tasks/result"`) > 0 {
		o.fatal("asked for something else")
	}
	// The extension has neither.
	o = newExtension(newRig(t, modernDisk))
	o.gives("tasks/get", `{"resultType":"task","taskId":"T","status":"completed","result":`+whole(1)+`}`)
	o.wantWhole(1)
	if o.posted(`"tasks/continue"`)+o.posted(`"tasks/result"`) > 0 {
		o.fatal("asked for something else")
	}
	// A cut says nothing of what the server has.
	o = newTask(connected(t, withDisk), false)
	for range 3 {
		x, _ := o.asked("tasks/continue", 10_000)
		o.End(x, engine.EndNetwork)
	}
	o.gives("tasks/continue", `{"taskId":"T","status":"completed","result":`+whole(1)+`}`)
	o.wantWhole(1)
	// Segments are of a server that has tasks/result, and it need not say so.
	o = connected(t, withDisk).tool(mcp.CallOptions{})
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.event("", coretest.Result(o.id, `{"task":{"taskId":"T","status":"working"}}`))
	o.store()
	o.streams(`,"isComplete":true`, 1)
	o.gives("tasks/result", whole(1))
	o.wantWhole(1)
}

// Fault 109: the state that comes with a request for input goes back byte for byte,
// with the answer and with nothing else; where there is none, none goes back.
func TestFault109_RequestState(t *testing.T) {
	states := []string{`"` + strings.Repeat("s", 1<<20) + `"`, `"\u0000\uffff\\\"/\/\u00e9é"`, `""`,
		`{"a" : [1, 2.50]}`, ""}
	member := func(state string) string {
		if state == "" {
			return ""
		}
		return `,"requestState":` + state
	}
	// A SEP-2339 draft: on tasks/continue.
	for i, first := range states {
		second := states[(i+1)%len(states)]
		o := newTask(connected(t, withDisk), false)
		o.gives("tasks/continue", `{`+asksName+member(first)+`}`)
		if body := o.gives("tasks/continue", `{`+asksName+member(second)+`}`); strings.Contains(
			body, "requestState") {
			t.Fatal("it is sent without an answer")
		}
		o.answers(`{"name":{"action":"accept"}}`)
		body := o.gives("tasks/continue", `{"taskId":"T","status":"working"}`)
		if !strings.HasSuffix(body, `"inputResponses":{"name":{"action":"accept"}}`+member(second)+`}}`) {
			t.Fatalf("sent %.300s", body)
		}
		if body := o.gives("tasks/continue", `{"taskId":"T","status":"working"}`); strings.Contains(
			body, "requestState") || strings.Contains(body, "inputResponses") {
			t.Fatal("it is sent again")
		}
	}
	// Alone, it is sent back at once.
	o := newTask(connected(t, withDisk), false)
	o.gives("tasks/continue", `{"requestState":"s1"}`)
	if body := o.gives("tasks/continue", `{"taskId":"T","status":"completed","result":`+whole(1)+
		`}`); !strings.HasSuffix(body, `"taskId":"T","requestState":"s1"}}`) {
		o.fatal("sent %s", body)
	}
	o.wantWhole(1)
	// 2026-07-28: a request of its own, under a new id.
	for _, state := range states {
		r := newRig(t, modernDisk)
		r.Start()
		r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
			`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
		o := r.tool(mcp.CallOptions{})
		o.json(o.x, coretest.Result(o.id, `{"resultType":"input_required",`+asksName+member(state)+`}`))
		other := o.tool(mcp.CallOptions{})
		if strings.Contains(o.body(other.x), "requestState") {
			t.Fatal("another call has its state")
		}
		o.answers(`{"name":{"action":"accept"}}`)
		o.store()
		body := o.body(o.Newest())
		if id := coretest.RequestID(o.Exchange(o.Newest()).Request); id == o.id ||
			!strings.Contains(body, `"inputResponses":{"name":{"action":"accept"}}`) {
			t.Fatalf("sent %.300s", body)
		}
		if strings.Contains(body, `"requestState":`) != (state != "") ||
			state != "" && !strings.Contains(body, `"requestState":`+state) {
			t.Fatalf("the state %.40s goes back otherwise", state)
		}
	}
}

// Fault 110: keys are only keys, a thousand of them have a bound, and what is no
// request is not asked.
func TestFault110_HostileRequests(t *testing.T) {
	for _, cfg := range []mcp.Config{withDisk, modernDisk} {
		fresh := func() (*onTask, string) {
			if cfg.Revision == "" {
				return newTask(connected(t, cfg), false), "tasks/continue"
			}
			return newExtension(newRig(t, cfg)), "tasks/get"
		}
		o, poll := fresh()
		odd := `"__proto__":{"method":"x"},"constructor":{"method":"x"},"":{"method":"x"},` +
			`"a\"b\u0000":{"method":"x"}`
		o.gives(poll, `{"taskId":"T","status":"input_required","inputRequests":{`+odd+
			`,"n":null,"s":"x","l":[]}}`)
		o.wantTold(engine.EventInput, `{"inputRequests":{`+odd+`}}`, 1)
		o = o.reloads()
		o.wantTold(engine.EventInput, `{"inputRequests":{`+odd+`}}`, 1)
		o.answers(`{"__proto__":{"action":"accept"}}`)
		o.store()
		method := map[bool]string{true: "tasks/continue", false: "tasks/update"}[cfg.Revision == ""]
		if cfg.Revision == "" { // whether it is asked still
			o.gives(poll, `{"taskId":"T","status":"input_required","inputRequests":{`+odd+`}}`)
		}
		if body := o.gives(method, `{"taskId":"T","status":"working"}`); !strings.Contains(
			body, `"inputResponses":{"__proto__":{"action":"accept"}}`) {
			o.fatal("sent %s", body)
		}
		for _, none := range []string{`[]`, `null`, `7`, `{}`, `[{"method":"x"}]`} {
			o.gives(poll, `{"taskId":"T","status":"input_required","inputRequests":`+none+`}`)
		}
		o.wantTold(engine.EventInput, "", 1)

		o, _ = fresh()
		var list []string
		for n := range 1_000 {
			list = append(list, fmt.Sprintf(`"k%d":{"method":"elicitation/create"}`, n))
		}
		many := `{"taskId":"T","status":"input_required","inputRequests":{` + strings.Join(list, ",") + `}}`
		for range 3 {
			o.gives(poll, many)
		}
		o.wantTold(engine.EventInput, `"k255"`, 1)
		o.wantTold(engine.EventInput, `"k256"`, 0)
		o.wantTold(engine.EventInput, "", 1)
		o.wantPending()
		for n := range 1_000 { // one after the other
			o.gives(poll,
				fmt.Sprintf(`{"taskId":"T","status":"input_required","inputRequests":{"m%d":{"method":"x"}}}`,
					n))
		}
		o.wantTold(engine.EventInput, "", 1)
		record := o.Store.Record(o.Store.Calls()[0])
		if len(record.Asked) != 256 {
			o.fatal("%d are stored", len(record.Asked))
		}
	}
}

// Fault 111: cancel() while a task asks, works, or has ended: tasks/cancel and no
// notification, whatever the server makes of that; the call ends once.
func TestFault111_Cancel(t *testing.T) {
	for _, status := range []string{"working", "input_required", "completed"} {
		for _, code := range []int{0, -32602, -32601, -32603} {
			for _, cfg := range []mcp.Config{withDisk, modernDisk} {
				var o *onTask
				if cfg.Revision == "" {
					o = newTask(connected(t, cfg), true)
					o.gives("tasks/get", `{"taskId":"T","status":"`+status+`"}`)
				} else {
					o = newExtension(newRig(t, cfg))
					if status != "completed" {
						o.gives("tasks/get", `{"taskId":"T","status":"`+status+`",`+asksName+`}`)
					}
				}
				o.cancel(o.c)
				o.store()
				o.wantFailure(engine.CodeCancelled)
				if code == 0 {
					o.gives("tasks/cancel", `{"taskId":"T","status":"cancelled"}`)
				} else {
					o.refuses("tasks/cancel", code)
				}
				o.answers(`{"name":{"action":"accept"}}`) // too late
				o.cancel(o.c)
				o.quiet()
				if o.posted("notifications/cancelled") != 0 || o.posted(`"tasks/cancel"`) != 1 {
					o.fatal("cancelled otherwise")
				}
			}
		}
	}
	// The result was there first.
	o := newTask(connected(t, withDisk), true)
	o.gives("tasks/result", whole(1))
	o.wantWhole(1)
	o.cancel(o.c)
	o.quiet()
	if o.posted(`"tasks/cancel"`) != 0 {
		o.fatal("what has ended is cancelled")
	}
	// It comes with the cancellation that the server has acknowledged.
	o = newTask(connected(t, withDisk), true)
	x, _ := o.asked("tasks/result", 0)
	o.cancel(o.c)
	o.store()
	o.wantFailure(engine.CodeCancelled)
	if !o.Exchange(x).Over {
		o.fatal("its result is still waited for")
	}
}
