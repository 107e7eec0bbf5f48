package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// keptAlive sends keep-alives and nothing more for so many ms, the first soon enough that silence is not in
// doubt, and returns when the client asked for the stream once more: after how many ms; 0 if it did not.
func (o *onStream) keptAlive(ms int64) int64 { o.t.Helper(); return o.beating(ms, 4_000) }

func (o *onStream) beating(ms, first int64) int64 {
	o.t.Helper()
	began, beat := o.Now, o.Now.After(first)
	for o.Now.Since(began) < ms {
		next := min(beat.Since(o.Now), ms-o.Now.Since(began))
		if d := o.NextDeadline(); d >= 0 {
			next = min(next, d)
		}
		o.Advance(next)
		if o.Newest() != o.x {
			o.x = o.Newest()
			return o.Now.Since(began)
		}
		if o.Now >= beat {
			beat = beat.After(15_000)
			if !o.Exchange(o.x).Over {
				o.say(": keepalive\n\n")
			}
		}
	}
	return 0
}

// Fault 736: a resume brings what was missed, and then keep-alives for ever: the response was bound to a
// stream that there is not, as server-everything does. The call is resumed once more, and has the rest at
// once.
func TestFault736_KeepAlivesAreNotTheCall(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	for n := 1; n <= 3; n++ {
		o.progress(n)
	}
	o.cut(engine.EndNetwork)
	o.resume()
	for n := 4; n <= 6; n++ {
		o.progress(n)
	}
	after := o.keptAlive(280_000)
	if after < 30_000 || after > 31_000 {
		o.fatal("asked once more after %d ms", after)
	}
	if id, _ := o.field(o.x, "Last-Event-ID"); id != "e6" {
		o.fatal("asked from %q", id)
	}
	o.accept()
	for n := 7; n <= 10; n++ {
		o.progress(n)
	}
	o.result("r")
	o.wantProgress(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	o.wantResult()
}

// Fault 736: over a reload too.
func TestFault736_OverAReload(t *testing.T) {
	r := newRig(t, mcp.Config{Journal: true, NoListen: true}).connect("2025-11-25")
	c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
	r.store()
	o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	o.accept()
	o.progress(1)
	o.store()
	next := o.reload(1_000, 0)
	next.resume()
	next.progress(2)
	next.store()
	if after := next.keptAlive(280_000); after < 29_000 || after > 32_000 {
		next.fatal("asked once more after %d ms", after)
	}
	next.accept()
	next.progress(3)
	next.result("r")
	next.store()
	next.wantResult()
}

// wantSeldom checks that no hour has more than 20 of these times.
func (o *onStream) wantSeldom(at []engine.Time) {
	o.t.Helper()
	for i, first := range at {
		n := 0
		for _, other := range at[i:] {
			if other.Since(first) < hour {
				n++
			}
		}
		if n > 20 {
			o.fatal("asked %d times in an hour, the first after %d ms", n, first)
		}
	}
}

// Fault 736: where keep-alives come each 15 s, as from the official SDKs' servers, silence is in doubt as
// well: all together the tool is asked for as seldom.
func TestFault736_SilenceAndKeepAlives(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	o.resume()
	var at []engine.Time
	for began := o.Now; o.Now.Since(began) < 3*hour; o.accept() {
		if o.beating(hour, 15_000) == 0 {
			o.fatal("left alone after %d requests", len(at))
		}
		at = append(at, o.Now)
	}
	o.wantSeldom(at)
}

// Fault 736: a tool that is merely quiet, on a stream that lives, is asked for at ever longer intervals, and
// no more than 20 times in any hour. What it says live ends the doubt.
func TestFault736_AQuietToolIsAskedSeldom(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	o.resume()
	var at []engine.Time
	for began := o.Now; o.Now.Since(began) < 6*hour; {
		if o.keptAlive(hour) == 0 {
			o.fatal("left alone after %d requests", len(at))
		}
		at = append(at, o.Now)
		o.accept()
	}
	o.wantSeldom(at)
	if last := at[len(at)-1].Since(at[len(at)-2]); last < 300_000 || last > 301_000 {
		o.fatal("asked after %d ms at last", last)
	}
	o.Advance(2_000)
	o.progress(1)
	if after := o.keptAlive(2 * hour); after != 0 {
		o.fatal("a stream that has brought something live is asked for again after %d ms", after)
	}
	o.cut(engine.EndNetwork)
	o.resume()
	if after := o.keptAlive(hour); after < 30_000 || after > 31_000 {
		o.fatal("behind the next cut it is asked for after %d ms", after)
	}
}

// Fault 736: a server that has not noticed that we let go of its stream says 409. That is waited out, and
// for however long it takes no more than 20 times in any hour.
func TestFault736_AStreamThatIsHeld(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	o.resume()
	if o.keptAlive(60_000) == 0 {
		o.fatal("not asked once more")
	}
	asked := 1
	for began := o.Now; o.Now.Since(began) < hour-60_000; asked++ {
		o.Head(o.x, 409)
		o.wantPending()
		x, _ := o.nextFetch(hour)
		if x == 0 {
			o.fatal("given up after %d answers", asked)
		}
		o.x = x
	}
	if asked > 20 || asked < 8 {
		o.fatal("asked %d times in an hour", asked)
	}
	o.accept()
	o.result("r")
	o.wantResult()
}

// Fault 736: only a resumed stream of a call is doubted: not a first one, not one whose keep-alives say
// nothing of a call, not one whose app reads nothing.
func TestFault736_OtherStreamsAreLeftAlone(t *testing.T) {
	first := connected(t, mcp.Config{}).primed("p")
	if after := first.keptAlive(hour); after != 0 {
		first.fatal("a first stream is asked for again after %d ms", after)
	}

	r := newRig(t, mcp.Config{}).connectListening()
	listen := &onStream{rig: r, x: r.Newest()}
	listen.say("id: l\ndata:\n\n")
	listen.cut(engine.EndNetwork)
	listen.resume()
	if after := listen.keptAlive(hour); after != 0 {
		listen.fatal("the GET stream is asked for again after %d ms", after)
	}

	paused := connected(t, mcp.Config{}).primed("p")
	paused.cut(engine.EndNetwork)
	paused.resume()
	paused.say(": keepalive\n\n")
	paused.pause(paused.c, true)
	paused.Advance(hour)
	if paused.Newest() != paused.x {
		paused.fatal("one that is not read is asked for again")
	}
	paused.pause(paused.c, false)
	if after := paused.keptAlive(60_000); after < 29_000 {
		paused.fatal("once it is read again it is asked for after %d ms", after)
	}
}
