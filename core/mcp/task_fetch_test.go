package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestTask_ResultIsAskedForAgain: what ends one request for the result says nothing of
// the task, unless the server has refused it for good.
func TestTask_ResultIsAskedForAgain(t *testing.T) {
	streams := func(o *onTask, x engine.ExchangeID) {
		o.Head(x, 200, "content-type", coretest.Stream)
	}
	// cut leaves a stream that can be resumed, and answers the request to resume it.
	cut := func(status int) func(*onTask, engine.ExchangeID) {
		return func(o *onTask, x engine.ExchangeID) {
			streams(o, x)
			o.Chunk(x, "id: p\ndata:\n\n")
			o.store()
			o.End(x, engine.EndNetwork)
			for x, _ = o.nextFetch(60_000); o.Exchange(x).Request.Method != "GET"; x,
				_ = o.nextFetch(60_000) {
			}
			o.Head(x, status)
		}
	}
	for _, test := range []struct {
		name  string
		ends  func(o *onTask, x engine.ExchangeID)
		times int         // that it happens
		code  engine.Code // that the call ends with; "" for its result
	}{
		{"the stream is lost", cut(400), 3, ""},
		{"the server resumes no streams", cut(405), 3, ""},
		{"a stream without a cursor",
			func(o *onTask, x engine.ExchangeID) { streams(o, x); o.End(x, engine.EndNetwork) }, 3, ""},
		{"silence", func(o *onTask, x engine.ExchangeID) {
			streams(o, x)
			for !o.Exchange(x).Over {
				o.Advance(o.NextDeadline())
				if poll := o.waits("tasks/get"); poll != 0 {
					o.gives("tasks/get", `{"taskId":"T","status":"working"}`)
				}
			}
		}, 2, ""},
		{"no network", func(o *onTask, x engine.ExchangeID) { o.End(x, engine.EndNetwork) }, 3, ""},
		{"busy", func(o *onTask, x engine.ExchangeID) { o.Head(x, 503) }, 3, ""},
		{"half an answer", func(o *onTask, x engine.ExchangeID) { o.json(x, `{"jsonrpc":"2.0","id":`) }, 4,
			""},
		{"never a whole answer", func(o *onTask, x engine.ExchangeID) { o.json(x, `{"jsonrpc":"2.0","id":`) },
			5, engine.CodeProtocol},
		{"refused", func(o *onTask, x engine.ExchangeID) { o.Head(x, 400) }, 1, engine.CodeHTTP},
	} {
		o := newTask(connected(t, withDisk), true)
		for n := range test.times {
			x, _ := o.asked("tasks/result", 120_000)
			if x == 0 {
				o.fatal("%s: not asked for after %d times", test.name, n)
			}
			test.ends(o, x)
			o.store()
		}
		if test.code != "" {
			o.wantFailure(test.code)
			continue
		}
		o.wantPending()
		o.gives("tasks/result", whole(1))
		o.wantWhole(1)
	}
}

// TestTask_RequestsForInputHaveOneBudget: what waits for the app counts, in whatever
// polls it came; one too many is told, and comes again once others are answered.
func TestTask_RequestsForInputHaveOneBudget(t *testing.T) {
	o := newExtension(newRig(t, modernDisk))
	request := func(key string) string {
		return `"` + key + `":{"method":"elicitation/create","params":{"message":"` +
			strings.Repeat("m", 5<<20) + `"}}`
	}
	poll := func(keys ...string) {
		var requests []string
		for _, key := range keys {
			requests = append(requests, request(key))
		}
		o.gives("tasks/get", `{"taskId":"T","status":"input_required","inputRequests":{`+
			strings.Join(requests, ",")+`}}`)
	}
	poll("a")
	poll("a", "b")
	poll("a", "b", "c")
	o.wantTold(engine.EventInput, "", 3)
	o.wantBroken("too_many_requests", 0)
	poll("a", "b", "c", "d")
	o.wantTold(engine.EventInput, "", 3)
	o.wantBroken("too_many_requests", 1)
	o.answers(`{"a":{"action":"decline"},"b":{"action":"decline"}}`)
	o.store()
	poll("c", "d")
	o.wantTold(engine.EventInput, "", 4)
}

// TestFault257_ResultIsAskedForOnceItIsThere: requests that waited for the result and were cut
// say nothing of how soon one will be answered. Once the server says that the task has ended, or
// asks for something, the next one does not wait for their turn; once, since it may fail as well.
func TestFault257_ResultIsAskedForOnceItIsThere(t *testing.T) {
	for _, status := range []string{"completed", "failed", "cancelled", "input_required"} {
		o := newTask(connected(t, withDisk), true)
		// poll answers polls until the result is asked for, and returns how many.
		poll := func(status string) (n int) {
			for {
				if x, _ := o.asked("tasks/result", 0); x != 0 {
					return n
				}
				o.gives("tasks/get", `{"taskId":"T","status":"`+status+`"}`)
				n++
			}
		}
		for range 6 {
			poll("working")
			o.End(o.waits("tasks/result"), engine.EndNetwork)
		}
		if n := poll(status); n > 1 {
			o.fatal("%s: not asked for before %d polls", status, n)
		}
		polls := 0
		for range 6 {
			o.End(o.waits("tasks/result"), engine.EndNetwork)
			polls = poll(status)
		}
		if polls < 5 {
			o.fatal("%s: asked for again after %d polls, and 6 requests that failed", status, polls)
		}
		o.gives("tasks/result", whole(1))
		o.wantWhole(1)
	}
}

// TestFault257_OnlineTriesWhatWaits: what is asked about a task waits after failures, as streams
// do. When the network is back all of it is tried at once.
func TestFault257_OnlineTriesWhatWaits(t *testing.T) {
	o := newTask(connected(t, withDisk), true)
	o.input("offline", (*mcp.Client).Offline)
	for range 6 {
		for _, method := range []string{"tasks/get", "tasks/result"} {
			x, _ := o.asked(method, 120_000)
			o.End(x, engine.EndNetwork)
		}
	}
	o.input("online", (*mcp.Client).Online)
	for _, method := range []string{"tasks/get", "tasks/result"} {
		if x, took := o.asked(method, 0); x == 0 {
			o.fatal("%s is not asked for when the network is back, %d ms later", method, took)
		}
	}
}
