package mcp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// inPlain fails where the store shows a text unsealed.
func (r *rig) inPlain(text string) {
	r.t.Helper()
	if plain := r.Store.Plain(); bytes.Contains(plain, []byte(text)) {
		r.fatal("%q rests in plain: %q", text, plain)
	}
}

// The id of a task rests in no message that says to which task it belongs: not in
// what the server asks, notifies or gives for a result. The app is told all of it.
func TestFault122_TaskOfAMessage(t *testing.T) {
	const id, related = `"taskId":"T"`,
		`"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T","x":1},"more":2}`
	o := newTask(connected(t, handling), true)
	x, _ := o.asked("tasks/result", 0)
	request := coretest.RequestID(o.Exchange(x).Request)
	o.Head(x, 200, "content-type", coretest.Stream)
	o.Chunk(x,
		coretest.Message("r1",
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1,`+related+
				`}}`)+
			coretest.Message("r2",
				`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?",`+related+
					`}}`))
	o.store()
	o.wantTold(engine.EventLog, id, 1)
	o.wantTold(engine.EventRequest, id, 1)
	o.inPlain(id)
	o = o.reloads()
	o.wantTold(engine.EventLog, `"taskId":"","x":1`, 1)
	o.wantTold(engine.EventRequest, id+`,"x":1`, 1) // the app has to know whose question it is
	x = o.resumedFrom("r2")
	o.Head(x, 200, "content-type", coretest.Stream)
	handle := uint32(0)
	for _, e := range o.call(o.c).events {
		if e.Event == engine.EventRequest {
			handle = e.Position
		}
	}
	o.input("respond",
		func(m *mcp.Client, now engine.Time) { m.Respond(now, handle, true, []byte(`{"action":"accept"}`)) })
	o.store()
	o.Advance(0)
	if n := o.posted(id + `,"x":1`); n != 1 {
		o.fatal("the answer says %d times to which task it belongs", n)
	}
	o.Chunk(x, coretest.Message("r3", coretest.Result(request, `{"content":[],`+related+`}`)))
	o.store()
	o.inPlain(id)
}

// relatedAsk is what a task asks, and to which task that belongs.
const relatedAsk = `{"taskId":"T","status":"input_required",` +
	`"inputRequests":{"name":{"method":"elicitation/create","params":{"message":"?",` + relatedTaskT + `}}}}`

const relatedTaskT = `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}`

// Fault 766: the same of what is asked inside an event, of a result beside its task, of what the app has
// before it is stored, and of whatever is written once more, as after a store that was away: store looks at
// all that is stored.
func TestFault766_IDOfATaskInPlain(t *testing.T) {
	for name, way := range askingTasks {
		t.Run("asked by "+name, func(t *testing.T) {
			o := way.begin(t)
			o.gives(way.poll, relatedAsk)
			o.store()
			o.wantTold(engine.EventInput, `"taskId":"T"`, 1)
			o.storedAgain()
		})
	}
	t.Run("asked on a stream", func(t *testing.T) {
		o := newTask(connected(t, handling), true)
		x, _ := o.asked("tasks/result", 0)
		o.Head(x, 200, "content-type", coretest.Stream)
		o.Chunk(x,
			coretest.Message("",
				`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?",`+
					relatedTaskT+
					`}}`))
		o.store()
		o.storedAgain()
	})
	results := map[string]string{
		"related to a task":        `{"content":[],` + relatedTaskT + `}`,
		"a result beside its task": `{"content":[],"task":{"taskId":"T","status":"completed"}}`,
	}
	for name, result := range results {
		for how, ends := range awayWays {
			t.Run(name+", while the store is away: "+how, func(t *testing.T) {
				r := connected(t, mcp.Config{Journal: true, NoListen: true})
				r.store()
				o := r.onStreamAs(mcp.CallOptions{Key: "order-1", Flags: journal.ManualAck})
				ends(o, coretest.Result(o.id, result))
				if got := string(o.call(o.c).settled.Data); got != result {
					o.fatal("the app has %s", got)
				}
				o.store()
			})
		}
		for _, flags := range []journal.Flags{0, journal.ManualAck} {
			t.Run(name, func(t *testing.T) {
				r := connected(t, withDisk)
				r.input("alone", func(m *mcp.Client, now engine.Time) { m.Alone(now, true) })
				o := r.tool(mcp.CallOptions{Flags: flags})
				o.Head(o.x, 200, "content-type", coretest.JSON)
				o.Chunk(o.x, coretest.Result(o.id, result))
				o.End(o.x, engine.EndClean)
				for o.store(); o.NextDeadline() >= 0 && o.NextDeadline() < hour; o.store() {
					o.Advance(o.NextDeadline())
				}
				if got := string(o.call(o.c).settled.Data); got != result {
					o.fatal("the app has %s", got)
				}
			})
		}
	}
}

// What a person has answered is sealed as its draft was: to the server's own
// request, to a task's, to a request for input.
func TestFault122_Answers(t *testing.T) {
	const answer = `{"action":"accept","content":{"name":"canary"}}`
	t.Run("on a stream", func(t *testing.T) {
		o := newTask(connected(t, handling), true)
		x, _ := o.asked("tasks/result", 0)
		o.Head(x, 200, "content-type", coretest.Stream)
		o.Chunk(x,
			coretest.Message("r1",
				`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?"}}`))
		o.store()
		handle := uint32(0)
		for _, e := range o.call(o.c).events {
			if e.Event == engine.EventRequest {
				handle = e.Position
			}
		}
		o.input("respond",
			func(m *mcp.Client, now engine.Time) { m.Respond(now, handle, true, []byte(answer)) })
		o.store()
		o.inPlain("canary")
		o = o.reloads()
		o.wantTold(engine.EventRequest, "", 0)
		o.Advance(0)
		if n := o.posted(answer); n != 1 {
			o.fatal("sent %d times after the reload", n)
		}
	})
	t.Run("to a task", func(t *testing.T) {
		o := newExtension(newRig(t, modernDisk))
		o.gives("tasks/get", `{"taskId":"T","status":"input_required",`+
			`"inputRequests":{"who":{"method":"elicitation/create"}}}`)
		o.store()
		o.answers(`{"who":` + answer + `}`)
		o.store()
		o.inPlain("canary")
		o = o.reloads()
		o.wantTold(engine.EventInput, "", 0)
		o.Advance(0)
		if n := o.posted(answer); n != 1 {
			o.fatal("sent %d times after the reload", n)
		}
	})
	t.Run("to a request for input", func(t *testing.T) {
		w := coretest.NewMCP(t, mcp.Config{Revision: "2026-07-28", Journal: true, NoListen: true})
		w.Start()
		x := w.Fetched()
		says := func(body string) {
			w.Head(x, 200, "content-type", coretest.JSON)
			w.Chunk(x, body)
			w.End(x, engine.EndClean)
		}
		says(coretest.Result(coretest.RequestID(w.Request(x)),
			`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
		w.Stored(journal.ResultOK, 0)
		c, _ := w.Call("tools/call", `{"name":"book"}`, mcp.CallOptions{Durable: true})
		w.Stored(journal.ResultOK, 0)
		x = w.Fetched()
		says(coretest.Result(coretest.RequestID(w.Request(x)),
			`{"resultType":"input_required","inputRequests":{"k":{}},"requestState":"canary-state"}`))
		w.Stored(journal.ResultOK, 0)
		w.Input("answer",
			func(m *mcp.Client, now engine.Time) { m.Answer(now, c, []byte(`{"k":`+answer+`}`)) })
		w.Stored(journal.ResultOK, 0)
		if plain := w.Store.Plain(); bytes.Contains(plain, []byte("canary")) {
			t.Fatalf("in plain: %q", plain)
		}
		w.Reload()
		w.Start()
		w.Stored(journal.ResultOK, 0)
		if body := string(w.Request(w.Fetched()).Body); !strings.Contains(body, answer) ||
			len(w.Delivered(1, engine.EventInput)) > 0 {
			t.Fatalf("after the reload it sends %s", body)
		}
	})
}
