package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// keptTask makes a call whose task the server keeps for so long, in the ways of
// each dialect: "core", "continue" or "extension". An empty ttl names none.
func keptTask(t *testing.T, dialect, ttl string) *onTask {
	t.Helper()
	name := map[bool]string{true: "ttlMs", false: "ttl"}[dialect == "extension"]
	if ttl != "" {
		ttl = `,"` + name + `":` + ttl
	}
	if dialect == "extension" {
		r := newRig(t, modernDisk)
		r.Start()
		r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
			`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
		o := r.tool(mcp.CallOptions{})
		o.json(o.x,
			coretest.Result(o.id,
				`{"resultType":"task","taskId":"T","status":"working","pollIntervalMs":1000`+ttl+`}`))
		return o
	}
	o := connected(t, withDisk).tool(mcp.CallOptions{})
	o.json(o.x, coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000`+ttl+
		`}}`))
	if dialect == "core" {
		o.refuses("tasks/continue", -32601)
	} else {
		o.gives("tasks/continue", `{"taskId":"T","status":"working"}`)
	}
	return o
}

var pollOf = map[string]string{"core": "tasks/get", "continue": "tasks/continue", "extension": "tasks/get"}

// ttlKept returns what the journal knows of how long the task is kept, in ms.
func (o *onTask) ttlKept() int64 {
	o.t.Helper()
	o.store()
	return o.Store.Record(o.Store.Calls()[0]).TaskTTL
}

// deaf cuts every request until the call ends, at most for limit ms. It returns
// how long that took, and when polls left.
func (o *onTask) deaf(limit int64, poll string) (took int64, polls []int64) {
	o.t.Helper()
	began, seen := o.Now, engine.ExchangeID(0)
	for o.store(); ; o.store() {
		for _, x := range o.UnderWay() {
			if x > seen && strings.Contains(o.body(x), `"`+poll+`"`) {
				polls = append(polls, o.Now.Since(began))
			}
			seen = max(seen, x)
			o.End(x, engine.EndNetwork)
		}
		o.store()
		d := o.NextDeadline()
		if o.call(o.c).settled != nil || d < 0 || o.Now.Since(began)+d > limit {
			return o.Now.Since(began), polls
		}
		o.Advance(d)
	}
}

// A server's ttl is put into its bounds wherever it is named; what is no number of
// milliseconds is no promise.
func TestTask_TTL(t *testing.T) {
	const month = 30 * 24 * hour
	for value, want := range map[string]int64{
		"60000": 60_000, "6e4": 60_000, "60000.9": 60_000, "0": 1, "0.5": 1, "1": 1, "-1": 0, "-1e300": 0,
		"null": 0, "": 0, `"60000"`: 0, "true": 0, "{}": 0, "[60000]": 0,
		fmt.Sprint(int64(month)): month, "2592000001": month, "9007199254740993": month, "1e300": month,
		"1" + strings.Repeat("0", 400): 0, // no number that there is: as good as none
	} {
		for dialect, poll := range pollOf {
			o := keptTask(t, dialect, value)
			if got := o.ttlKept(); got != want {
				o.fatal("%s: made with ttl %s: %d ms, want %d", dialect, value, got, want)
			}
			if value == "" {
				continue
			}
			o = keptTask(t, dialect, "120000")
			name := map[bool]string{true: "ttlMs", false: "ttl"}[dialect == "extension"]
			o.gives(poll, `{"taskId":"T","status":"working","`+name+`":`+value+`}`)
			near := want == 60_000 // within a minute the journal does not care
			if got := o.ttlKept(); got != want && !near {
				o.fatal("%s: polled with ttl %s: %d ms, want %d", dialect, value, got, want)
			}
			o.gives(poll, `{"taskId":"T","status":"working"}`) // missing: as before
			if got := o.ttlKept(); got != want && !near {
				o.fatal("%s: ttl %s, then none: %d ms, want %d", dialect, value, got, want)
			}
		}
	}
}

// Fault 105: a task of which nothing is heard for its ttl is not polled for ever:
// it is asked for once more, a few times if need be, and is lost.
func TestFault105_NobodyAnswers(t *testing.T) {
	for dialect, poll := range pollOf {
		o := keptTask(t, dialect, "600000")
		took, polls := o.deaf(2*hour, poll)
		o.wantFailure(engine.CodeLost)
		o.wantTold(engine.EventResumed, `"lost"`, 1)
		if !strings.Contains(o.call(o.c).settled.Failure.Message, "promised") {
			o.fatal("the app is told: %v", o.call(o.c).settled.Failure)
		}
		late := 0
		for _, at := range polls {
			if at >= 604_000 {
				late++
			}
		}
		if took < 605_000 || took > 700_000 || late < 4 || late > 6 {
			o.fatal("%s: lost after %d ms, %d of %d polls were late", dialect, took, late, len(polls))
		}
		o.quiet()
		// Without a ttl, and with null, nobody gives up.
		for _, ttl := range []string{"", "null"} {
			o = keptTask(t, dialect, ttl)
			o.deaf(6*hour, poll)
			o.wantPending()
		}
	}
	// A ttl shorter than the interval is no reason to poll faster.
	o := keptTask(t, "extension", "1")
	o.gives("tasks/get", `{"taskId":"T","status":"working","pollIntervalMs":60000}`)
	if _, waited := o.asked("tasks/get", 2*hour); waited != 60_000 {
		o.fatal("polled after %d ms", waited)
	}
}

// The ttl is counted from when the server last told of the task (fault 83: not from
// its createdAt), whether that names it or not; the journal learns of that seldom.
func TestTask_TTLIsRefreshed(t *testing.T) {
	for dialect, poll := range pollOf {
		o := keptTask(t, dialect, "60000")
		began := o.Now
		for n := 0; o.Now.Since(began) < hour/6; n++ {
			said := []string{``, `,"ttl":60000,"ttlMs":60000`, `,"createdAt":"1970-01-01T00:00:00Z"`}[n%3]
			o.gives(poll, `{"taskId":"T","status":"working"`+said+`}`)
			o.wantPending()
		}
		if n := strings.Count(o.Log(), " [ttl]"); n < 8 || n > 10 {
			o.fatal("%s: %d commits in ten minutes", dialect, n)
		}
		if took, _ := o.deaf(2*hour, poll); took < 65_000 || took > 160_000 {
			o.fatal("%s: lost after %d ms", dialect, took)
		}
		o.wantFailure(engine.CodeLost)
	}
	// null takes the promise back.
	o := keptTask(t, "extension", "60000")
	o.gives("tasks/get", `{"taskId":"T","status":"working","ttlMs":null}`)
	o = o.reloads()
	o.deaf(6*hour, "tasks/get")
	o.wantPending()
}

// Fault 56: a page that comes back long after the ttl asks before it gives up, and
// what the server says of the task counts.
func TestFault56_TaskBeyondItsTTL(t *testing.T) {
	for dialect, poll := range pollOf {
		away := func() *onTask {
			o := keptTask(t, dialect, "60000")
			o.Advance(0)
			o.store()
			return &onTask{o.reload(8*hour, 0)}
		}
		o := away()
		if x, waited := o.asked(poll, hour); x == 0 || waited != 0 {
			o.fatal("%s: not asked, or after %d ms", dialect, waited)
		}
		o.wantPending()
		o.gives(poll, `{"taskId":"T","status":"working"}`)
		o.wantPending()
		if dialect == "core" {
			o.gives(poll, `{"taskId":"T","status":"completed"}`)
			o.gives("tasks/result", whole(1))
		} else {
			o.gives(poll, `{"taskId":"T","status":"completed","result":`+whole(1)+`}`)
		}
		o.wantWhole(1)
		// The server has dropped it.
		o = away()
		if o.refuses(poll, -32602); dialect == "core" {
			o.wantPending()
			o.refuses("tasks/result", -32602)
		}
		o.wantFailure(engine.CodeLost)
		o.quiet()
		// Nobody is there: asked a few times, over as long as a network takes.
		o = away()
		took, polls := o.deaf(2*hour, poll)
		o.wantFailure(engine.CodeLost)
		if len(polls) != 6 || took < 10_000 || took > 100_000 {
			o.fatal("%s: lost after %d polls and %d ms", dialect, len(polls), took)
		}
		// Or a page that lives, and had no network.
		o = keptTask(t, dialect, "60000")
		o.input("offline", (*mcp.Client).Offline)
		o.Advance(8 * hour)
		o.wantPending()
		o.input("online", (*mcp.Client).Online)
		o.gives(poll, `{"taskId":"T","status":"working"}`)
		o.wantPending()
		// It could not ask until now.
		o = away()
		for range 3 {
			x, _ := o.asked(poll, hour)
			o.End(x, engine.EndNetwork)
		}
		o.gives(poll, `{"taskId":"T","status":"working"}`)
		o.wantPending()
	}
}

// Fault 83: the wall clock is set on by a day, or back, between two pages.
func TestFault83_TaskTTL(t *testing.T) {
	const day = 24 * hour
	for dialect, poll := range pollOf {
		for _, jump := range []int64{day, -day} {
			o := keptTask(t, dialect, "60000")
			o.gives(poll, `{"taskId":"T","status":"working"}`)
			o = &onTask{o.reload(0, jump)}
			for range 5 {
				o.gives(poll, `{"taskId":"T","status":"working"}`)
			}
			o.wantPending()
			took, _ := o.deaf(2*hour, poll)
			o.wantFailure(engine.CodeLost)
			if took < 65_000 || took > 170_000 {
				o.fatal("%s, jump %d: lost after %d ms", dialect, jump, took)
			}
		}
		// In a short time that is no harm, either: the page before heard of it.
		o := keptTask(t, dialect, "600000")
		o.gives(poll, `{"taskId":"T","status":"working"}`)
		o = o.reloads()
		if took, _ := o.deaf(2*hour, poll); took < 500_000 || took > 850_000 {
			o.fatal("%s: lost after %d ms", dialect, took)
		}
	}
}

// While the stream on which the result is to come stays open, polls that fail say
// nothing of the task.
func TestTask_TTLWhileItsStreamIsOpen(t *testing.T) {
	o := keptTask(t, "core", "60000")
	x, _ := o.asked("tasks/result", 0)
	o.Head(x, 200, "content-type", coretest.Stream)
	for range 60 {
		o.Chunk(x, ": alive\n\n")
		if y, _ := o.asked("tasks/get", 20_000); y != 0 {
			o.End(y, engine.EndNetwork)
		}
		o.Advance(10_000)
		o.wantPending()
	}
	o.Chunk(x, coretest.Message("", coretest.Result(coretest.RequestID(o.Exchange(x).Request), whole(1))))
	o.wantWhole(1)
	// As does one that brings segments.
	o = newStreamed(connected(t, withDisk), 1)
	o.gives("tasks/get", `{"taskId":"T","status":"working","ttl":60000}`)
	for n := 2; n < 40; n++ {
		if y, _ := o.asked("tasks/get", 20_000); y != 0 {
			o.End(y, engine.EndNetwork)
		}
		o.Advance(10_000)
		o.streams("", n)
		o.wantPending()
	}
	o.wantSegments(39)
}

// The store fails under a page and works again: the ttl is rewritten, with when the task
// was heard of.
func TestTask_TTLIsRewritten(t *testing.T) {
	o := keptTask(t, "extension", "600000")
	o.Advance(900)
	o.storeIsBack()
	if got := o.ttlKept(); got != 600_000 {
		o.fatal("%d ms", got)
	}
	// And by one that has not gone on with it yet.
	o.World.Reload()
	next := &onTask{&onStream{c: 1, rig: &rig{MCP: o.MCP, t: t, calls: map[engine.CallID]*record{1: {}}}}}
	next.storeIsBack()
	if got := next.ttlKept(); got != 600_000 {
		next.fatal("%d ms", got)
	}
}
