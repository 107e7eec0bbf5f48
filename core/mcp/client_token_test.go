package mcp_test

import (
	"testing"

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

// A new token says nothing of a server that was away: a stream that waits before it is
// resumed waits on.
func TestTokenHurriesNoReconnect(t *testing.T) {
	for _, policy := range []bool{false, true} {
		r := connected(t, withToken)
		var o *onStream
		if policy {
			o = r.resumable("", mcp.CallOptions{})
		} else {
			o = r.primed("p")
		}
		o.cut(engine.EndNetwork)
		for range 4 { // the ladder
			x, _ := o.nextFetch(60_000)
			o.Head(x, 503)
		}
		wait := o.NextDeadline()
		asks := r.post("tools/list")
		asks.Head(asks.x, 401)
		r.token("t2")
		again := r.Newest()
		if left := o.NextDeadline(); wait < 1_000 || left != wait {
			o.fatal("resumed in %d ms, and before the token came in %d", left, wait)
		}
		if x, waited := o.nextFetch(wait); x == again || waited != wait {
			o.fatal("resumed after %d ms", waited)
		}
	}
}
