package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Core tasks: what the server asks on the stream of a task's result is asked once
// over reloads, its answer is sent until it is taken and says to which task it
// belongs, and the result comes on the same stream.
func TestTask_SideChannel(t *testing.T) {
	const related = `"io.modelcontextprotocol/related-task":{"taskId":"T","x":1}`
	o := newTask(connected(t, handling), true)
	x, _ := o.asked("tasks/result", 0)
	id := coretest.RequestID(o.Exchange(x).Request)
	o.Head(x, 200, "content-type", coretest.Stream)
	o.Chunk(x,
		coretest.Message("r1",
			`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","_meta":{`+
				related+
				`}}}`))
	o.store()
	o.wantTold(engine.EventRequest, `"id":"q"`, 1)
	// Nobody has answered: the next page asks, and hears the rest of that very stream.
	o = o.reloads()
	o.wantTold(engine.EventRequest, `"id":"q"`, 1)
	x = o.resumedFrom("r1")
	o.Head(x, 200, "content-type", coretest.Stream)
	handle := uint32(0)
	for _, e := range o.call(o.c).events {
		if e.Event == engine.EventRequest {
			handle = e.Position
		}
	}
	o.input("respond", func(m *mcp.Client, now engine.Time) {
		m.Respond(now, handle, true, []byte(`{"action":"accept","_meta":{"mine":1}}`))
	})
	if o.posted(`"id":"q"`) != 0 {
		o.fatal("the answer leaves before it is stored")
	}
	o.store()
	answer := `{"jsonrpc":"2.0","id":"q","result":{"_meta":{` + related + `,"mine":1},"action":"accept"}}`
	for range 3 {
		o.Advance(0)
		if n := o.posted(answer); n != 1 {
			o.fatal("the answer is sent %d times", n)
		}
		o = o.reloads()
		o.wantTold(engine.EventRequest, "", 0)
	}
	o.Advance(0)
	x = o.exchangeOf(answer)
	o.Head(x, 202)
	o.End(x, engine.EndClean)
	o.store()
	o = o.reloads()
	o.Advance(0)
	if o.posted(answer) != 0 {
		o.fatal("what was taken is sent again")
	}
	x = o.resumedFrom("r1")
	o.Head(x, 200, "content-type", coretest.Stream)
	o.Chunk(x, coretest.Message("r2", `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`)+
		coretest.Message("r3", coretest.Result(id, whole(1))))
	o.wantTold(engine.EventRequest, "", 0)
	o.wantWhole(1)
}

// resumedFrom returns the exchange that goes on behind that event.
func (r *rig) resumedFrom(id string) engine.ExchangeID {
	r.t.Helper()
	r.Advance(0)
	for _, x := range r.UnderWay() {
		if last, _ := r.field(x, "Last-Event-ID"); last == id {
			return x
		}
	}
	r.fatal("nothing goes on behind %s", id)
	return 0
}

// exchangeOf returns the live exchange whose request says that.
func (r *rig) exchangeOf(body string) engine.ExchangeID {
	for _, x := range r.UnderWay() {
		if r.body(x) == body {
			return x
		}
	}
	r.fatal("nothing says %s", body)
	return 0
}

// Without related-task in the request there is none in its answer, and an error
// has no place for it.
func TestTask_AnswersNameTheirTask(t *testing.T) {
	for params, want := range map[string]string{
		`{}`: `{"action":"accept"}`,
		`{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"U"}}}`: `{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"U"}},"action":"accept"}`,
		`{"_meta":{"io.modelcontextprotocol/related-task":null}}`:           `{"_meta":{"io.modelcontextprotocol/related-task":null},"action":"accept"}`,
		`{"_meta":7}`: `{"action":"accept"}`,
	} {
		o := connected(t, handling).stream("tools/call")
		ask := func(id string) {
			o.event("", `{"jsonrpc":"2.0","id":`+id+`,"method":"elicitation/create","params":`+params+`}`)
		}
		ask("1")
		ask("2")
		var handles []uint32
		for _, e := range o.call(o.c).events {
			if e.Event == engine.EventRequest {
				handles = append(handles, e.Position)
			}
		}
		o.input("respond",
			func(m *mcp.Client, now engine.Time) {
				m.Respond(now, handles[0], true,
					[]byte(`{"action":"accept"}`))
			})
		o.input("respond", func(m *mcp.Client, now engine.Time) {
			m.Respond(now, handles[1], false, []byte(`{"code":-1,"message":"no"}`))
		})
		if o.posted(`{"jsonrpc":"2.0","id":1,"result":`+want+`}`) != 1 ||
			o.posted(`{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}`) != 1 {
			o.fatal("params %s are answered otherwise", params)
		}
	}
}

// A task is gone on with in the next session, too: what that asks is answered in it.
func TestTask_OutlivesItsSession(t *testing.T) {
	o := newTask(connected(t, handling), true)
	x, _ := o.asked("tasks/result", 0)
	o.Head(x, 404)
	for o.waits("initialize") == 0 {
		o.Advance(o.NextDeadline())
	}
	x = o.waits("initialize")
	id := coretest.RequestID(o.Exchange(x).Request)
	o.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s2")
	o.Chunk(x, coretest.Result(id, `{"protocolVersion":"2025-11-25","capabilities":{}}`))
	o.End(x, engine.EndClean)
	o.Head(o.Newest(), 202)
	o.store()
	x, _ = o.asked("tasks/result", 10_000)
	if session, _ := o.field(x, "Mcp-Session-Id"); session != "s2" {
		o.fatal("asked in session %s", session)
	}
	o.End(x, engine.EndNetwork)
	x, _ = o.asked("tasks/result", 10_000)
	id = coretest.RequestID(o.Exchange(x).Request)
	o.Head(x, 200, "content-type", coretest.Stream)
	o.Chunk(x, coretest.Message("", `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`))
	o.store()
	var handle uint32
	for _, e := range o.call(o.c).events {
		if e.Event == engine.EventRequest {
			handle = e.Position
		}
	}
	o.input("respond", func(m *mcp.Client, now engine.Time) { m.Respond(now, handle, true, []byte(`{}`)) })
	o.store()
	if o.posted(`"id":"q","result":{}`) != 1 {
		o.fatal("the answer is not sent")
	}
	o.Chunk(x, coretest.Message("", coretest.Result(id, whole(1))))
	o.wantWhole(1)
}

// A server that says twice that a task has ended has lost the request for its
// result, unless something still comes of that.
func TestTask_DeadRequestForTheResult(t *testing.T) {
	o := newTask(connected(t, withDisk), true)
	x, _ := o.asked("tasks/result", 0)
	o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
	if o.Exchange(x).Over {
		o.fatal("given up too soon")
	}
	o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
	if !o.Exchange(x).Over {
		o.fatal("it is still waited for")
	}
	x, _ = o.asked("tasks/result", 0)
	id := coretest.RequestID(o.Exchange(x).Request)
	o.Head(x, 200, "content-type", coretest.JSON)
	for n, part := range strings.SplitAfter(coretest.Result(id, whole(6)), `},`) {
		o.Chunk(x, part)
		if o.Exchange(x).Over {
			o.fatal("given up after %d parts", n)
		}
		if n%2 == 0 {
			o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
		}
	}
	o.End(x, engine.EndClean)
	o.wantWhole(6)
}

// The official SDK's tasks/result looks for the end of a task once in an interval,
// and its notification is faster: that alone is no reason to ask again.
func TestTask_NotifiedBeforeTheResult(t *testing.T) {
	r := newRig(t, mcp.Config{Journal: true}).connectListening()
	alone := r.Newest()
	o := newTask(r, true)
	x, _ := o.asked("tasks/result", 0)
	for range 3 {
		o.Chunk(alone, coretest.Message("", `{"jsonrpc":"2.0","method":"notifications/tasks/status",`+
			`"params":{"taskId":"T","status":"completed"}}`))
		o.store()
	}
	o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
	if o.Exchange(x).Over {
		o.fatal("given up too soon")
	}
	o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), whole(1)))
	o.wantWhole(1)
}

// A failed task of the extension has an error, and a tool's own error is a result;
// a core task's is whatever tasks/result says.
func TestTask_FailedOrIsError(t *testing.T) {
	failed := `{"content":[],"isError":true}`
	o := newExtension(newRig(t, modernDisk))
	o.gives("tasks/get", `{"taskId":"T","status":"completed","result":`+failed+`}`)
	o.wantResult()
	o = newExtension(newRig(t, modernDisk))
	o.gives("tasks/get", `{"taskId":"T","status":"failed","error":{"code":-32603,"message":"no"}}`)
	if s := o.call(o.c).settled; s.Outcome != engine.OutcomeRPCError {
		o.fatal("the error is not told")
	}
	o = newExtension(newRig(t, modernDisk))
	o.gives("tasks/get", `{"taskId":"T","status":"cancelled"}`)
	o.wantFailure(engine.CodeCancelled)
	o = newExtension(newRig(t, modernDisk))
	o.refuses("tasks/get", -32603)
	o.wantPending()
	o.refuses("tasks/get", -32602)
	o.wantFailure(engine.CodeLost)
	o.wantTold(engine.EventResumed, `"lost"`, 1)
	for _, answer := range []string{failed, ""} {
		o = newTask(connected(t, withDisk), true)
		o.gives("tasks/get", `{"taskId":"T","status":"failed"}`)
		if answer != "" {
			o.gives("tasks/result", answer)
			o.wantResult()
			continue
		}
		o.refuses("tasks/result", -32000)
		if s := o.call(o.c).settled; s.Outcome != engine.OutcomeRPCError {
			o.fatal("the error is not told")
		}
	}
}

// A run that is lost and harmless is run again; the segments of the one before do
// not count for it, over reloads neither.
func TestTask_RunAgain(t *testing.T) {
	o := connected(t, withDisk).tool(mcp.CallOptions{Flags: journal.Idempotent})
	o.json(o.x, coretest.Result(o.id, `{"task":{"taskId":"T","status":"working","pollInterval":1000},`+
		members([]int{1, 2, 3}, "")))
	o.gives("tasks/get", `{"taskId":"T","status":"working"}`)
	o.refuses("tasks/get", -32602)
	o.refuses("tasks/result", -32602)
	o.wantTold(engine.EventResumed, `"restarted"`, 1)
	o.gives("tools/call", `{"task":{"taskId":"U","status":"working","pollInterval":1000},`+
		members([]int{1}, ""))
	o = o.reloads()
	if body := o.gives("tasks/result", partial(`,"isComplete":true`, 2)); lastSeqNr(body) != 1 ||
		!strings.Contains(body, `"taskId":"U"`) {
		o.fatal("asked with %s", body)
	}
	if n := o.told(engine.EventSegment, ""); n != 5 {
		o.fatal("%d segments were told", n)
	}
	o.gives("tasks/result", whole(2))
	o.wantWhole(2)
}

// The store fails and works again while a page has a task that it has not gone on with yet.
func TestTask_StoreIsBack(t *testing.T) {
	o := newTask(connected(t, withDisk), true)
	o.World.Reload()
	next := &onTask{&onStream{c: 1, rig: &rig{MCP: o.MCP, t: t, calls: map[engine.CallID]*record{1: {}}}}}
	next.storeIsBack()
	next.store()
	next = next.reloads()
	if body := next.gives("tasks/result", whole(1)); !strings.Contains(body, `"taskId":"T"`) {
		next.fatal("asked with %s", body)
	}
	next.wantWhole(1)
}

// A streamed task whose stream falls silent is asked for its segments.
func TestTask_SilentStream(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1)
	for o.waits("tasks/result") == 0 {
		o.gives("tasks/get", `{"taskId":"T","status":"working","pollInterval":60000}`)
		if o.Now > 1_000_000+300_000 {
			o.fatal("nobody notices")
		}
		o.Advance(59_000)
		o.store()
	}
	if !o.Exchange(o.x).Over {
		o.fatal("the stream is kept")
	}
	if n := lastSeqNr(o.gives("tasks/result", partial("", 2))); n != 1 {
		o.fatal("asked from %d", n)
	}
}

// The store fails and works again under a page that has a part of a streamed result:
// the next page is told what came after that, once, and nothing of it is asked for again.
func TestTask_StoreIsBackInTheStream(t *testing.T) {
	o := newStreamed(connected(t, withDisk), 1, 2)
	o.storeIsBack()
	o.store()
	o.streams("", 3, 4)
	o.wantSegments(4)
	o = o.reloads()
	o.wantTold(engine.EventSegment, "", 2)
	if n := lastSeqNr(o.gives("tasks/result", partial(`,"isComplete":true`, 1, 2, 3, 4, 5))); n != 4 {
		o.fatal("asked from %d", n)
	}
	o.wantTold(engine.EventSegment, "", 3)
	o.gives("tasks/result", whole(5))
	o.wantBroken("different_result", 0)
	o.wantWhole(5)
}
