package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// wantTaskCancelled cancels the call, and checks that its task is cancelled in the next seconds, and that
// notifications/cancelled, which is not for tasks, is not sent.
func (o *onTask) wantTaskCancelled(cancelled func()) {
	o.t.Helper()
	o.cancel(o.c)
	o.store()
	o.wantFailure(engine.CodeCancelled)
	cancelled()
	o.asked("tasks/cancel", 10_000)
	if n := o.posted(`"tasks/cancel"`, `"taskId":"T"`); n != 1 {
		o.fatal("the task is cancelled %d times", n)
	}
	if o.posted(`"notifications/cancelled"`) != 0 {
		o.fatal("notifications/cancelled for a task")
	}
}

// Fault 529: a call that an earlier page's task carries waits for a connection, or for the server, and is
// cancelled. Its task is cancelled at the server.
func TestFault529_CancelOfATaskThatWaits(t *testing.T) {
	for _, connected := range []bool{true, false} {
		o := restoredTask(t)
		start := func() {
			o.Start()
			o.store()
		}
		if connected {
			o.input("hold", func(m *mcp.Client, now engine.Time) { m.Hold(now, o.c, true) })
			start()
			start = func() {}
		}
		o.wantTaskCancelled(start)
	}
}

// restoredTask is a page that is not started yet, of a call that a task carries.
func restoredTask(t *testing.T) *onTask {
	r := connected(t, mcp.Config{Journal: true, NoListen: true})
	r.store()
	o := newTask(r, true)
	o.store()
	o.World.Reload()
	next := &onTask{&onStream{rig: &rig{MCP: o.MCP, t: t, calls: map[engine.CallID]*record{}}, id: o.id}}
	for _, e := range o.Effects {
		if e.Kind == engine.Recall {
			next.c = e.C
			next.calls[e.C] = &record{recalled: true}
		}
	}
	next.audit()
	return next
}

// Fault 529: a task outlives its session. Its call is cancelled while the next session is being made.
func TestFault529_CancelOfATaskBetweenSessions(t *testing.T) {
	o, other := taskBetweenSessions(t)
	o.wantTaskCancelled(func() { other.nextSession("s2") })
}

// taskBetweenSessions makes a call that a task carries, and loses its session: other is what has found that.
func taskBetweenSessions(t *testing.T) (o *onTask, other *onStream) {
	r := connected(t, mcp.Config{Journal: true, NoListen: true})
	r.store()
	r.Advance(5000)
	o = newTask(r, true)
	o.store()
	other = r.post("tools/list")
	other.Head(other.x, 404)
	return o, other
}
