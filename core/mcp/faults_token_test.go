package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// bearer returns the token that a request carries.
func (r *rig) bearer(x engine.ExchangeID) string {
	value, _ := r.field(x, "Authorization")
	return value
}

// listening returns a rig with a token, an open GET stream and a stream cut
// behind event "p" whose reconnect has started.
func listening(t *testing.T) (*rig, *onStream) {
	t.Helper()
	r := newRig(t, withToken).connectListening()
	listen := r.Newest()
	r.Chunk(listen, "id: g1\ndata:\n\n")
	o := r.primed("p")
	o.progress(1)
	r.Advance(2_000)
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	r.End(listen, engine.EndNetwork)
	return r, o
}

// Fault 112: a token that has expired is noticed by a resume, by the stream of
// unasked messages and by four calls at once. The provider is asked once, and
// then each of them goes on from where it was, once.
func TestFault112_OneRefreshForAll(t *testing.T) {
	r, o := listening(t)
	var listen engine.ExchangeID
	for listen = o.x; listen == o.x; {
		listen, _ = r.nextFetch(1_000)
	}
	var calls []*onStream
	for range 4 {
		calls = append(calls, r.post("tools/call"))
	}
	note := r.notify("notifications/roots/list_changed")
	posted := r.Newest()
	o.Head(o.x, 401)
	r.Head(listen, 401)
	for _, call := range calls {
		call.Head(call.x, 401, "content-type", coretest.JSON)
	}
	r.Head(posted, 401)
	if r.tokens != 2 { // one of them at the start
		r.fatal("the provider was asked %d times", r.tokens-1)
	}
	if xs := r.UnderWay(); len(xs) != 0 {
		r.fatal("%v go on without a token", xs)
	}

	// A person signs in, and takes her time. Nobody gives up or asks again.
	r.Advance(hour)
	o.wantPending()
	before := r.Newest()
	r.token("t2")
	r.nextFetch(1_000) // the resume, which takes a clock's tick
	gets, posts := map[string]bool{}, 0
	for x := before + 1; x <= r.Newest(); x++ {
		if r.bearer(x) != "Bearer t2" {
			r.fatal("exchange %d carries %q", x, r.bearer(x))
		}
		if r.Exchange(x).Request.Method == "POST" {
			posts++
			continue
		}
		from, _ := r.field(x, "Last-Event-ID")
		gets[from] = true
	}
	if posts != 5 || len(gets) != 2 || !gets["e1"] || !gets["g1"] {
		r.fatal("%d POSTs, GETs from %v", posts, gets)
	}
	for x := before + 1; x <= r.Newest(); x++ {
		switch from, _ := r.field(x, "Last-Event-ID"); {
		case from == "e1":
			o.x = x
			o.Head(x, 200, "content-type", coretest.Stream)
			o.progress(2)
			o.result("e3")
		case from == "g1":
			r.Head(x, 200, "content-type", coretest.Stream)
		case coretest.RequestID(r.Exchange(x).Request) == "":
			r.Head(x, 202)
		default:
			r.Head(x, 200, "content-type", coretest.JSON)
			r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request), `{}`))
			r.End(x, engine.EndClean)
		}
	}
	o.wantProgress(1, 2)
	o.wantResult()
	for _, call := range calls {
		call.wantResult()
	}
	if s := r.call(note).settled; s == nil || s.Outcome != engine.OutcomeResult {
		r.fatal("the notification was not taken")
	}
	if r.tokens != 2 {
		r.fatal("the provider was asked %d times", r.tokens-1)
	}
}

// Fault 112: a late 401 to a request that carried the old token does not cost
// the new one: it is sent again with that.
func TestFault112_LateRefusalOfTheOldToken(t *testing.T) {
	r := connected(t, withToken)
	first, late := r.post("tools/list"), r.post("tools/list")
	first.Head(first.x, 401)
	r.token("t2")
	late.Head(late.x, 401)
	if r.tokens != 2 {
		r.fatal("the provider was asked %d times", r.tokens-1)
	}
	if r.bearer(r.Newest()) != "Bearer t2" {
		r.fatal("sent again with %q", r.bearer(r.Newest()))
	}
}

// Fault 112: where there is no new token, whatever needed one ends, once, with
// the reason; the client stays, and a later call may succeed.
func TestFault112_RefreshFails(t *testing.T) {
	r, o := listening(t)
	listen, _ := r.nextFetch(1_000)
	call := r.post("tools/call")
	o.Head(o.x, 401)
	r.Head(listen, 401)
	call.Head(call.x, 401)
	r.tokenFails()
	o.wantFailure(engine.CodeUnauthorized)
	call.wantFailure(engine.CodeUnauthorized)
	if last := r.statuses[len(r.statuses)-1]; last != `{"state":"off"}` {
		r.fatal("the listen stream says %s", last)
	}
	r.wantQuiet()
	r.wantIdle()
	if r.tokens != 2 {
		r.fatal("the provider was asked %d times", r.tokens-1)
	}
	next := r.post("tools/list")
	next.Head(next.x, 401)
	r.token("t3")
	next.x = r.Newest()
	next.Head(next.x, 200, "content-type", coretest.Stream)
	next.result("")
	next.wantResult()
}

// Fault 516: the stream of unasked messages is refused, and there is no new token. Once a request passes
// again it is opened, behind its cursor; where it is refused once more it has ended.
func TestFault516_ListenAgainOnceARequestPasses(t *testing.T) {
	for _, let := range []bool{true, false} {
		r, o := listening(t)
		listen, _ := r.nextFetch(1_000)
		o.Head(o.x, 401)
		r.Head(listen, 401)
		r.tokenFails()
		if last := r.statuses[len(r.statuses)-1]; last != `{"state":"off"}` {
			r.fatal("the listen stream says %s", last)
		}
		r.wantQuiet()
		pass := func() engine.ExchangeID {
			call := r.post("tools/list")
			r.Head(call.x, 200, "content-type", coretest.JSON)
			again := r.Newest()
			r.Chunk(call.x, coretest.Result(coretest.RequestID(r.Exchange(call.x).Request), `{}`))
			r.End(call.x, engine.EndClean)
			call.wantResult()
			if again == call.x {
				return 0
			}
			return again
		}
		again := pass()
		if from, _ := r.field(again, "Last-Event-ID"); again == 0 || from != "g1" {
			r.fatal("it is not opened again behind g1, but x%d behind %q", again, from)
		}
		if let {
			r.Head(again, 200, "content-type", coretest.Stream)
		} else {
			r.Head(again, 401)
		}
		if x := pass(); x != 0 {
			r.fatal("x%d has no reason", x)
		}
		if r.tokens != 2 {
			r.fatal("the provider was asked %d times", r.tokens-1)
		}
	}
}

// Fault 112: a server that refuses every token ends each request after one
// repetition: no loop, and no flood of questions to the provider.
func TestFault112_EveryTokenRefused(t *testing.T) {
	r := connected(t, withToken)
	for n := range 5 {
		o := r.post("tools/call")
		o.Head(o.x, 401)
		r.token("t")
		o.Head(r.Newest(), 401)
		o.wantFailure(engine.CodeUnauthorized)
		if r.tokens != n+2 {
			r.fatal("call %d: the provider was asked %d times", n, r.tokens-1)
		}
	}
	r.wantQuiet()
	r.wantIdle()
}

// Fault 112: 403 is an answer. No token is asked for on its account, whatever
// scope it names, and the request is not repeated.
func TestFault112_ForbiddenIsNoLoop(t *testing.T) {
	r := connected(t, withToken)
	o := r.post("tools/call")
	o.Head(o.x, 403, "www-authenticate", `Bearer error="insufficient_scope", scope="files:write"`)
	o.wantFailure(engine.CodeHTTP)
	if s := r.call(o.c).settled; s.Failure.Status != 403 || r.tokens != 1 {
		r.fatal("%+v, asked %d times", s.Failure, r.tokens)
	}
	r.wantQuiet()
}

// Fault 112: without a provider 401 is the answer, on every road.
func TestFault112_NobodyToAsk(t *testing.T) {
	r := connected(t, mcp.Config{})
	o := r.primed("p")
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	o.Head(o.x, 401)
	o.wantFailure(engine.CodeUnauthorized)
	call := r.post("tools/call")
	call.Head(call.x, 401)
	call.wantFailure(engine.CodeUnauthorized)
	r.wantQuiet()
	r.wantIdle()
}
