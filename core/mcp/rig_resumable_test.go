package mcp_test

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// policyFor is a resume policy for the request with that id; more are further
// members of its params, with a comma before each.
func policyFor(id, token, more string) string {
	return `{"jsonrpc":"2.0","method":"notifications/requests/resumePolicy","params":{"requestId":` + id +
		`,"resumeToken":` + token + more + `}}`
}

// resumable makes a call whose server sends a resume policy with token "tok".
func (r *rig) resumable(more string, o mcp.CallOptions) *onStream {
	r.t.Helper()
	c := r.Call("tools/call", `{"name":"work"}`, o)
	r.store()
	s := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	s.Head(s.x, 200, "content-type", coretest.Stream)
	s.event("", policyFor(s.id, `"tok"`, more))
	r.store()
	return s
}

// store stores whatever is to be stored. Whoever has the id of a task has the task, so that it rests in plain
// nowhere (fault 122): neither in a row that stays, nor in one that the next commit deletes.
func (r *rig) store() {
	r.t.Helper()
	for r.Store.Flying() != 0 {
		r.Stored(journal.ResultOK, 0)
		r.inPlain(`"taskId":"T"`)
		r.audit()
	}
}

// resumePost waits for requests/resume, which has to have the call's id and this
// token, and leaves it unanswered. It returns how long that took.
func (o *onStream) resumePost(token string, limit int64) int64 {
	o.t.Helper()
	before, began := o.x, o.Now
	for o.store(); o.Newest() == before; o.store() {
		d := o.NextDeadline()
		if d < 0 || o.Now.Since(began)+d > limit {
			o.fatal("no resume within %d ms", limit)
		}
		o.Advance(d)
	}
	o.x = o.Newest()
	want := `{"jsonrpc":"2.0","id":` + o.id + `,"method":"requests/resume","params":{"resumeToken":` + token +
		`}}`
	if r := o.Exchange(o.x).Request; r.Method != "POST" || string(r.Body) != want {
		o.fatal("resumed with %s %s, want %s", r.Method, r.Body, want)
	}
	return o.Now.Since(began)
}

// accept answers the resume with an event stream.
func (o *onStream) accept() { o.t.Helper(); o.Head(o.x, 200, "content-type", coretest.Stream) }

// answer answers the exchange that carries the call with a JSON body.
func (o *onStream) answer(status int, body string) {
	o.t.Helper()
	o.Head(o.x, status, "content-type", coretest.JSON)
	o.Chunk(o.x, body)
	o.End(o.x, engine.EndClean)
	o.store()
}

func (r *rig) park(c engine.CallID, parked bool) {
	r.input("park", func(m *mcp.Client, now engine.Time) { m.Park(now, c, parked) })
}

// told counts a call's events of a kind with that text in them.
func (o *onStream) told(kind engine.EventKind, text string) int {
	n := 0
	for _, e := range o.call(o.c).events {
		if e.Event == kind && strings.Contains(string(e.Data), text) {
			n++
		}
	}
	return n
}

// wantLost checks that the call was lost, that the app was told so once, and that
// nothing of it is left: no token, no exchange, no timer.
func (o *onStream) wantLost() {
	o.t.Helper()
	o.store()
	o.wantFailure(engine.CodeLost)
	if n := o.told(engine.EventResumed, `"lost"`); n != 1 {
		o.fatal("told %d times that the call is lost", n)
	}
	if x, _ := o.nextFetch(24 * hour); x != 0 {
		o.fatal("exchange %d follows", x)
	}
	o.wantIdle()
}

// reload replaces the page after it was gone for so many ms, in which the wall
// clock was put on by jump. The call that its store had is returned.
func (o *onStream) reload(away, jump int64) *onStream {
	o.t.Helper()
	o.JumpWall(jump)
	o.World.Reload()
	next := &onStream{rig: &rig{MCP: o.MCP, t: o.t,
		calls: map[engine.CallID]*record{}}, id: o.id}
	for _, e := range o.Effects {
		if e.Kind == engine.Recall {
			next.c = e.C
			next.calls[e.C] = &record{recalled: true}
		}
	}
	if next.c == 0 {
		o.fatal("the store has no call")
	}
	next.audit()
	next.Now = next.Now.After(away)
	next.Start()
	return next
}
