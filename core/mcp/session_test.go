package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// A session is lost by the requests that were sent in it. What a server says
// late about the one before is no news of the one now.
func TestLateRefusalSparesTheNewSession(t *testing.T) {
	r := connected(t, withIdle)
	r.Advance(60_000)
	o := r.primed("p")
	o.event("e1", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	answer := r.Newest() // under way when the session is lost
	list := r.post("tools/list")
	list.Head(list.x, 404)
	x := r.Newest()
	id := coretest.RequestID(r.Exchange(x).Request)
	r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s2")
	r.Chunk(x, coretest.Result(id, `{"protocolVersion":"2025-11-25","capabilities":{}}`))
	r.End(x, engine.EndClean)
	r.Head(r.Newest(), 202)
	states := len(r.states)
	r.Head(answer, 404)
	if len(r.states) != states {
		r.fatal("the new session is given up: %s", r.states[states])
	}
	if n := r.Client.Counters().SessionsLost; n != 1 {
		t.Errorf("%d sessions lost", n)
	}
}

// A handshake whose answer is a stream can be cut and resumed like any call;
// the app, which did not make that call, hears nothing of it.
func TestHandshakeStreamIsResumed(t *testing.T) {
	r := connected(t, mcp.Config{})
	r.Advance(60_000)
	lost := r.post("tools/list")
	lost.Head(lost.x, 404)
	x := r.Newest()
	id := coretest.RequestID(r.Exchange(x).Request)
	r.Head(x, 202, "content-type", coretest.Stream, "mcp-session-id", "s2")
	r.Chunk(x, "id: 1\ndata:\n\n")
	r.End(x, engine.EndNetwork)
	x, _ = r.nextFetch(1_000)
	if from, _ := r.field(x, "Last-Event-ID"); from != "1" {
		t.Fatalf("resumed from %q", from)
	}
	r.Head(x, 200, "content-type", coretest.Stream)
	r.Chunk(x,
		coretest.Message("2", coretest.Result(id, `{"protocolVersion":"2025-11-25","capabilities":{}}`)))
	if n := r.posted(`"notifications/initialized"`); n != 2 {
		t.Errorf("%d times initialized", n)
	}
}

// A server whose router knows no GET answers 404 to it, as Express does by
// default. That offers no stream; it does not mean that the session is gone.
func TestUnknownGETRouteKeepsTheSession(t *testing.T) {
	r := newRig(t, withIdle)
	initialized := r.handshake("2025-11-25")
	r.Head(r.Newest(), 404, "content-type", "text/html")
	r.End(initialized, engine.EndClean)
	r.Advance(hour)
	if n := r.posted(`"initialize"`); n != 1 {
		t.Errorf("%d handshakes", n)
	}
	o := r.stream("tools/call")
	o.result("")
	o.wantResult()

	// Once the stream was there, 404 does mean that the session is gone.
	l := newRig(t, withIdle).connectListening()
	l.Advance(2_000)
	l.End(l.Newest(), engine.EndNetwork)
	x, _ := l.nextFetch(1_000)
	l.Head(x, 404)
	if n := l.posted(`"initialize"`); n != 2 {
		t.Errorf("%d handshakes after the session was lost", n)
	}
}

// An answer whose body never ends gets a second, no more: six of them would
// leave the page without a connection to that server.
func TestAnswerWithoutEndIsAborted(t *testing.T) {
	r := connected(t, mcp.Config{})
	c := r.notify("notifications/roots/list_changed")
	x := r.Newest()
	r.Head(x, 202)
	if s := r.call(c).settled; s == nil || s.Outcome != engine.OutcomeResult {
		r.fatal("the notification has not settled")
	}
	r.Advance(500)
	r.Chunk(x, "more and more")
	r.Advance(499)
	if r.Exchange(x).Over {
		r.fatal("aborted at once, which costs the connection")
	}
	r.Advance(1)
	r.wantIdle()
}
