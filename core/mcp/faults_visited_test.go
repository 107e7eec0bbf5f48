package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// outage has the stream of a call cut, and each reconnect fail, until it waits for long.
func (o *onStream) outage() {
	o.t.Helper()
	o.cut(engine.EndNetwork)
	for n := 0; o.NextDeadline() < 10_000; n++ {
		if n > 100 {
			o.fatal("nothing waits for long")
		}
		o.resumeStarts()
		o.cut(engine.EndNetwork)
	}
}

// Fault 280: a page comes while a call's stream waits after an outage. It is tried at once; a
// page that is reloaded ten times has it tried twice more in the ten seconds after that.
func TestFault280_StreamIsTriedForAVisit(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.outage()
	o.visited()
	if waited := o.resumeStarts(); waited != 0 {
		t.Errorf("tried after %d ms", waited)
	}
	o.cut(engine.EndNetwork)
	tries, before := 0, o.Newest()
	for range 100 {
		o.visited()
		o.Advance(100)
		if x := o.Newest(); x != before {
			tries, before = tries+1, x
			o.End(x, engine.EndNetwork)
		}
	}
	if tries != 2 {
		t.Errorf("tried %d times in 10 s", tries)
	}
	o.resumeStarts()
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.result("r")
	o.wantResult()
	o.visited()
	o.wantQuiet()
}

// Fault 280: so is what is asked about a task.
func TestFault280_TaskIsAskedAboutForAVisit(t *testing.T) {
	o := newTask(connected(t, withDisk), true)
	methods := []string{"tasks/get", "tasks/result"}
	for range 6 {
		for _, method := range methods {
			x, _ := o.asked(method, 120_000)
			o.End(x, engine.EndNetwork)
		}
	}
	o.visited()
	for _, method := range methods {
		if x, took := o.asked(method, 0); x == 0 {
			o.fatal("%s is not asked for when a page comes, %d ms later", method, took)
		}
	}
}

// Fault 280: so are the stream of unasked messages, and a handshake.
func TestFault280_WhateverWaitsIsTried(t *testing.T) {
	fail := func(r *rig) {
		for n := 0; r.NextDeadline() < 10_000; n++ {
			if x, _ := r.nextFetch(hour); x == 0 || n > 100 {
				r.fatal("nothing waits for long")
			}
			r.End(r.Newest(), engine.EndNetwork)
		}
	}
	for name, begin := range map[string]func() *rig{
		"listen": func() *rig {
			r := newRig(t, withIdle).connectListening()
			r.End(r.Newest(), engine.EndNetwork)
			return r
		},
		"handshake": func() *rig {
			r := connected(t, mcp.Config{NoListen: true})
			r.Advance(60_000)
			o := r.post("tools/list")
			o.Head(o.x, 404)
			r.End(r.Newest(), engine.EndNetwork)
			return r
		},
	} {
		r := begin()
		fail(r)
		before := r.Newest()
		r.visited()
		if x, waited := r.nextFetch(0); x == before || x == 0 || waited != 0 {
			r.fatal("%s: nothing is tried", name)
		}
	}
}

// Fault 280: what a server asked to wait for it gets, whoever comes: on a
// resume, on the stream of unasked messages, and of the handshake.
func TestFault280_RetryAfterHolds(t *testing.T) {
	for name, refused := range map[string]func() *rig{
		"resume": func() *rig {
			o := connected(t, mcp.Config{}).primed("p")
			o.cut(engine.EndNetwork)
			o.resumeStarts()
			o.Head(o.x, 503, "retry-after", "20")
			return o.rig
		},
		"listen": func() *rig {
			r := newRig(t, withIdle)
			initialized := r.handshake("2025-11-25")
			r.Head(r.Newest(), 503, "retry-after", "20")
			r.End(initialized, engine.EndClean)
			return r
		},
		"handshake": handshakeRefused(t),
	} {
		r := refused()
		r.visited()
		r.wantFloor(name, 20_000)
	}
}

// handshakeRefused returns what has a server forget its session, and ask for 20 s when the next is made.
func handshakeRefused(t *testing.T) func() *rig {
	return func() *rig {
		r := connected(t, mcp.Config{NoListen: true})
		r.Advance(60_000)
		o := r.post("tools/list")
		o.Head(o.x, 404)
		r.Head(r.Newest(), 503, "retry-after", "20")
		return r
	}
}

// Fault 346: the network is back, and the server that asked for 20 s gets them from the
// handshake too.
func TestFault346_HandshakeHeedsRetryAfterOnline(t *testing.T) {
	r := handshakeRefused(t)()
	r.offline()
	r.online()
	r.wantFloor("online", 20_000)
}

// Fault 280: another tab is making the session. Who comes meanwhile has no second one made beside it;
// and a server that forgets each session at once is asked for one per second.
func TestFault280_AnotherTabsTurnHolds(t *testing.T) { holdsTurns(t, (*rig).visited) }

// Fault 346: so it is where the network is back meanwhile.
func TestFault346_AnotherTabsTurnHolds(t *testing.T) { holdsTurns(t, (*rig).online) }

// holdsTurns checks that what happens has no session made before its time.
func holdsTurns(t *testing.T, happens func(r *rig)) {
	t.Helper()
	r := newRig(t, mcp.Config{NoListen: true, Tabs: true, Journal: true}).connect("2025-11-25")
	r.Advance(60_000)
	o := r.post("tools/list")
	o.Head(o.x, 404)
	if !r.Emitted(engine.Handshake, 0) {
		r.fatal("the lease is not asked for")
	}
	happens(r)
	if x, waited := r.nextFetch(9_999); x != 0 {
		r.fatal("a session is made after %d ms without the lease", waited)
	}

	r = connected(t, mcp.Config{NoListen: true})
	o = r.post("tools/list")
	o.Head(o.x, 404)
	happens(r)
	if x, waited := r.nextFetch(hour); x == 0 || waited != 1_000 {
		r.fatal("a session is made after %d ms", waited)
	}
}
