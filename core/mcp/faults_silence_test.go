package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// silent lets nothing arrive until the stream is given up, and returns how
// long that took in ms, 0 for never within ten minutes.
func (o *onStream) silent() int64 {
	o.t.Helper()
	for began := o.Now; o.Now.Since(began) < 600_000; {
		d := o.NextDeadline()
		if d < 0 {
			return 0
		}
		o.Advance(d)
		if o.Exchange(o.x).Over {
			return o.Now.Since(began)
		}
	}
	return 0
}

// Fault 40: a connection whose other end is gone reports nothing, neither
// bytes nor an error. After 180 s of silence it is aborted and resumed.
func TestFault40_SilenceIsACut(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.progress(1)
	o.Advance(179_999)
	if o.Exchange(o.x).Over {
		t.Fatal("given up early")
	}
	o.say(": still here\n\n") // a byte of any kind counts
	if after := o.silent(); after != 180_000 {
		t.Errorf("given up after %d ms", after)
	}
	if status := o.lastStatus(); !strings.HasPrefix(status, `{"state":"cut","why":"silent","attempt":1,`) {
		t.Errorf("status %s", status)
	}
	if from, waited := o.resume(); from != "e1" || waited > 250 {
		t.Errorf("resumed from %q after %d ms", from, waited)
	}
	o.progress(2)
	o.wantProgress(1, 2)
	if n := o.posted("notifications/cancelled"); n != 0 {
		t.Error("a cut cancels nothing")
	}
}

// Fault 40: where the server shows at which interval it keeps a quiet stream
// alive, four missed beats are enough, though never less than 30 s.
func TestFault40_KeepAlivesLowerTheLimit(t *testing.T) {
	for every, limit := range map[int64]int64{1_000: 30_000, 7_000: 30_000, 10_000: 40_000, 15_000: 60_000,
		60_000: 180_000} {
		o := connected(t, mcp.Config{}).primed("p")
		for range 4 {
			o.Advance(every)
			o.say(":\n\n")
		}
		if after := o.silent(); after != limit {
			t.Errorf("keep-alives every %d ms: given up after %d ms, want %d", every, after, limit)
		}
	}
}

// Fault 40: the pieces of one large event are no keep-alives. If they were, a
// tool that thinks for a minute after a large message would be cut off.
func TestFault40_PiecesOfAnEventAreNoKeepAlives(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	o.say("data: {\"jsonrpc\":\"2.0\",")
	for range 10 {
		o.Advance(10)
		o.say(strings.Repeat(" ", 1000))
	}
	o.say(`"method":"notifications/message","params":{}}` + "\n\n")
	if after := o.silent(); after != 180_000 {
		t.Errorf("given up after %d ms", after)
	}
}

// Fault 40: a server's keep-alive timer may run on while events come. Its
// period is the time between two keep-alives, not the quiet before one.
func TestFault40_KeepAlivesAmongEvents(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	n := 0
	for range 5 {
		for range 45 {
			o.Advance(1_000)
			n++
			o.progress(n)
		}
		o.say(": 45 s\n\n")
	}
	if after := o.silent(); after != 180_000 {
		t.Errorf("given up after %d ms, before the second keep-alive", after)
	}
}

// Fault 40: nor is a comment that comes with an event: it says nothing of what the
// server sends while a tool thinks.
func TestFault40_CommentsWithEventsAreNoKeepAlives(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	for n := range 5 {
		o.Advance(100)
		o.say(": page\n\n" + coretest.Message(fmt.Sprint("e", n), coretest.Progress(o.id, n)))
	}
	if after := o.silent(); after != 180_000 {
		t.Errorf("given up after %d ms", after)
	}
}

// Fault 40: a stream without a cursor cannot go on after silence: the app is
// told that the outcome is unknown rather than left waiting.
func TestFault40_SilenceWithoutACursor(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	if after := o.silent(); after != 180_000 {
		t.Errorf("given up after %d ms", after)
	}
	o.wantFailure(engine.CodeOutcomeUnknown)
	o.wantIdle()
}

// Fault 40: the cause is the one that MCP clients in use give, by which apps know such an end: of a tool's
// call, and of a request that may be made again. A stream that is cut has none.
func TestFault40_StreamReadTimeoutIsTheCause(t *testing.T) {
	for _, method := range []string{"tools/call", "resources/read"} {
		for _, silent := range []bool{true, false} {
			o := connected(t, mcp.Config{}).stream(method)
			if silent {
				o.silent()
			} else {
				o.cut(engine.EndNetwork)
			}
			cause := o.call(o.c).settled.Failure.Cause
			if named := cause != nil && strings.Contains(cause.Error(),
				"-32000 Stream read timeout"); named != silent {
				o.fatal("%s, silent %t: the cause is %v", method, silent, cause)
			}
		}
	}
}

// Fault 40: a request that gets no answer at all ends after 120 s, and the
// server is told that nobody waits.
func TestFault40_AnswerTimeout(t *testing.T) {
	o := connected(t, mcp.Config{}).post("tools/call")
	o.Advance(119_999)
	o.wantPending()
	o.Advance(1)
	o.wantFailure(engine.CodeTimeout)
	if n := o.posted(`"notifications/cancelled"`, `"requestId":`+o.id+`,`); n != 1 {
		t.Errorf("%d notifications/cancelled", n)
	}
	if !o.Exchange(o.x).Over {
		t.Error("the POST is still open")
	}
	o.Head(o.Newest(), 202)
	o.End(o.Newest(), engine.EndClean)
	o.wantIdle()
}

// Fault 40: initialize must not be cancelled (2025-11-25 basic/lifecycle).
func TestFault40_InitializeTimeout(t *testing.T) {
	r := newRig(t, mcp.Config{})
	r.Start()
	r.Advance(120_000)
	if n := r.posted("notifications/cancelled"); n != 0 {
		t.Error("initialize is cancelled")
	}
	if last := r.states[len(r.states)-1]; last != `{"state":"failed"}` {
		t.Errorf("state %s", last)
	}
	r.wantIdle()
}

// Fault 40: a total time limits the call however lively its stream is.
func TestFault40_TotalTimeout(t *testing.T) {
	r := connected(t, mcp.Config{Timeouts: mcp.Timeouts{Total: 60_000}})
	o := r.primed("p")
	for n := 1; n < 60; n++ {
		o.Advance(1_000)
		o.progress(n)
	}
	o.wantPending()
	o.Advance(1_000)
	o.wantFailure(engine.CodeTimeout)
	if n := o.posted(`"notifications/cancelled"`, `"requestId":`+o.id+`,`); n != 1 {
		t.Errorf("%d notifications/cancelled", n)
	}
}

// Fault 40: a reconnect that gets no answer is given up (fault 130: when) and
// tried again from the same place.
func TestFault40_ReconnectWithoutAnswer(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	for range 5 {
		o.resumeStarts()
		if after := o.silent(); after < 15_000 || after > 120_000 {
			t.Fatalf("given up after %d ms", after)
		}
		o.wantPending()
	}
	if from, _ := o.resume(); from != "p" {
		t.Errorf("resumed from %q", from)
	}
}

// Fault 40: a JSON answer that stops in the middle ends as well.
func TestFault40_SilenceInAJSONBody(t *testing.T) {
	o := connected(t, mcp.Config{}).post("tools/call")
	o.Head(o.x, 200, "content-type", "application/json")
	o.say(`{"jsonrpc":`)
	if after := o.silent(); after != 180_000 {
		t.Errorf("given up after %d ms", after)
	}
	o.wantFailure(engine.CodeTimeout)
}

// Fault 40: a resumed stream that stays silent is asked for again soon at
// first, and then no more often than any other, however long that goes on.
func TestFault40_SilentAfterResume(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	o.resume()
	previous, reconnects := int64(0), 0
	for began := o.Now; o.Now.Since(began) < 72*hour; reconnects++ {
		after := o.silent()
		if after < 5_000 || after > 180_000 || after < previous {
			t.Fatalf("reconnect %d: given up after %d ms, before that after %d", reconnects+1, after,
				previous)
		}
		previous = after
		o.resume()
	}
	if previous != 180_000 || reconnects > 72*20+10 {
		t.Errorf("%d reconnects, the last after %d ms", reconnects, previous)
	}
	o.progress(1)
	o.result("e2")
	o.wantResult()
}
