package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// fetches answers the next tasks/result with a stream, and returns its exchange and the id of its request.
func (o *onTask) fetches() (engine.ExchangeID, string) {
	o.t.Helper()
	x, _ := o.asked("tasks/result", 60_000)
	if x == 0 {
		o.fatal("the result is not asked for")
	}
	o.Head(x, 200, "content-type", coretest.Stream)
	return x, coretest.RequestID(o.Exchange(x).Request)
}

// Fault 741: tasks/result is answered by a stream of several partial results. Each is taken as it comes, none
// is a second response, and none is asked for again; whether the stream says that it is complete, or ends.
func TestFault741_AStreamOfPartialResults(t *testing.T) {
	for _, ends := range []bool{false, true} {
		o := newTask(connected(t, withDisk), true)
		x, id := o.fetches()
		for n := 1; n <= 4; n++ {
			more := ""
			if n == 4 && !ends {
				more = `,"isComplete":true`
			}
			o.Chunk(x, coretest.Message("", coretest.Result(id, partial(more, n))))
			o.store()
			o.wantSegments(n)
			if n < 4 {
				if n := o.posted(`"method":"tasks/result"`); n != 1 {
					o.fatal("the result is asked for %d times", n)
				}
			}
		}
		o.End(x, engine.EndClean)
		if ends {
			o.gives("tasks/get", `{"taskId":"T","status":"completed"}`)
		}
		o.gives("tasks/result", whole(4))
		o.wantWhole(4)
		o.wantBroken("duplicate_response", 0)
		if n := o.posted(`"method":"tasks/result"`); n != 2 { // the last one for the whole result
			o.fatal("the result is asked for %d times", n)
		}
		o.quiet()
	}
}

// Fault 741: its stream is cut between two of them. What comes next is asked for by the number.
func TestFault741_CutBetweenPartialResults(t *testing.T) {
	for _, cursor := range []string{"", "e1"} { // a stream that could be resumed has nothing more, either
		for _, how := range []engine.Ending{engine.EndNetwork, engine.EndClean} {
			o := newTask(connected(t, withDisk), true)
			x, id := o.fetches()
			o.Chunk(x, coretest.Message(cursor, coretest.Result(id, partial("", 1, 2))))
			o.store()
			o.End(x, how)
			if body := o.gives("tasks/result", partial(`,"isComplete":true`, 3)); lastSeqNr(body) != 2 {
				o.fatal("asked with %s", body)
			}
			o.gives("tasks/result", whole(3))
			o.wantSegments(3)
			o.wantWhole(3)
		}
	}
}

// Fault 741: the page is reloaded behind such a stream, which had ids. The next page asks by the number as
// well.
func TestFault741_ReloadBehindPartialResults(t *testing.T) {
	o := newTask(connected(t, withDisk), true)
	x, id := o.fetches()
	o.Chunk(x, coretest.Message("e1", coretest.Result(id, partial("", 1, 2))))
	o.store()
	o.End(x, engine.EndClean)
	o = o.next()
	if body := o.gives("tasks/result", partial(`,"isComplete":true`, 3)); lastSeqNr(body) != 2 {
		o.fatal("asked with %s", body)
	}
	o.gives("tasks/result", whole(3))
	o.wantWhole(3)
}

// Fault 742: a server ends a call with an event of the type error that has the JSON-RPC error of its request.
func TestFault742_AnErrorEvent(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	event := func(id string) string {
		return "event: error\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id +
			",\"error\":{\"code\":-32603,\"message\":\"it broke\"}}\n\n"
	}
	o.say("event: error\ndata: it broke\n\n")
	o.say("event: error\ndata: " +
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"whose?\"}}\n\n")
	o.say(event("99"))
	o.say("event: error\ndata: " + coretest.Result(o.id, `{}`) + "\n\n")
	o.wantPending()
	o.say(event(o.id))
	if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError ||
		string(s.Data) != `{"code":-32603,"message":"it broke"}` {
		o.fatal("the call has not ended with that error")
	}
	if n := o.Client.Counters().IgnoredEvents; n != 4 {
		o.fatal("%d events were ignored", n)
	}
}
