package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// nextSession answers the initialize that is due, and what goes before it.
func (o *onStream) nextSession(id string) {
	o.t.Helper()
	for began := o.Now; o.Now.Since(began) < hour; {
		for _, x := range o.UnderWay() {
			if strings.Contains(string(o.Exchange(x).Request.Body), `"method":"initialize"`) {
				o.rig.accept(x, id)
				return
			}
		}
		if d := o.NextDeadline(); d >= 0 {
			o.Advance(d)
		} else {
			break
		}
	}
	o.fatal("no handshake")
}

// resumedIn waits for requests/resume, and checks the session that it is sent in.
func (o *onStream) resumedIn(session string) {
	o.t.Helper()
	o.x = o.carrierOtherThanResume()
	o.resumePost(`"tok"`, hour)
	if id, _ := o.field(o.x, "Mcp-Session-Id"); id != session {
		o.fatal("resumed in session %q, want %q", id, session)
	}
}

// carrierOtherThanResume returns the newest exchange, or 0 where that is the resume
// that is to be waited for.
func (o *onStream) carrierOtherThanResume() engine.ExchangeID {
	if e := o.Exchange(o.Newest()); e != nil &&
		strings.Contains(string(e.Request.Body), `"requests/resume"`) && !e.Over {
		return 0
	}
	return o.Newest()
}

// Fault 151: the session of a request that can be resumed is gone, and the token is
// not: the next session is asked before the call is called lost. A server that
// knows the token goes on; one that does not has the call lost, once.
func TestFault151_TokenInTheNextSession(t *testing.T) {
	gone := map[string]func(o *onStream){
		"the resume finds out": func(o *onStream) {
			o.resumePost(`"tok"`, hour)
			o.Head(o.x, 404)
		},
		"its JSON says so": func(o *onStream) {
			o.resumePost(`"tok"`, hour)
			o.answer(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,`+
				`"message":"Bad Request: No valid session ID provided"}}`)
		},
		"it is gone for good": func(o *onStream) {
			o.resumePost(`"tok"`, hour)
			o.answer(410, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Session not found"}}`)
		},
		"another request finds out": func(o *onStream) {
			other := o.post("tools/list")
			other.Head(other.x, 404)
		},
	}
	then := map[string]func(o *onStream){
		"known": func(o *onStream) {
			o.accept()
			o.progress(8)
			o.result("e9")
			o.store()
			o.wantProgress(1, 8)
			o.wantResult()
			if n := o.told(engine.EventResumed, `"continued"`); n != 1 {
				o.fatal("told %d times that it goes on", n)
			}
		},
		"unknown": func(o *onStream) {
			o.answer(200, `{"jsonrpc":"2.0","id":`+o.id+
				`,"error":{"code":-32602,"message":"Invalid params: no resumable request has this id"}}`)
			o.wantLostOnce()
		},
		"404 again": func(o *onStream) {
			o.Head(o.x, 404)
			if strings.Contains(o.t.Name(), "another") { // no resume has been told so before
				o.wantPending()
				o.nextSession("s3")
				o.resumedIn("s3")
				o.Head(o.x, 404)
			}
			o.wantLostOnce()
		},
	}
	for how, lose := range gone {
		for answer, finish := range then {
			t.Run(how+", "+answer, func(t *testing.T) {
				o := connected(t, mcp.Config{NoListen: true}).resumable(`,"minWait":1`, mcp.CallOptions{})
				o.Advance(60_000)
				o.progress(1)
				o.cut(engine.EndNetwork)
				lose(o)
				o.wantPending()
				o.nextSession("s2")
				o.resumedIn("s2")
				if cursor, _ := o.field(o.x, "Last-Event-ID"); cursor != "e1" {
					o.fatal("cursor %q: it names a message of the request, not of the session", cursor)
				}
				finish(o)
				if n := o.posted(`"tools/call"`); n != 1 {
					o.fatal("sent %d times", n)
				}
			})
		}
	}
}

// wantLostOnce checks that the call was lost, and that the app was told so once.
func (o *onStream) wantLostOnce() {
	o.t.Helper()
	o.store()
	o.wantFailure(engine.CodeLost)
	if n := o.told(engine.EventResumed, `"lost"`); n != 1 {
		o.fatal("told %d times that the call is lost", n)
	}
	before := o.posted(`"requests/resume"`)
	o.Advance(hour)
	if n := o.posted(`"requests/resume"`); n != before {
		o.fatal("asked for again")
	}
}

// Fault 151: the same over a reload, where the session is found to be gone by the
// page that comes back, or a new one was made before that page had the call.
func TestFault151_TokenInTheNextSessionAfterAReload(t *testing.T) {
	for _, known := range []bool{true, false} {
		for _, remade := range []bool{true, false} {
			o := connected(t, withDisk).resumable(`,"maxWait":600`, durably)
			o.progress(1)
			o.store()
			if remade {
				other := o.post("tools/list")
				other.Head(other.x, 404)
				o.nextSession("s2")
				o.store()
			}
			o = o.reload(5_000, 0)
			if !remade {
				o.resumedIn("s1")
				o.Head(o.x, 404)
				o.wantPending()
				o.nextSession("s2")
			}
			o.resumedIn("s2")
			if !known {
				o.answer(200, `{"jsonrpc":"2.0","id":`+o.id+`,"error":{"code":-32602,"message":"bad token"}}`)
				o.wantLostOnce()
				continue
			}
			o.accept()
			o.progress(2)
			o.result("e3")
			o.store()
			o.wantProgress(1, 2)
			o.wantResult()
		}
	}
}

// Fault 151: while no session can be had the call waits, for as long as the server
// has promised to keep the request, and no longer.
func TestFault151_NoNextSession(t *testing.T) {
	o := connected(t, mcp.Config{NoListen: true}).resumable(`,"maxWait":120`, mcp.CallOptions{})
	o.Advance(60_000)
	o.cut(engine.EndNetwork)
	o.resumePost(`"tok"`, hour)
	o.Head(o.x, 404)
	began := o.Now
	for o.call(o.c).settled == nil && o.Now.Since(began) < hour {
		for _, x := range o.UnderWay() {
			o.End(x, engine.EndNetwork) // the server is being deployed
		}
		o.Advance(max(o.NextDeadline(), 0))
	}
	if waited := o.Now.Since(began); waited < 120_000 || waited > 126_000 {
		o.fatal("lost after %d ms", waited)
	}
	o.wantFailure(engine.CodeLost)
	if n := o.posted(`"requests/resume"`); n != 1 {
		o.fatal("resumed %d times", n)
	}
}

// Fault 151: the next session may be of a revision that knows no token.
func TestFault151_NextSessionWithoutTokens(t *testing.T) {
	o := connected(t, mcp.Config{Revision: "auto", Assume: "2025-11-25", NoListen: true}).resumable(
		"", mcp.CallOptions{})
	o.Advance(60_000)
	o.cut(engine.EndNetwork)
	o.resumePost(`"tok"`, hour)
	o.Head(o.x, 404)
	x, _ := o.asked("initialize", hour)
	o.Head(x, 400, "content-type", coretest.JSON)
	o.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(o.Exchange(x).Request)+
		`,"error":{"code":-32022,"message":"unsupported","data":{"supported":["2026-07-28"]}}}`)
	o.End(x, engine.EndClean)
	x, _ = o.asked("server/discover", hour)
	o.Head(x, 200, "content-type", coretest.JSON)
	o.Chunk(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request),
		`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
	o.End(x, engine.EndClean)
	o.Advance(0)
	o.wantLostOnce()
	if n := o.posted(`"requests/resume"`); n != 1 {
		o.fatal("resumed %d times", n)
	}
}

// Fault 151: what the session that is gone has asked and nobody has answered, the
// next one asks again, also under the same id: an answer to the old question is not
// given to the new one.
func TestFault151_AskedAgainInTheNextSession(t *testing.T) {
	o := connected(t, mcp.Config{NoListen: true, Handles: []string{"elicitation/create"}}).resumable(
		"", mcp.CallOptions{})
	o.Advance(60_000)
	question := `{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"?"}}`
	o.event("e1", question)
	o.resumesInTheNextSession()
	o.event("e2", question)
	if n := o.told(engine.EventRequest, `"q1"`); n != 2 {
		o.fatal("asked %d times", n)
	}
	o.result("e3")
	o.wantResult()
}

// TestResumeWaitsForWhatItNeeds: a resume has to be stored before it leaves, and while
// it is, the token is refused or the session is gone. It leaves with the next one.
func TestResumeWaitsForWhatItNeeds(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		next   func(o *onStream)
		header string
		want   string
	}{
		"a token":   {401, func(o *onStream) { o.token("t2") }, "Authorization", "Bearer t2"},
		"a session": {404, func(o *onStream) { o.nextSession("s2") }, "Mcp-Session-Id", "s2"},
	} {
		o := connected(t, mcp.Config{Journal: true, NoListen: true, HasTokenProvider: true}).resumable(
			"", durably)
		o.store()
		o.cut(engine.EndNetwork)
		for o.Store.Flying() == 0 {
			o.Advance(max(o.NextDeadline(), 1))
		}
		if n := o.posted(`"requests/resume"`); n != 0 {
			o.fatal("%s: resumed before that is stored", name)
		}
		other := o.post("tools/list")
		other.Head(other.x, test.status)
		o.store()
		if n := o.posted(`"requests/resume"`); n != 0 {
			o.fatal("%s: resumed %d times without it", name, n)
		}
		test.next(o)
		o.x = o.carrierOtherThanResume()
		o.resumePost(`"tok"`, hour)
		if value, _ := o.field(o.x, test.header); value != test.want {
			o.fatal("%s: resumed with %q", name, value)
		}
	}
}
