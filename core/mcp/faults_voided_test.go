package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// onStreamAs makes a durable call with such flags, that the server answers with an event stream.
func (r *rig) onStreamAs(o mcp.CallOptions) *onStream {
	r.t.Helper()
	o.Durable = true
	c := r.Call("tools/call", `{"name":"work"}`, o)
	r.store()
	s := &onStream{rig: r, c: c}
	s.onNewest()
	s.accept()
	return s
}

// onNewest has the newest exchange carry the call.
func (o *onStream) onNewest() {
	o.x = o.Newest()
	o.id = coretest.RequestID(o.Exchange(o.x).Request)
}

// asks has the server ask a person something under id 1, as event id.
func (o *onStream) asks(id, what string) {
	o.t.Helper()
	o.event(id, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"`+what+`"}}`)
}

// agrees answers the question with that handle. What is to be stored waits.
func (r *rig) agrees(handle uint32) {
	r.input("respond",
		func(m *mcp.Client, now engine.Time) { m.Respond(now, handle, true, []byte(`{"action":"accept"}`)) })
}

// sessionIsGone has another call find out that the session is gone; the next one is made.
func (r *rig) sessionIsGone() {
	r.t.Helper()
	other := r.post("tools/list")
	other.Head(other.x, 404)
	if r.waits("initialize") == 0 { // whoever has the lease makes it
		r.input("lease", (*mcp.Client).Handshake)
	}
	other.nextSession("s2")
}

// wantNoAnswer checks that no answer of a person's leaves in the next seconds.
func (o *onStream) wantNoAnswer() {
	o.t.Helper()
	for range 4 {
		for _, x := range o.UnderWay() {
			if strings.Contains(o.body(x), `"accept"`) {
				session, _ := o.field(x, "Mcp-Session-Id")
				o.fatal("an answer to another question goes to session %s: %s", session, o.body(x))
			}
		}
		o.store()
		if d := o.NextDeadline(); d >= 0 && d < 1500 {
			o.Advance(d)
		}
	}
}

// Fault 520: a person has answered what a task asked in its session. Before that is stored the
// session is lost, and the task goes on in the next one, which asks something else under the
// same id. The answer is not stored with what the new session asks: the next page asks
// the person, and sends no answer.
func TestFault520_AnswerOfTheSessionBefore(t *testing.T) {
	r := connected(t, askingDisk)
	r.store()
	r.Advance(5000)
	o := newTask(r, true)
	o.x, _ = o.asked("tasks/result", 10_000)
	o.accept()
	o.asks("e1", "Your name?")
	o.store()
	o.event("e2", coretest.Progress(o.id, 1)) // its commit is slow
	o.agrees(1)
	o.cut(engine.EndNetwork)
	o.sessionIsGone()
	o.Advance(1000) // it is written that the task goes on there, behind that commit
	o.x, _ = o.asked("tasks/result", 10_000)
	o.accept()
	o.asks("f1", "Delete all?")
	o.store()
	o = o.reloads()
	o.wantNoAnswer()
	o.wantTold(engine.EventRequest, "Delete all?", 1)
}

// runAgain has a call of a session that is gone run again in the next one, while the commit of
// what came last is under way.
func (o *onStream) runAgain() {
	o.t.Helper()
	o.cut(engine.EndNetwork)
	o.sessionIsGone()
	o.Advance(100) // it is written that it leaves again, behind that commit
	if o.x, _ = o.asked("tools/call", 10_000); o.x == 0 {
		o.fatal("not run again")
	}
	o.id = coretest.RequestID(o.Exchange(o.x).Request)
}

// Fault 520: the same where the call is run again in the next session.
func TestFault520_AnswerOfTheRunBefore(t *testing.T) {
	r := connected(t, askingDisk)
	r.store()
	r.Advance(5000)
	o := r.onStreamAs(mcp.CallOptions{Flags: journal.Idempotent})
	o.asks("e1", "Your name?")
	o.store()
	o.progress(2) // its commit is slow
	o.agrees(1)
	o.runAgain()
	o.accept()
	o.asks("f1", "Delete all?")
	o.store()
	o = o.reload(0, 0)
	o.wantNoAnswer()
	if n := o.told(engine.EventRequest, "Delete all?"); n != 1 {
		o.fatal("the person is asked %d times", n)
	}
}

// Fault 520: a call is run again while the commit that its events wait behind is slow: one
// row has them, and that the request leaves again. The cursor of the old stream is not stored
// for the new one: the next page does not resume the new run from it.
func TestFault520_CursorOfTheRunBefore(t *testing.T) {
	r := connected(t, mcp.Config{Journal: true, NoListen: true})
	r.store()
	r.Advance(5000)
	o := r.onStreamAs(mcp.CallOptions{Flags: journal.Idempotent})
	o.progress(1)
	o.progress(2) // the commit of event 1 is under way, and slow
	o.runAgain()
	o = o.reload(0, 0)
	o.store()
	if x, _ := o.nextFetch(10_000); x != 0 {
		if cursor, ok := o.field(x, "Last-Event-ID"); ok {
			o.fatal("the new run is resumed from %q of the old one", cursor)
		}
	}
}
