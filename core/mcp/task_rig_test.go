package mcp_test

import (
	"fmt"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// onTask is a call that a task of the server's carries, or is about to.
type onTask struct{ *onStream }

// tool makes a durable call that asks for a task; its POST is unanswered.
func (r *rig) tool(o mcp.CallOptions) *onTask {
	r.t.Helper()
	return r.toolAs(`{"ttl":60000}`, o)
}

// toolAs is tool with what the app asks of the task that the call may become.
func (r *rig) toolAs(task string, o mcp.CallOptions) *onTask {
	r.t.Helper()
	o.Durable = true
	c := r.Call("tools/call", `{"name":"work","arguments":{},"task":`+task+`}`, o)
	r.store()
	return &onTask{&onStream{rig: r, c: c, x: r.Newest(),
		id: coretest.RequestID(r.Exchange(r.Newest()).Request)}}
}

// newTask makes a call that became task "T", of a server without tasks/continue
// where core is true.
func newTask(r *rig, core bool) *onTask {
	r.t.Helper()
	o := r.tool(mcp.CallOptions{})
	o.json(o.x, coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000}}`))
	if core {
		o.refuses("tasks/continue", -32601)
	}
	return o
}

// newExtension makes a call of 2026-07-28 that the server makes a task of.
func newExtension(r *rig) *onTask {
	r.t.Helper()
	r.Start()
	r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
		`{"supportedVersions":["2026-07-28"],`+
			`"capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`))
	o := r.tool(mcp.CallOptions{})
	o.json(o.x,
		coretest.Result(o.id, `{"resultType":"task","taskId":"T","status":"working","pollIntervalMs":1000}`))
	return o
}

var modernDisk = mcp.Config{Revision: "2026-07-28", Journal: true, NoListen: true}

// newStreamed makes a call whose task streams segments on the call's own stream:
// those numbers, so far.
func newStreamed(r *rig, numbers ...int) *onTask {
	r.t.Helper()
	o := r.tool(mcp.CallOptions{})
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.event("", coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000},`+
		members(numbers, "")))
	o.store()
	return o
}

// members are those of a partial result with these segments, and the end of it.
func members(numbers []int, more string) string {
	var list []string
	for _, n := range numbers {
		list = append(list, segment(n))
	}
	return `"partial-content":[` + strings.Join(list, ",") + `]` + more + `}`
}

func segment(n int) string { return fmt.Sprintf(`{"seqNr":%d,"type":"text","text":"s%d"}`, n, n) }

// partial is a partial result; more are further members.
func partial(more string, numbers ...int) string { return "{" + members(numbers, more) }

// whole is the result that segments 1 to n come to.
func whole(n int) string {
	var list []string
	for i := 1; i <= n; i++ {
		list = append(list, fmt.Sprintf(`{"type":"text","text":"s%d"}`, i))
	}
	return `{"content":[` + strings.Join(list, ",") + `]}`
}

// streams sends segments on the call's own stream.
func (o *onTask) streams(more string, numbers ...int) {
	o.t.Helper()
	o.event("", coretest.Result(o.id, partial(more, numbers...)))
	o.store()
}

// json answers an exchange with a JSON body.
func (r *rig) json(x engine.ExchangeID, body string) {
	r.t.Helper()
	r.Head(x, 200, "content-type", coretest.JSON)
	r.Chunk(x, body)
	r.End(x, engine.EndClean)
	r.store()
}

// waits returns the oldest unanswered request of a method, 0 for none.
func (r *rig) waits(method string) engine.ExchangeID {
	for _, x := range r.UnderWay() {
		if e := r.Exchange(x); !e.Head && strings.Contains(string(e.Request.Body), `"method":"`+method+`"`) {
			return x
		}
	}
	return 0
}

// asked waits for a request of that method, at most limit ms, and returns it with
// the time that took; 0 for none.
func (r *rig) asked(method string, limit int64) (engine.ExchangeID, int64) {
	r.t.Helper()
	began := r.Now
	for r.store(); r.waits(method) == 0; r.store() {
		d := r.NextDeadline()
		if d < 0 || r.Now.Since(began)+d > limit {
			return 0, r.Now.Since(began)
		}
		r.Advance(d)
	}
	return r.waits(method), r.Now.Since(began)
}

// body returns what a request says.
func (r *rig) body(x engine.ExchangeID) string { return string(r.Exchange(x).Request.Body) }

// gives answers the next request of that method with a result, and returns the request.
func (r *rig) gives(method, result string) string {
	r.t.Helper()
	x, _ := r.asked(method, 120_000)
	if x == 0 {
		r.fatal("%s is not asked for", method)
	}
	r.json(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request), result))
	return r.body(x)
}

// refuses answers the next request of that method with a JSON-RPC error.
func (r *rig) refuses(method string, code int) string {
	r.t.Helper()
	x, _ := r.asked(method, 120_000)
	if x == 0 {
		r.fatal("%s is not asked for", method)
	}
	r.json(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`,
		coretest.RequestID(r.Exchange(x).Request), code))
	return r.body(x)
}

// lastSeqNr returns what a request names, 0 for nothing.
func lastSeqNr(body string) (n int) {
	_, after, ok := strings.Cut(body, `"lastSeqNr":`)
	if ok {
		fmt.Sscanf(after, "%d", &n)
		if n == 0 {
			n = -1
		}
	}
	return n
}

// wantSegments checks that segments 1 to n were told, in order, once.
func (o *onTask) wantSegments(n int) {
	o.t.Helper()
	at := 0
	for _, e := range o.call(o.c).events {
		if e.Event == engine.EventSegment {
			if at++; string(e.Data) != segment(at) {
				o.fatal("segment %s is told as the %d.", e.Data, at)
			}
		}
	}
	if at != n {
		o.fatal("%d segments were told, want %d", at, n)
	}
}

// wantWhole checks that the call has segments 1 to n as its result.
func (o *onTask) wantWhole(n int) {
	o.t.Helper()
	o.store()
	o.wantResult()
	if got := string(o.call(o.c).settled.Data); got != whole(n) {
		o.fatal("the result is %s, want %s", got, whole(n))
	}
}

// wantTold checks how often events of a kind with that text came.
func (o *onTask) wantTold(kind engine.EventKind, text string, n int) {
	o.t.Helper()
	if got := o.told(kind, text); got != n {
		o.fatal("told %d times of %s, want %d", got, text, n)
	}
}

// wantBroken checks how often the app was told that the server broke that rule.
func (r *rig) wantBroken(what string, n int) {
	r.t.Helper()
	if got := strings.Count(strings.Join(r.integrity, "\n"), `"`+what+`"`); got != n {
		r.fatal("told %d times of %s, want %d", got, what, n)
	}
}

// quiet checks that nothing more is asked for in an hour.
func (o *onTask) quiet() {
	o.t.Helper()
	o.store()
	for _, x := range o.UnderWay() {
		if o.Exchange(x).Head {
			o.End(x, engine.EndClean)
		} else {
			o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), `{}`))
		}
	}
	if x, _ := o.nextFetch(hour); x != 0 {
		o.fatal("%s follows", o.body(x))
	}
	o.wantIdle()
}

// answers gives the app's answers to requests for input.
func (o *onTask) answers(json string) {
	o.t.Helper()
	o.input("answer", func(m *mcp.Client, now engine.Time) { m.Answer(now, o.c, []byte(json)) })
}

// reloads replaces the page at once.
func (o *onTask) reloads() *onTask { o.t.Helper(); return &onTask{o.reload(0, 0)} }
