package mcp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// floors are what values of Retry-After ask for, in ms. A date needs a wall
// clock, which the host has and the core has not: the host turns it into
// seconds, so that one which comes here is nonsense like any other.
var floors = map[string]int64{
	"": 0, "0": 0, "1": 1_000, "20": 20_000, "3599": 3_599_000, "3600": hour, "3601": hour,
	"1000000000": hour, "99999999999999999999999": hour,
	"-5": 0, "1.5": 0, "soon": 0, "20s": 0, "Wed, 21 Oct 2015 07:28:00 GMT": 0,
}

// wantFloor checks the wait before the next request: no earlier than the
// server allowed, and no later than a minute after that, which is what spreads
// those who were told the same; no later than the ladder's top where it named
// nothing of note.
func (r *rig) wantFloor(what string, floor int64) engine.ExchangeID {
	r.t.Helper()
	x, waited := r.nextFetch(2 * hour)
	latest := int64(30_000)
	if floor >= 20_000 {
		latest = floor + 60_000
	}
	switch {
	case x == 0:
		r.fatal("%s: nobody tries again", what)
	case waited < floor, waited > latest:
		r.fatal("%s: tried again after %d ms, the server had asked for %d", what, waited, floor)
	}
	return x
}

// Fault 26: while a proxy has no server the resume is tried again, never
// earlier than Retry-After allows, which counts up to an hour. The call goes on
// from where it was, in the same session.
func TestFault26_RetryAfterOnResume(t *testing.T) {
	for _, status := range []int{502, 503, 504} {
		for value, floor := range floors {
			what := fmt.Sprintf("%d %q", status, value)
			o := connected(t, mcp.Config{}).primed("p")
			o.cut(engine.EndNetwork)
			o.resumeStarts()
			o.Head(o.x, status, "retry-after", value)
			o.wantPending()
			o.x = o.wantFloor(what, floor)
			if from, _ := o.field(o.x, "Last-Event-ID"); from != "p" {
				o.fatal("%s: resumed from %q", what, from)
			}
			if id, _ := o.field(o.x, "Mcp-Session-Id"); id != "s1" {
				o.fatal("%s: resumed in session %q", what, id)
			}
			// What was said once holds once.
			o.Head(o.x, status)
			o.x = o.wantFloor(what+", then nothing", 0)
			o.Head(o.x, 200, "content-type", coretest.Stream)
			o.result("e1")
			o.wantResult()
		}
	}
}

// Fault 26: only a 404 that follows says that the session is gone.
func TestFault26_SessionKeptUnless404Follows(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	for _, status := range []int{502, 503, 504} {
		o.resumeStarts()
		o.Head(o.x, status)
		o.wantPending()
	}
	if n := o.Client.Counters().SessionsLost; n != 0 {
		t.Fatalf("%d sessions lost", n)
	}
	o.resumeStarts()
	o.Head(o.x, 404)
	o.wantFailure(engine.CodeLost)
	if n := o.Client.Counters().SessionsLost; n != 1 {
		t.Errorf("%d sessions lost", n)
	}
}

// Fault 26: the same for the stream of unasked messages.
func TestFault26_RetryAfterOnListen(t *testing.T) {
	for _, status := range []int{502, 503, 504} {
		for value, floor := range floors {
			r := newRig(t, withIdle)
			initialized := r.handshake("2025-11-25")
			r.Head(r.Newest(), status, "retry-after", value)
			r.End(initialized, engine.EndClean)
			x := r.wantFloor(fmt.Sprintf("%d %q", status, value), floor)
			if method := r.Exchange(x).Request.Method; method != "GET" {
				r.fatal("%d %q: sent %s", status, value, method)
			}
		}
	}
}

// Fault 26: and for the handshake that follows a lost session, at each of its
// steps.
func TestFault26_RetryAfterOnReinitialize(t *testing.T) {
	for value, floor := range floors {
		for _, status := range []int{502, 503, 504, 429} {
			what := fmt.Sprintf("%d %q", status, value)
			r := connected(t, mcp.Config{NoListen: true})
			r.Advance(60_000)
			o := r.post("tools/list")
			o.Head(o.x, 404)
			r.Head(r.Newest(), status, "retry-after", value)
			x := r.wantFloor(what, floor)

			// The answer to notifications/initialized may say it as well.
			id := coretest.RequestID(r.Exchange(x).Request)
			r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s2")
			r.Chunk(x, coretest.Result(id, `{"protocolVersion":"2025-11-25","capabilities":{}}`))
			r.End(x, engine.EndClean)
			r.Head(r.Newest(), status, "retry-after", value)
			x = r.wantFloor(what+" to initialized", floor)

			// A fault that names no time is not held to the one before.
			r.End(x, engine.EndNetwork)
			x = r.wantFloor(what+", then none", 0)
			r.accept(x, "s3")
		}
	}
}

// Fault 26: server/discover is a handshake too.
func TestFault26_RetryAfterOnDiscover(t *testing.T) {
	for value, floor := range floors {
		r := newRig(t, mcp.Config{Revision: "auto", NoListen: true})
		r.Start()
		r.Head(r.Newest(), 400)
		r.accept(r.Newest(), "s1")
		r.Advance(60_000)
		o := r.post("tools/list")
		o.Head(o.x, 404)
		r.Head(r.Newest(), 503, "retry-after", value)
		x := r.wantFloor(fmt.Sprintf("%q", value), floor)
		if _, sent := r.field(x, "Mcp-Method"); !sent {
			r.fatal("%q: %s follows", value, r.Exchange(x).Request.Body)
		}
	}
}
