package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
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
			for x, _ = o.nextFetch(60_000); o.Exchange(x).Request.Method != "GET"; x, _ = o.nextFetch(60_000) {
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
		{"a stream without a cursor", func(o *onTask, x engine.ExchangeID) { streams(o, x); o.End(x, engine.EndNetwork) }, 3, ""},
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
		{"half an answer", func(o *onTask, x engine.ExchangeID) { o.json(x, `{"jsonrpc":"2.0","id":`) }, 4, ""},
		{"never a whole answer", func(o *onTask, x engine.ExchangeID) { o.json(x, `{"jsonrpc":"2.0","id":`) }, 5, engine.CodeProtocol},
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
		return `"` + key + `":{"method":"elicitation/create","params":{"message":"` + strings.Repeat("m", 5<<20) + `"}}`
	}
	poll := func(keys ...string) {
		var requests []string
		for _, key := range keys {
			requests = append(requests, request(key))
		}
		o.gives("tasks/get", `{"taskId":"T","status":"input_required","inputRequests":{`+strings.Join(requests, ",")+`}}`)
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
