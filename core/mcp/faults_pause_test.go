package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

const hour = 3_600_000

// unread checks that the call's exchange is open and that nobody reads it.
func (o *onStream) unread() {
	o.t.Helper()
	if e := o.Exchange(o.x); e.Over || e.Reading {
		o.fatal("exchange %d should be open and unread, and is %+v", o.x, *e)
	}
}

// Fault 50: an app that cannot take more withholds the next Read, and so the
// sender. Nothing is dropped, the silence is not held against the server, and
// other calls go on.
func TestFault50_PauseWithholdsReads(t *testing.T) {
	r := connected(t, mcp.Config{})
	other := r.primed("q")
	o := r.primed("p")
	o.pause(o.c, true)
	// was asked for
	o.say(coretest.Message("e1", coretest.Progress(o.id, 1)) +
		coretest.Message("e2", coretest.Progress(o.id, 2)))
	o.wantProgress(1, 2)
	o.unread()
	for n := 1; n <= 60; n++ {
		other.Advance(hour / 60)
		other.progress(n)
	}
	o.unread()
	if len(other.call(other.c).progress) != 60 {
		t.Error("another call is held up")
	}
	o.pause(o.c, false)
	if !o.Exchange(o.x).Reading {
		o.fatal("not read after the pause")
	}
	o.progress(3)
	o.result("e4")
	o.wantProgress(1, 2, 3)
	o.wantResult()
}

// Fault 50: a pause without a Read to withhold withholds the next one; pausing
// twice, or going on twice, is the same as once.
func TestFault50_PauseTwice(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	for range 3 {
		o.pause(o.c, true)
		o.pause(o.c, true)
		o.pause(o.c, false)
		o.pause(o.c, false)
	}
	o.progress(1)
	o.pause(o.c, true)
	o.progress(2)
	o.unread()
	o.pause(o.c, false)
	o.progress(3)
	o.wantProgress(1, 2, 3)
}

// Fault 50: a pause may begin before the answer, and holds for it.
func TestFault50_PauseBeforeTheAnswer(t *testing.T) {
	o := connected(t, mcp.Config{}).post("tools/call")
	o.pause(o.c, true)
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.Advance(hour)
	o.unread()
	o.pause(o.c, false)
	o.result("")
	o.wantResult()
}

// Fault 50: a pause holds across a reconnect: the new connection is not read
// either, and is not taken for dead. A Read that was withheld on the old
// connection is not made on the new one before that has a head.
func TestFault50_PauseAcrossAReconnect(t *testing.T) {
	for _, early := range []bool{true, false} {
		o := connected(t, mcp.Config{}).primed("p")
		o.pause(o.c, true)
		o.progress(1)
		o.cut(engine.EndNetwork)
		if early {
			o.resumeStarts()
			o.pause(o.c, false)
			o.Head(o.x, 200, "content-type", coretest.Stream)
		} else {
			o.resume()
			o.Advance(hour)
			o.unread()
			o.pause(o.c, false)
		}
		if !o.Exchange(o.x).Reading {
			o.fatal("not read after the pause")
		}
		o.progress(2)
		o.wantProgress(1, 2)
	}
}

// Fault 50: a call may be paused while it waits for the handshake.
func TestFault50_PauseWhileQueued(t *testing.T) {
	r := newRig(t, mcp.Config{})
	c := r.Call("tools/call", `{}`, mcp.CallOptions{})
	r.pause(c, true)
	r.handshake("2025-11-25")
	o := &onStream{rig: r, c: c}
	for _, x := range r.UnderWay() {
		if e := r.Exchange(x); e.Request.Method == "POST" && !e.Head {
			o.x, o.id = x, coretest.RequestID(e.Request)
		}
	}
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.Advance(hour)
	o.unread()
	o.pause(c, false)
	o.result("")
	o.wantResult()
}

// Fault 50: a thaw during a pause demands no sign of life of a stream that is
// not read. After the pause it gets its second.
func TestFault50_WokenWhilePaused(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.pause(o.c, true)
	o.progress(1)
	o.woke(60_000)
	o.Advance(hour)
	o.unread()
	o.pause(o.c, false)
	o.Advance(999)
	if o.Exchange(o.x).Over {
		o.fatal("given up before it could be read")
	}
	o.progress(2)
	o.Advance(2_000)
	o.wantProgress(1, 2)
	if o.Exchange(o.x).Over {
		o.fatal("given up although it lives")
	}
}

// Fault 50: the silence of a JSON body that is not read means nothing either.
func TestFault50_PausedJSONBody(t *testing.T) {
	o := connected(t, mcp.Config{}).post("tools/call")
	o.Head(o.x, 200, "content-type", coretest.JSON)
	o.pause(o.c, true)
	o.say(`{"jsonrpc":"2.0",`)
	o.Advance(hour)
	o.unread()
	o.pause(o.c, false)
	o.say(`"id":` + o.id + `,"result":{}}`)
	o.cut(engine.EndClean)
	o.wantResult()
}

// Fault 50: a call that is settled from elsewhere is no longer paused: its
// stream is read to its end, so that the connection can be used again.
func TestFault50_SettledWhilePaused(t *testing.T) {
	r := connected(t, mcp.Config{})
	other := r.primed("q")
	o := r.primed("p")
	o.pause(o.c, true)
	o.progress(1)
	other.event("e1", coretest.Result(o.id, `{}`))
	o.wantResult()
	if !o.Exchange(o.x).Reading {
		o.fatal("the rest of the stream is not read")
	}
	o.say(": and more\n\n")
	if !o.Exchange(o.x).Reading {
		o.fatal("the rest of the stream is read no further")
	}
	o.cut(engine.EndClean)
	other.cancel(other.c)
	other.End(other.Newest(), engine.EndNetwork)
	o.wantIdle()
}
