package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

const elicitation = `{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"?"}}`

var askingDisk = mcp.Config{Journal: true, NoListen: true, Handles: []string{"elicitation/create"}}

// inNextSession makes a call with a resume policy, whose session is lost, and which the next
// one resumes: in that one it is asked something, of which the page before it knows nothing.
func inNextSession(t *testing.T) *onStream {
	t.Helper()
	o := connected(t, askingDisk).resumable("", durably)
	o.progress(1)
	o.store()
	o.resumesInTheNextSession()
	o.event("e2", elicitation)
	o.store()
	o.wantAsked(1)
	return o
}

// resumesInTheNextSession cuts the stream of a call with a resume policy, and has the server
// forget its session: the call is resumed in the next one.
func (o *onStream) resumesInTheNextSession() {
	o.t.Helper()
	o.cut(engine.EndNetwork)
	o.resumePost(`"tok"`, hour)
	o.Head(o.x, 404)
	o.nextSession("s2")
	o.resumedIn("s2")
	o.accept()
}

// wantAsked checks how often this page was asked.
func (o *onStream) wantAsked(n int) {
	o.t.Helper()
	if got := o.told(engine.EventRequest, `"q1"`); got != n {
		o.fatal("asked %d times, want %d", got, n)
	}
}

// respond answers the question that was asked last.
func (o *onStream) respond() {
	o.t.Helper()
	for _, e := range o.call(o.c).events {
		if e.Event == engine.EventRequest {
			o.input("respond",
				func(m *mcp.Client, now engine.Time) {
					m.Respond(now, e.Position, true,
						[]byte(`{"action":"accept"}`))
				})
		}
	}
	o.store()
}

// Fault 488: a call goes on in the next session by its token, and is asked something there.
// The next page asks it, however often its record is written again; what was answered and
// not taken it sends, and what was taken it asks nobody.
func TestFault488_AskedInTheNextSession(t *testing.T) {
	for _, again := range []bool{false, true} {
		next := func(o *onStream) *onStream {
			if again {
				o.storeIsBack()
				o.store()
			}
			o = o.reload(0, 0)
			o.store()
			o.Advance(0)
			return o
		}
		o := next(next(inNextSession(t)))
		o.wantAsked(1)
		o.respond()
		if o.posted(`"action":"accept"`) != 1 {
			o.fatal("the answer is not sent")
		}
		o = next(o)
		o.wantAsked(0)
		if o.posted(`"action":"accept"`) != 1 {
			o.fatal("the answer is not sent again")
		}
		for _, x := range o.UnderWay() {
			if strings.Contains(o.body(x), `"action":"accept"`) {
				o.Head(x, 202)
				o.End(x, engine.EndClean)
			}
		}
		o.store()
		o = next(o)
		o.wantAsked(0)
		if o.posted(`"action":"accept"`) != 0 {
			o.fatal("the answer is sent again")
		}
	}
}

// Fault 488: what the session before has asked, and nobody has answered, nobody waits for:
// no later page asks it, also where the record is written again while it is on the screen.
func TestFault488_AskedInTheSessionBefore(t *testing.T) {
	for _, again := range []bool{false, true} {
		o := connected(t, askingDisk).resumable("", durably)
		o.event("e1", elicitation)
		o.store()
		o.resumesInTheNextSession()
		o.store()
		if again {
			o.storeIsBack()
			o.store()
		}
		o = o.reload(0, 0)
		o.store()
		o.wantAsked(0)
	}
}

// Fault 488: a task whose result is asked for in the next session is asked something on the
// way to it, which its server sends once. The next page asks it, and resumes that stream.
func TestFault488_TaskInTheNextSession(t *testing.T) {
	for _, answered := range []bool{true, false} {
		taskInNextSession(t, answered)
	}
}

func taskInNextSession(t *testing.T, answered bool) {
	t.Helper()
	o := newTask(connected(t, askingDisk), true)
	x, _ := o.asked("tasks/result", hour)
	o.Head(x, 404)
	o.nextSession("s2")
	x, _ = o.asked("tasks/result", hour)
	if session, _ := o.field(x, "Mcp-Session-Id"); session != "s2" {
		o.fatal("asked in %q", session)
	}
	o.store()
	o.Head(x, 200, "content-type", "text/event-stream")
	o.x = x
	o.event("f1", strings.Replace(elicitation, `"message"`,
		`"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}},"message"`, 1))
	o.store()
	o.wantAsked(1)
	if answered {
		o.respond()
		if o.posted(`"action":"accept"`) != 1 {
			o.fatal("the answer is not sent")
		}
		return
	}
	o = o.reloads()
	o.store()
	o.wantAsked(1)
	for range 5 {
		o.Advance(max(o.NextDeadline(), 0))
		o.store()
	}
	for _, x := range o.UnderWay() {
		if id, _ := o.field(x, "Last-Event-ID"); id == "f1" {
			return
		}
	}
	o.fatal("the stream is not resumed")
}
