package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// outlives are the ways in which a page learns that the session of a call is gone, while the
// call's stream is up.
var outlives = map[string]func(r *rig){
	"another call finds out": func(r *rig) { r.sessionIsGone() },
	"another tab tells": func(r *rig) {
		r.input("session", func(m *mcp.Client, now engine.Time) { m.Restore(now, serverRow(later, "s3")) })
	},
}

// Fault 526: the session of a call is gone, and its stream, which nothing can follow, still brings
// events. The app is told that a reload would lose the call, and nothing that the page does
// cuts the stream: the tool is silent for a minute then, and the result comes.
func TestFault526_StreamThatOutlivesItsSession(t *testing.T) {
	does := map[string]func(o *onStream){
		"held": func(o *onStream) {
			o.input("hold", func(m *mcp.Client, now engine.Time) { m.Hold(now, o.c, true) })
		},
		"parked": func(o *onStream) { o.park(o.c, true) },
		"online": func(o *onStream) { o.online() },
		"awake":  func(o *onStream) { o.woke(1000) },
		"seen":   func(o *onStream) { o.input("shown", (*mcp.Client).Shown) },
	}
	for how, find := range outlives {
		for what, do := range does {
			t.Run(how+", "+what, func(t *testing.T) {
				r := connected(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
				r.store()
				r.Advance(5000)
				o := r.onStreamAs(mcp.CallOptions{})
				o.progress(1)
				o.store()
				if what == "online" {
					o.online() // it has to prove that it lives, when its session is lost
				}
				find(r)
				if n := o.told(engine.EventGuarantee, `"lost-on-reload"`); n != 1 {
					o.fatal("told %d times that a reload would lose it", n)
				}
				o.progress(2)
				o.store()
				do(o)
				for range 5 {
					if d := o.NextDeadline(); d >= 0 && d < 60_000 {
						o.Advance(d)
					}
					o.store()
				}
				if o.Exchange(o.x).Over {
					o.fatal("its stream is cut")
				}
				o.result("e3")
				o.store()
				o.wantResult()
				if n := o.told(engine.EventGuarantee, `"resumable"`); n != 1 {
					o.fatal("told %d times that it is resumable", n)
				}
			})
		}
	}
}

// Fault 526: a page that is loaded then has the call lost, as its app was told.
func TestFault526_ReloadOfAStreamThatOutlivesItsSession(t *testing.T) {
	for how, find := range outlives {
		t.Run(how, func(t *testing.T) {
			r := connected(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
			r.store()
			r.Advance(5000)
			o := r.onStreamAs(mcp.CallOptions{})
			o.progress(1) // its commit is under way, and would have it resumable
			find(r)
			o.store()
			if o.told(engine.EventGuarantee, `"resumable"`) != 0 {
				o.fatal("told that it is resumable")
			}
			if how != "another tab tells" { // whose session the store has, too
				o = o.reload(0, 0)
				o.store()
				o.wantFailure(engine.CodeLost)
			}
		})
	}
}
