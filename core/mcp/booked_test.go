package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestWhatIsHeldIsBooked: what the client believes that the store holds, by which it
// makes room, is what its calls come to, through the life of each and after it.
func TestWhatIsHeldIsBooked(t *testing.T) {
	r := connected(t, withDisk)
	check := func(when string, more bool) {
		t.Helper()
		r.store()
		held, sum, records := r.Client.Booked()
		if held != sum || (held > 0) != more {
			r.fatal("%s: %d bytes are held, of calls with %d", when, held, sum)
		}
		if when == "forgotten" && records > 0 {
			r.fatal("%d calls are never forgotten", records)
		}
	}
	check("before any call", false)
	for _, tail := range []bool{false, true} {
		for n := range 2 {
			o := r.resumable("", mcp.CallOptions{Durable: true})
			check("a call", true)
			for n := range 3 {
				o.progress(n)
				check("progress", true)
			}
			if n == 1 {
				r.cancel(o.c)
			} else {
				o.result("e9")
			}
			check("its end", true)
			if !tail && !r.Exchange(o.x).Over {
				o.End(o.x, engine.EndClean)
			}
			check("the end of its stream", true)
			r.input("ack", func(c *mcp.Client, now engine.Time) { c.Ack(now, o.c, 0, 0) })
			check("deleted", false)
			if !r.Exchange(o.x).Over {
				o.End(o.x, engine.EndClean)
			}
			for _, x := range r.UnderWay() { // what tells the server
				r.Head(x, 202)
				r.End(x, engine.EndClean)
			}
			check("forgotten", false)
		}
	}
}

// TestReconnectTimeIsRewritten: the store comes back before anybody has gone on with
// a call of an earlier page. What is rewritten has the reconnect time as it was: 0
// is one, and none is none.
func TestReconnectTimeIsRewritten(t *testing.T) {
	for retry, want := range map[string]int64{"": -1, "retry: 0\n": 0, "retry: 9000\n": 9_000} {
		r := connected(t, mcp.Config{Journal: true, NoListen: true, HasTokenProvider: true})
		c := r.Call("tools/call", `{"name":"work"}`, durably)
		r.store()
		o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.say("id: p\n" + retry + "data:\n\n")
		o.store()
		call := o.Store.Calls()[0]
		o = o.reload(0, 0) // it waits for a token
		for range 2 {
			if got := o.Store.Record(call).Retry; got != want {
				o.fatal("%q is stored as %d, want %d", retry, got, want)
			}
			o.storeIsBack()
			o.store()
		}
	}
}
