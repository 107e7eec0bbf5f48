package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 489: while the store is away the server forgets the session, and a call runs in the
// next one; then the store works again. The next page has that session, and resumes the call
// in it, as its guarantee says.
func TestFault489_SessionMadeWithoutAStore(t *testing.T) {
	for _, how := range []string{"away", "its commit fails"} {
		sessionMadeWithoutAStore(t, how == "away")
	}
}

func sessionMadeWithoutAStore(t *testing.T, away bool) {
	t.Helper()
	gone := func(m *mcp.Client, now engine.Time) { m.StoreGone(now, durable.ReasonLost) }
	r := connected(t, withDisk)
	c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
	r.store()
	first := r.Newest()
	if away {
		r.input("gone", gone)
	}
	r.Head(first, 404)
	o := &onStream{rig: r, c: c}
	o.nextSession("s2")
	if !away {
		o.Stored(journal.ResultFailed, durable.ReasonFailed)
		o.audit()
	}
	o.x = o.waits("tools/call")
	o.id = coretest.RequestID(o.Exchange(o.x).Request)
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.progress(1)
	o.input("back", func(m *mcp.Client, now engine.Time) { m.Stored(now, 0, journal.ResultOK, 0) })
	o.store()
	if o.told(engine.EventGuarantee, "resumable") != 1 {
		o.fatal("it is not resumable")
	}
	o = o.reload(0, 0)
	if cursor, _ := o.resume(); cursor != "e1" {
		o.fatal("resumed from %q", cursor)
	}
	if session, _ := o.field(o.x, "Mcp-Session-Id"); session != "s2" {
		o.fatal("resumed in session %q", session)
	}
}
