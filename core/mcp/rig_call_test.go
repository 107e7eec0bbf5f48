package mcp_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// onStream is a call that an event stream carries.
type onStream struct {
	*rig
	c  engine.CallID
	x  engine.ExchangeID // the exchange that carries it now
	id string            // its request id on the wire
}

// post makes a call and leaves its POST unanswered.
func (r *rig) post(method string) *onStream {
	r.t.Helper()
	c := r.Call(method, `{"name":"work"}`, mcp.CallOptions{})
	return &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
}

// stream makes a call that the server answers with an event stream.
func (r *rig) stream(method string) *onStream {
	r.t.Helper()
	o := r.post(method)
	o.Head(o.x, 200, "content-type", coretest.Stream)
	return o
}

// primed is stream with a priming event of that id.
func (r *rig) primed(id string) *onStream {
	r.t.Helper()
	o := r.stream("tools/call")
	o.say("id: " + id + "\ndata:\n\n")
	return o
}

// say sends bytes on the stream.
func (o *onStream) say(text string) { o.t.Helper(); o.Chunk(o.x, text) }

// event sends one event; id may be empty.
func (o *onStream) event(id, json string) { o.t.Helper(); o.say(coretest.Message(id, json)) }

// progress sends progress n as event "e<n>".
func (o *onStream) progress(n int) {
	o.t.Helper()
	o.event(fmt.Sprintf("e%d", n), coretest.Progress(o.id, n))
}

// result sends the response.
func (o *onStream) result(id string) {
	o.t.Helper()
	o.event(id, coretest.Result(o.id, `{"content":[]}`))
}

// cut ends the exchange that carries the call.
func (o *onStream) cut(how engine.Ending) { o.t.Helper(); o.End(o.x, how) }

// resume waits for the reconnect and accepts it. It returns the Last-Event-ID
// that was sent and how long the client waited, in ms.
func (o *onStream) resume() (string, int64) {
	o.t.Helper()
	waited := o.resumeStarts()
	id, _ := o.field(o.x, "Last-Event-ID")
	o.Head(o.x, 200, "content-type", coretest.Stream)
	return id, waited
}

// resumeStarts waits for the reconnect, which is left unanswered.
func (o *onStream) resumeStarts() int64 {
	o.t.Helper()
	x, waited := o.Newest(), int64(0)
	if e := o.Exchange(x); x <= o.x || e.Request.Method != "GET" || e.Head || e.Over {
		x, waited = o.nextFetch(60_000) // else it came with the cut, after 0 ms
	}
	if x == 0 || o.Exchange(x).Request.Method != "GET" {
		o.fatal("no reconnect within %d ms", waited)
	}
	o.x = x
	return waited
}

// wantProgress checks that exactly these progress numbers came, in order.
func (o *onStream) wantProgress(want ...int) {
	o.t.Helper()
	if got := o.call(o.c).numbers(); !slices.Equal(got, want) {
		o.fatal("progress %v, want %v", got, want)
	}
}

// numbers returns the progress numbers that came.
func (c *record) numbers() []int {
	list := []int{}
	for _, p := range c.progress {
		var n int
		_, after, _ := strings.Cut(p, `"progress":`)
		fmt.Sscanf(after, "%d", &n)
		list = append(list, n)
	}
	return list
}

// wantResult checks that the call has its result.
func (o *onStream) wantResult() {
	o.t.Helper()
	s := o.call(o.c).settled
	if s == nil || s.Outcome != engine.OutcomeResult {
		o.fatal("the call has no result")
	}
}

// wantFailure checks that the call was rejected with a code.
func (o *onStream) wantFailure(code engine.Code) {
	o.t.Helper()
	s := o.call(o.c).settled
	if s == nil || s.Outcome != engine.OutcomeFailure || s.Failure.Code != code {
		o.fatal("the call is not rejected with %s", code)
	}
}

// wantPending checks that the call has not settled.
func (o *onStream) wantPending() {
	o.t.Helper()
	if s := o.call(o.c).settled; s != nil {
		o.fatal("the call has settled: %s", coretest.Describe(*s))
	}
}

// lastStatus returns the call's latest status event.
func (o *onStream) lastStatus() string {
	events := o.call(o.c).events
	for _, e := range slices.Backward(events) {
		if e.Event == engine.EventStatus {
			return string(e.Data)
		}
	}
	return ""
}

// wantIdle checks that nothing is left: no exchange, no timer, no memory.
func (r *rig) wantIdle() {
	r.t.Helper()
	if xs := r.UnderWay(); len(xs) > 0 {
		r.fatal("exchanges %v are still open", xs)
	}
	if d := r.NextDeadline(); d >= 0 {
		r.fatal("a timer is still set, for %d ms from now", d)
	}
	if held := r.Client.Held(); held != (mcp.Held{}) {
		r.fatal("the client still holds %+v", held)
	}
}
