package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// A provider that fails while a stream happens to wait for it must not leave
// that stream without a timer: it tries on its own, and asks again.
func TestTokenFailureLeavesNobodyWaiting(t *testing.T) {
	r := connected(t, withToken)
	o := r.primed("p")
	asks := r.post("tools/list")
	asks.Head(asks.x, 401)
	o.cut(engine.EndNetwork)
	o.Advance(1_000) // due, and held back while the provider is asked
	r.tokenFails()
	asks.wantFailure(engine.CodeUnauthorized)
	o.wantPending()
	o.resumeStarts()
	o.Head(o.x, 401)
	if r.tokens != 3 { // at the start, for the list, and now
		t.Fatalf("the provider was asked %d times", r.tokens)
	}
	r.tokenFails()
	o.wantFailure(engine.CodeUnauthorized)
	r.wantIdle()
}

// A call may outlive any number of tokens: each that expires is replaced, once.
func TestTokenExpiresAgainAndAgain(t *testing.T) {
	o := connected(t, withToken).primed("p")
	for n := 1; n <= 5; n++ {
		o.cut(engine.EndNetwork)
		o.resumeStarts()
		o.Head(o.x, 401)
		o.wantPending()
		o.token("t" + string(rune('1'+n)))
		if _, waited := o.resume(); waited != 0 {
			t.Errorf("resumed %d ms after the token came", waited)
		}
		if got, _ := o.field(o.x, "Authorization"); got != "Bearer t"+string(rune('1'+n)) {
			t.Errorf("sent %s", got)
		}
		o.progress(n)
	}
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	o.Head(o.x, 401)
	o.token("t9")
	o.resumeStarts()
	o.Head(o.x, 401) // the new one is refused as well: that is an answer
	o.wantFailure(engine.CodeUnauthorized)
	o.wantProgress(1, 2, 3, 4, 5)
}

// The token of one call failing says nothing about another call's open stream,
// though that one had needed a new token before.
func TestTokenFailureSparesOpenStreams(t *testing.T) {
	o := connected(t, withToken).primed("p")
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	o.Head(o.x, 401)
	o.token("t2")
	o.resume()
	other := o.post("tools/list")
	other.Head(other.x, 401)
	o.tokenFails()
	other.wantFailure(engine.CodeUnauthorized)
	third := o.post("tools/list")
	third.Head(third.x, 401)
	o.token("t3")
	o.Advance(4_000) // a new token is no reason to doubt an open stream
	o.progress(1)
	o.result("e2")
	o.wantProgress(1)
	o.wantResult()
}

// A session is lost by the requests that were sent in it. What a server says
// late about the one before is no news of the one now.
func TestLateRefusalSparesTheNewSession(t *testing.T) {
	r := connected(t, withIdle)
	r.Advance(60_000)
	o := r.primed("p")
	o.event("e1", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	answer := r.newest // under way when the session is lost
	list := r.post("tools/list")
	list.Head(list.x, 404)
	x := r.newest
	id := coretest.RequestID(r.exchanges[x].request)
	r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s2")
	r.Chunk(x, coretest.Result(id, `{"protocolVersion":"2025-11-25","capabilities":{}}`))
	r.End(x, engine.EndClean)
	r.Head(r.newest, 202)
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
	x := r.newest
	id := coretest.RequestID(r.exchanges[x].request)
	r.Head(x, 202, "content-type", coretest.Stream, "mcp-session-id", "s2")
	r.Chunk(x, "id: 1\ndata:\n\n")
	r.End(x, engine.EndNetwork)
	x, _ = r.nextFetch(1_000)
	if from, _ := r.field(x, "Last-Event-ID"); from != "1" {
		t.Fatalf("resumed from %q", from)
	}
	r.Head(x, 200, "content-type", coretest.Stream)
	r.Chunk(x, coretest.Message("2", coretest.Result(id, `{"protocolVersion":"2025-11-25","capabilities":{}}`)))
	if n := r.posted(`"notifications/initialized"`); n != 2 {
		t.Errorf("%d times initialized", n)
	}
}

// A server whose router knows no GET answers 404 to it, as Express does by
// default. That offers no stream; it does not mean that the session is gone.
func TestUnknownGETRouteKeepsTheSession(t *testing.T) {
	r := newRig(t, withIdle)
	initialized := r.handshake("2025-11-25")
	r.Head(r.newest, 404, "content-type", "text/html")
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
	l.End(l.newest, engine.EndNetwork)
	x, _ := l.nextFetch(1_000)
	l.Head(x, 404)
	if n := l.posted(`"initialize"`); n != 2 {
		t.Errorf("%d handshakes after the session was lost", n)
	}
}
