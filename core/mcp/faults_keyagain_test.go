package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 493: a call with a key ends, and its app has done with it, while the store is away;
// then the app makes a call with the same key. Once the store works again that is a call of
// its own, and runs: the store has the old one still, which is not what the app asks for.
func TestFault493_KeyUsedAgainWhileTheStoreIsAway(t *testing.T) {
	for _, how := range []string{"the store is asked again", "a late commit lands"} {
		r := connected(t, withDisk)
		options := mcp.CallOptions{Durable: true, Connected: true, Key: "k",
			Timeouts: mcp.Timeouts{Send: 60_000}}
		c := r.Call("tools/call", `{"name":"work"}`, options)
		r.store()
		o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
		o.Head(o.x, 200, "content-type", coretest.Stream)
		o.progress(1)
		o.Advance(durable.CommitWithin) // the store hangs
		o.result("e2")
		o.wantResult()
		o.World.Input("done", func(m *mcp.Client, now engine.Time) { m.Ack(now, c, 0, 7) })
		before := len(o.World.Fetches())
		again := o.rig.Call("tools/call", `{"name":"work"}`, options)
		if now := len(o.World.Fetches()); now != before {
			o.fatal("it leaves before the store has said whose the key is")
		}
		if how == "a late commit lands" {
			late := o.Store.Land()
			o.World.Input("late",
				func(m *mcp.Client, now engine.Time) { m.Stored(now, late, journal.ResultOK, 0) })
		} else {
			o.Store.Land()
			o.Advance(30_000)
		}
		for o.Store.Flying() != 0 {
			o.rig.store()
		}
		x := o.Newest()
		o.Head(x, 200, "content-type", coretest.JSON)
		o.Chunk(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), `{"content":[],"again":true}`))
		o.End(x, engine.EndClean)
		for o.Store.Flying() != 0 {
			o.rig.store()
		}
		if s := o.call(again).settled; s == nil || string(s.Data) != `{"content":[],"again":true}` {
			o.fatal("%s: the second call with the key came to %v", how, s)
		}
	}
}
