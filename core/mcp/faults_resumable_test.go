package mcp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

var (
	durable  = mcp.CallOptions{Durable: true}
	withDisk = mcp.Config{Journal: true, NoListen: true}
)

// Fault 42: what belongs to another call's stream must not be replayed on this
// one (2025-11-25 basic/transports). Its own stream brings it as well, so it is
// dropped here, whether it comes before that or after, and however it ends.
func TestFault42_ReplayOfAnotherStream(t *testing.T) {
	for _, first := range []bool{true, false} {
		r := connected(t, mcp.Config{})
		a, b := r.primed("a1"), r.primed("b1")
		a.cut(engine.EndNetwork)
		a.resume()
		own := func() {
			b.event("b2", coretest.Progress(b.id, 1))
			b.event("b3", coretest.Progress(b.id, 2))
		}
		foreign := func() {
			a.event("b2", coretest.Progress(b.id, 1))
			a.event("b3", coretest.Progress(b.id, 2))
			a.event("b4", coretest.Result(b.id, `{"from":"elsewhere"}`))
			b.wantPending()
		}
		if first {
			foreign()
			own()
		} else {
			own()
			foreign()
		}
		b.result("b4")
		a.progress(1)
		a.result("a2")
		a.wantProgress(1)
		b.wantProgress(1, 2)
		a.wantResult()
		b.wantResult()
		if n := len(r.integrity); n != 3 || r.integrity[0] != `{"what":"foreign_message"}` || r.Client.Counters().ForeignMessages != 3 {
			t.Errorf("integrity %v, counters %+v", r.integrity, r.Client.Counters())
		}
	}
}

// Fault 89: "clients can resume the request by sending a requests/resume request
// with the same ID as the original request, plus the server-issued token"
// (SEP-975), no sooner than minWait, no later than maxWait after the disconnection.
func TestFault89_ResumesWithIDAndToken(t *testing.T) {
	for _, c := range []struct {
		more        string
		least, most int64
	}{
		{``, 0, 250},
		{`,"minWait":3`, 3_000, 3_250},
		{`,"minWait":3,"maxWait":600`, 3_000, 3_250},
		{`,"minWait":0.5,"maxWait":0.8`, 500, 800},
		{`,"minWait":600,"maxWait":60`, 45_000, 60_000},
		{`,"maxWait":600`, 0, 250},
	} {
		for _, how := range cuts {
			for _, id := range []string{"", "e7"} {
				for _, options := range []mcp.CallOptions{{}, durable} {
					o := connected(t, withDisk).resumable(c.more, options)
					if id != "" {
						o.event(id, coretest.Progress(o.id, 1))
					}
					o.store()
					o.cut(how)
					if waited := o.resumePost(`"tok"`, hour); waited < c.least || waited > c.most {
						t.Errorf("%q: waited %d ms", c.more, waited)
					}
					if cursor, has := o.field(o.x, "Last-Event-ID"); cursor != id || has != (id != "") {
						t.Errorf("%q: cursor %q", c.more, cursor)
					}
					o.accept()
					o.progress(8)
					o.result("e9")
					o.store()
					o.wantResult()
					if n := o.told(engine.EventResumed, `"continued","proven":false`); n != 1 {
						t.Errorf("told %d times that it goes on", n)
					}
				}
			}
		}
	}
}

// Fault 89: however often the connection ends, the response settles the call
// that the app made, as a result on a stream, in a JSON body, or as an error.
func TestFault89_LateResponseSettlesTheFirstPromise(t *testing.T) {
	for i := range 3 {
		o := connected(t, mcp.Config{}).resumable("", mcp.CallOptions{})
		for n := range 20 {
			o.cut(cuts[n%2])
			o.resumePost(`"tok"`, hour)
			o.accept()
			o.event("", coretest.Progress(o.id, n))
		}
		o.cut(engine.EndClean)
		if !strings.Contains(o.lastStatus(), `"cut","why":"policy"`) {
			t.Errorf("status %s", o.lastStatus())
		}
		o.resumePost(`"tok"`, hour)
		switch i {
		case 0:
			o.accept()
			o.result("")
			o.wantResult()
			o.cut(engine.EndClean)
		case 1:
			o.answer(200, coretest.Result(o.id, `{"content":[]}`))
			o.wantResult()
		case 2:
			o.answer(200, `{"jsonrpc":"2.0","id":`+o.id+`,"error":{"code":7,"message":"the tool says no"}}`)
			if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
				o.fatal("no error")
			}
		}
		if n := o.posted(`"tools/call"`); n != 1 {
			t.Errorf("sent %d times", n)
		}
		o.wantIdle()
	}
}

// Fault 89: a parked request is asked for in good time before maxWait. What is
// ready is fetched; what is not leaves it parked.
func TestFault89_StatusOfAParkedRequest(t *testing.T) {
	flags := func(status string, pending, input bool) string {
		return fmt.Sprintf(`"result":{"requestId":1,"status":%q,"hasPendingMessage":%v,"hasInputRequest":%v}`, status, pending, input)
	}
	for _, c := range []struct {
		answer string
		parked bool
	}{
		{flags("processing", false, false), true},
		{flags("processing", true, false), false},
		{flags("processing", false, true), false},
		{flags("completed", false, false), false},
		{flags("failed", true, false), false},
		{flags("pending", false, false), false}, // who knows
		{`"result":{}`, false},
		{`"error":{"code":-32601,"message":"no such method"}`, false},
		{`"error":{"code":-32602,"message":"bad token"}`, false},
	} {
		o := connected(t, mcp.Config{}).resumable(`,"minWait":1,"maxWait":30`, mcp.CallOptions{})
		o.park(o.c, true)
		if xs := o.live(); len(xs) != 0 {
			t.Fatalf("parked with exchanges %v", xs)
		}
		for range 5 {
			x, waited := o.nextFetch(30_000)
			if body := string(o.exchanges[x].request.Body); !strings.Contains(body, `"requests/getStatus"`) ||
				!strings.Contains(body, `"requestId":`+o.id+`,"resumeToken":"tok"`) || waited < 1_000 {
				t.Fatalf("%s: after %d ms %s", c.answer, waited, body)
			}
			o.Head(x, 200, "content-type", coretest.JSON)
			o.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(o.exchanges[x].request)+`,`+c.answer+`}`)
			o.End(x, engine.EndClean)
			o.wantPending()
			if !c.parked {
				break
			}
		}
		if !c.parked {
			o.x = o.newest
			o.resumePost(`"tok"`, 1_000)
		} else if n := o.posted("requests/resume"); n != 0 {
			t.Errorf("%s: resumed", c.answer)
		}
	}
}

// Fault 89: a server that cannot be reached is asked for the status again until
// it must have forgotten the request; then the call is lost, without a request.
func TestFault89_ParkedInAnOutage(t *testing.T) {
	o := connected(t, mcp.Config{}).resumable(`,"maxWait":120`, mcp.CallOptions{})
	o.park(o.c, true)
	asked := 0
	for {
		x, _ := o.nextFetch(hour)
		if x == 0 {
			break
		}
		if !strings.Contains(string(o.exchanges[x].request.Body), "getStatus") {
			o.fatal("%s", o.exchanges[x].request.Body)
		}
		asked++
		o.End(x, engine.EndNetwork)
	}
	if asked < 4 || asked > 12 {
		t.Errorf("asked %d times", asked)
	}
	o.wantLost()
}

// Fault 90: the last policy wins, also one that a resume brings; the call's own
// stream and the GET stream may carry it.
func TestFault90_LastPolicyWins(t *testing.T) {
	r := newRig(t, mcp.Config{}).connectListening()
	listen := r.live()[0]
	o := r.resumable(`,"minWait":30`, mcp.CallOptions{})
	o.event("", policyFor(o.id, `"two"`, ``))
	o.cut(engine.EndClean)
	o.resumePost(`"two"`, 1_000)
	o.accept()
	o.event("", policyFor(o.id, `"thr\u00e9e\"\n"`, `,"minWait":2`)) // sent back as it came
	o.cut(engine.EndClean)
	if waited := o.resumePost(`"thr\u00e9e\"\n"`, hour); waited < 2_000 {
		t.Errorf("waited %d ms", waited)
	}
	o.accept()
	r.Chunk(listen, coretest.Message("", policyFor(o.id, `"four"`, ``)))
	o.cut(engine.EndClean)
	o.resumePost(`"four"`, 1_000)
	if n := r.Client.Counters().IgnoredPolicies; n != 0 {
		t.Errorf("%d policies ignored", n)
	}
}

// Fault 90: a policy for nothing that could be resumed is ignored and counted,
// and promises nothing.
func TestFault90_IgnoredPolicies(t *testing.T) {
	for name, say := range map[string]func(o, other *onStream) string{
		"for another request": func(_, other *onStream) string { return policyFor(other.id, `"t"`, "") },
		"for nothing":         func(_, _ *onStream) string { return policyFor("12", `"t"`, "") },
		"id as a string":      func(o, _ *onStream) string { return policyFor(`"`+o.id+`"`, `"t"`, "") },
		"id null":             func(_, _ *onStream) string { return policyFor("null", `"t"`, "") },
		"id as a fraction":    func(o, _ *onStream) string { return policyFor(o.id+".5", `"t"`, "") },
		"empty token":         func(o, _ *onStream) string { return policyFor(o.id, `""`, "") },
		"token null":          func(o, _ *onStream) string { return policyFor(o.id, `null`, "") },
		"token a number":      func(o, _ *onStream) string { return policyFor(o.id, `7`, "") },
		"token an object":     func(o, _ *onStream) string { return policyFor(o.id, `{"a":"b"}`, "") },
		"token of 10 KiB":     func(o, _ *onStream) string { return policyFor(o.id, `"`+strings.Repeat("x", 10<<10)+`"`, "") },
		"no token": func(o, _ *onStream) string {
			return `{"jsonrpc":"2.0","method":"notifications/requests/resumePolicy","params":{"requestId":` + o.id + `}}`
		},
		"no params":    func(_, _ *onStream) string { return `{"jsonrpc":"2.0","method":"notifications/requests/resumePolicy"}` },
		"params array": func(_, _ *onStream) string { return `{"jsonrpc":"2.0","method":"notifications/requests/resumePolicy","params":[]}` },
	} {
		r := connected(t, mcp.Config{})
		other, o := r.stream("tools/call"), r.stream("tools/call")
		o.event("", say(o, other))
		n := r.Client.Counters()
		if n.IgnoredPolicies+n.UnreadableMessages != 1 {
			t.Errorf("%s: counters %+v", name, n)
		}
		for _, s := range []*onStream{o, other} {
			s.cut(engine.EndNetwork)
			s.wantFailure(engine.CodeOutcomeUnknown)
		}
		r.wantIdle()
	}
}

// Fault 90: after the response nothing is to be resumed.
func TestFault90_PolicyAfterTheResponse(t *testing.T) {
	r := newRig(t, mcp.Config{}).connectListening()
	listen := r.live()[0]
	o := r.stream("tools/call")
	o.result("")
	o.event("", policyFor(o.id, `"t"`, ""))
	r.Chunk(listen, coretest.Message("", policyFor(o.id, `"t"`, "")))
	o.cut(engine.EndClean)
	r.Chunk(listen, coretest.Message("", policyFor(o.id, `"t"`, "")))
	o.wantResult()
	if n := r.Client.Counters().IgnoredPolicies; n != 3 {
		t.Errorf("%d ignored", n)
	}
	if n := r.posted("requests/"); n != 0 {
		t.Errorf("%d requests follow", n)
	}
}

// Fault 90: the capability is declared to legacy servers alone; in 2026-07-28 to
// close a stream is to cancel, whatever the server sends on it.
func TestFault90_DeclaredToLegacyServersOnly(t *testing.T) {
	legacy := connected(t, mcp.Config{})
	if n := legacy.posted(`"initialize"`, `"capabilities":{"resumableRequests":{}}`); n != 1 {
		t.Error("not declared")
	}
	r := newRig(t, mcp.Config{Revision: "2026-07-28", NoListen: true})
	r.Start()
	x := r.newest
	r.Head(x, 200, "content-type", coretest.JSON)
	r.Chunk(x, coretest.Result(coretest.RequestID(r.exchanges[x].request), `{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
	r.End(x, engine.EndClean)
	o := r.resumable("", mcp.CallOptions{})
	o.cut(engine.EndNetwork)
	o.wantFailure(engine.CodeOutcomeUnknown)
	if r.posted("resumableRequests") != 0 || r.Client.Counters().IgnoredPolicies != 1 {
		t.Errorf("declared, or heeded: %+v", r.Client.Counters())
	}
	r.wantIdle()
}

// refusals are the ways to say no to requests/resume.
var refusals = map[string]func(o *onStream){
	"200, JSON, invalid params":  func(o *onStream) { o.answer(200, o.rpcError(-32602, "unknown token")) },
	"200, JSON, invalid request": func(o *onStream) { o.answer(200, o.rpcError(-32600, "expired")) },
	"200, JSON, no such method":  func(o *onStream) { o.answer(200, o.rpcError(-32601, "no such method")) },
	"200, JSON, of its own code": func(o *onStream) { o.answer(200, o.rpcError(-32042, "cannot resume")) },
	"200, JSON, id null": func(o *onStream) {
		o.answer(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`)
	},
	"200, stream": func(o *onStream) {
		o.accept()
		o.event("", o.rpcError(-32602, "unknown token"))
		o.cut(engine.EndClean)
	},
	"400, JSON": func(o *onStream) { o.answer(400, o.rpcError(-32000, "expired")) },
	"403, JSON": func(o *onStream) { o.answer(403, o.rpcError(-32000, "not yours")) },
	"404, JSON": func(o *onStream) { o.answer(404, o.rpcError(-32001, "unknown request")) },
	"410, JSON": func(o *onStream) { o.answer(410, o.rpcError(-32001, "expired")) },
	"500, JSON": func(o *onStream) { o.answer(500, o.rpcError(-32602, "unknown token")) },
	"400, HTML": func(o *onStream) { o.Head(o.x, 400, "content-type", "text/html") },
	"400, JSON that is no message": func(o *onStream) {
		o.answer(400, `{"error":"no"}`)
	},
	"202": func(o *onStream) { o.Head(o.x, 202) },
}

func (o *onStream) rpcError(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, o.id, code, message)
}

// Fault 91: a refused resume ends the call: lost, told once, nothing kept, no
// further request. The server's text, which might repeat the token, is not told.
func TestFault91_RefusedResume(t *testing.T) {
	for name, refuse := range refusals {
		for _, options := range []mcp.CallOptions{{}, durable} {
			o := connected(t, withDisk).resumable(`,"maxWait":600`, options)
			o.cut(engine.EndNetwork)
			o.resumePost(`"tok"`, hour)
			refuse(o)
			o.wantLost()
			if text := o.call(o.c).settled.Failure.Error(); strings.Contains(text, "tok") {
				t.Errorf("%s: %s", name, text)
			}
			if n := o.Client.Counters().SessionsLost; n != 0 {
				t.Errorf("%s: the session is blamed", name)
			}
			if options.Durable {
				if again := o.reload(0, 0); again.call(again.c).settled == nil {
					t.Errorf("%s: alive after a reload", name)
				}
			}
		}
	}
}

// Fault 91: a harmless call whose resume is refused is run again, under a new id.
func TestFault91_RefusedAndHarmless(t *testing.T) {
	for name, refuse := range refusals {
		o := connected(t, withDisk).resumable("", mcp.CallOptions{Durable: true, Flags: journal.Idempotent})
		o.cut(engine.EndNetwork)
		o.resumePost(`"tok"`, hour)
		refuse(o)
		for o.store(); o.posted(`"tools/call"`) < 2; o.store() {
			if d := o.NextDeadline(); d < 0 {
				o.fatal("%s: not run again", name)
			} else {
				o.Advance(d)
			}
		}
		if id := coretest.RequestID(o.exchanges[o.newest].request); id == o.id {
			t.Errorf("%s: the same id", name)
		}
		o.wantPending()
	}
}

// Fault 91: 404 that names no request, or blames the session, means the session.
func TestFault91_SessionGone(t *testing.T) {
	for name, refuse := range map[string]func(o *onStream){
		"no body": func(o *onStream) { o.Head(o.x, 404) },
		"HTML":    func(o *onStream) { o.Head(o.x, 404, "content-type", "text/html") },
		"SDK": func(o *onStream) {
			o.answer(404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
		},
		"cut": func(o *onStream) {
			o.Head(o.x, 404, "content-type", coretest.JSON)
			o.Chunk(o.x, `{"jso`)
			o.cut(engine.EndNetwork)
		},
	} {
		r := connected(t, mcp.Config{})
		r.Advance(10_000)
		o := r.resumable("", mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		o.resumePost(`"tok"`, hour)
		refuse(o)
		o.wantFailure(engine.CodeLost)
		if n := o.posted(`"initialize"`); n != 2 || o.told(engine.EventResumed, `"lost"`) != 1 {
			t.Errorf("%s: %d handshakes", name, n)
		}
	}
}

// Fault 92: a resume that is cut before it brings anything is made again, with
// the same token, and longer waits.
func TestFault92_ResumeCutBeforeItsFirstByte(t *testing.T) {
	least := []int64{0, 1_000, 2_000, 5_000, 10_000, 20_000}
	for name, die := range map[string]func(o *onStream){
		"before the head":     func(o *onStream) { o.cut(engine.EndNetwork) },
		"after it":            func(o *onStream) { o.accept(); o.cut(engine.EndNetwork) },
		"in a JSON body":      func(o *onStream) { o.Head(o.x, 200, "content-type", coretest.JSON); o.cut(engine.EndNetwork) },
		"no body, after all":  func(o *onStream) { o.Head(o.x, 503, "content-type", "text/html") },
		"429, without a hint": func(o *onStream) { o.answer(429, o.rpcError(-32000, "slow down")) },
	} {
		o := connected(t, mcp.Config{}).resumable("", mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		for i := range 12 {
			if waited, low := o.resumePost(`"tok"`, hour), least[min(i, len(least)-1)]; waited < low || waited > 30_000 {
				t.Fatalf("%s: attempt %d came after %d ms", name, i+1, waited)
			}
			if xs := o.live(); len(xs) != 1 {
				t.Fatalf("%s: exchanges %v at once", name, xs)
			}
			die(o)
			o.wantPending()
		}
		o.resumePost(`"tok"`, hour)
		o.accept()
		o.progress(1)
		o.result("")
		o.wantResult()
	}
}

// Fault 92: silence in the JSON body of a resume is a cut, not an end.
func TestFault92_SilentResume(t *testing.T) {
	o := connected(t, mcp.Config{}).resumable("", mcp.CallOptions{})
	o.cut(engine.EndNetwork)
	o.resumePost(`"tok"`, hour)
	o.Head(o.x, 200, "content-type", coretest.JSON)
	o.Chunk(o.x, `{"jsonrpc"`)
	if waited := o.resumePost(`"tok"`, hour); waited < 180_000 || waited > 190_000 {
		t.Errorf("given up after %d ms", waited)
	}
	if n := o.posted("notifications/cancelled"); n != 0 {
		t.Error("a request that can be resumed was cancelled")
	}
}

// Fault 92: whatever asks for a resume while one is stored or under way, one
// exchange carries the call (a double resume is undefined: SEP-975, review).
func TestFault92_OneResumeAtATime(t *testing.T) {
	triggers := map[string]func(o *onStream){
		"online":  func(o *onStream) { o.online() },
		"woke":    func(o *onStream) { o.woke(0) },
		"unpark":  func(o *onStream) { o.park(o.c, true); o.park(o.c, false) },
		"shown":   func(o *onStream) { o.input("shown", (*mcp.Client).Shown) },
		"advance": func(o *onStream) { o.Advance(0) },
		"pause":   func(o *onStream) { o.pause(o.c, true); o.pause(o.c, false) },
	}
	for first, one := range triggers {
		for second, two := range triggers {
			o := connected(t, withDisk).resumable("", durable)
			o.cut(engine.EndNetwork)
			o.store()
			o.Advance(250) // the resume is being stored
			if o.Store.Flying() == 0 || o.posted("requests/resume") != 0 {
				o.fatal("nothing is being stored")
			}
			one(o)
			o.Advance(0)
			two(o)
			o.Advance(0)
			o.store()
			o.Advance(0)
			o.store()
			if n, xs := o.posted("requests/resume"), o.live(); n != 1 || len(xs) != 1 {
				o.fatal("%s and %s: %d resumes, exchanges %v", first, second, n, xs)
			}
			one(o)
			two(o)
			o.Advance(0)
			o.store()
			if xs := o.live(); len(xs) > 1 {
				o.fatal("%s and %s: exchanges %v at once", first, second, xs)
			}
		}
	}
}

// Fault 92: a page that goes while it resumes leaves the next one where it was.
func TestFault92_ReloadWhileResuming(t *testing.T) {
	for _, stored := range []bool{false, true} {
		o := connected(t, withDisk).resumable(`,"maxWait":600`, durable)
		o.event("e1", coretest.Progress(o.id, 1))
		o.store()
		o.cut(engine.EndNetwork)
		o.store()
		o.Advance(250)
		if stored {
			o.store()
		}
		o = o.reload(100, 0)
		o.resumePost(`"tok"`, hour)
		if cursor, _ := o.field(o.x, "Last-Event-ID"); cursor != "e1" {
			t.Errorf("cursor %q", cursor)
		}
		own := o.Call("tools/call", `{}`, mcp.CallOptions{})
		if o.posted(`"id":`+o.id+`,"method":"tools/call"`) != 0 {
			t.Error("a new request has the id of one that can be resumed")
		}
		o.accept()
		o.progress(2)
		o.result("e3")
		o.store()
		o.wantProgress(1, 2)
		o.wantResult()
		o.cancel(own)
	}
}

// Fault 93: "allowing servers to delete delivered messages as part of the resume
// request" (SEP-975): when it leaves, all that the app was told is on disk, and
// so is the cursor that it names.
func TestFault93_OnDiskBeforeTheServerMayForget(t *testing.T) {
	for n := range 6 {
		o := connected(t, withDisk).resumable("", durable)
		for i := 1; i <= n; i++ {
			o.progress(i) // nothing is stored meanwhile, or all of it at once
			if i%2 == 0 {
				o.store()
			}
		}
		o.cut(engine.EndNetwork)
		strict := false
		for o.posted("requests/resume") == 0 {
			if o.Store.Flying() != 0 {
				o.Stored(mcp.StoreOK, "")
				o.audit()
			} else {
				o.Advance(max(o.NextDeadline(), 0))
			}
			for _, e := range o.Effects {
				strict = strict || e.Kind == engine.Store && e.Strict
			}
		}
		if o.Store.Flying() != 0 || !strict {
			t.Errorf("%d events: resumed before a strict commit", n)
		}
		r := o.Store.Record(o.Store.Calls()[0])
		cursor, _ := o.field(o.newest, "Last-Event-ID")
		if int(r.Position) != n || string(r.Cursor) != cursor || n > 0 && cursor != fmt.Sprintf("e%d", n) {
			t.Errorf("%d events: %d and cursor %q are on disk, %q is sent", n, r.Position, r.Cursor, cursor)
		}
	}
}

// Fault 93: what a cut ate comes again, and is told once. That nothing is missing
// is never claimed: ids are opaque.
func TestFault93_WhatTheCutAte(t *testing.T) {
	o := connected(t, withDisk).resumable("", durable)
	o.progress(1)
	o.say("id: e2\ndata: {\"jsonrpc\"")
	o.cut(engine.EndNetwork)
	o.resumePost(`"tok"`, hour)
	o.accept()
	o.progress(1)
	o.progress(2)
	o.progress(3)
	o.result("e4")
	o.store()
	o.wantProgress(1, 2, 3)
	o.wantResult()
	if o.told(engine.EventResumed, `"proven":true`) != 0 {
		t.Error("proven by nothing")
	}
}

// Fault 93: a store that fails does not keep the call from going on.
func TestFault93_StoreFails(t *testing.T) {
	o := connected(t, withDisk).resumable("", durable)
	o.cut(engine.EndNetwork)
	o.Advance(300)
	o.Stored(mcp.StoreFailed, "disk")
	o.audit()
	o.resumePost(`"tok"`, hour)
	if n := o.told(engine.EventGuarantee, `"lost-on-reload"`); n != 1 {
		t.Errorf("told %d times that nothing is promised any more", n)
	}
	o.accept()
	o.result("")
	o.wantResult()
}

// Fault 94: once the server is free to have forgotten the request nothing is
// asked any more, in the page that waits, and in one that comes later.
func TestFault94_AwayForTooLong(t *testing.T) {
	o := connected(t, mcp.Config{}).resumable(`,"maxWait":600`, mcp.CallOptions{})
	o.cut(engine.EndNetwork)
	o.Now = o.Now.After(606_000) // the machine slept
	o.Advance(0)
	o.wantLost()

	for _, c := range []struct {
		away, jump int64
		lost       bool
	}{
		{600_000, 0, false},
		{605_000 + 150_000 + 180_000, 0, false}, // as late as contact may have been
		{605_000 + 150_000 + 181_000, 0, true},
		{10 * 24 * hour, 0, true},
		{10 * 24 * hour, -11 * 24 * hour, false}, // it cannot be known: the server's word decides
		{10 * 24 * hour, -8 * 24 * hour, true},
		{1_000, 24 * hour, true}, // nor can this
		{1_000, -24 * hour, false},
	} {
		o := connected(t, withDisk).resumable(`,"maxWait":600`, durable)
		o = o.reload(c.away, c.jump)
		if !c.lost {
			o.resumePost(`"tok"`, 1_000)
			continue
		}
		o.store()
		o.Advance(0)
		o.wantLost()
	}
}

// Fault 94: as long as the stream brings something the journal knows of contact,
// so a page that goes after days of it has lost nothing.
func TestFault94_ContactIsNoted(t *testing.T) {
	o := connected(t, withDisk).resumable(`,"maxWait":60`, durable)
	for range 2000 {
		o.say(": \n\n")
		o.store()
		o.Advance(30_000)
	}
	if rows := len(o.Trace); rows > 2000*8 {
		t.Errorf("%d lines: too many rows", rows)
	}
	o = o.reload(60_000, 0)
	o.resumePost(`"tok"`, 1_000)
}

// Fault 94: an outage is no contact: the attempts go on within maxWait, one of
// them late, and then the call is lost.
func TestFault94_OutageLongerThanMaxWait(t *testing.T) {
	for _, maxWait := range []int64{1, 5, 60, 600, 7200} {
		o := connected(t, mcp.Config{}).resumable(fmt.Sprintf(`,"maxWait":%d`, maxWait), mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		began, last, tries := o.Now, int64(0), 0
		for {
			x, _ := o.nextFetch(10 * hour)
			if x == 0 {
				break
			}
			tries, last = tries+1, o.Now.Since(began)
			o.End(x, engine.EndNetwork)
		}
		if least := maxWait * 1000; last < min(least, 2_000) || last > max(least, 2_000)+5_000 {
			t.Errorf("maxWait %d s: the last of %d attempts after %d ms", maxWait, tries, last)
		}
		o.wantLost()
	}
}

// Fault 87 and 94: what a server says of waiting is a number of seconds, or
// nothing. None of it makes a hot loop, or a wait that wraps.
func TestFault94_HostilePolicies(t *testing.T) {
	for _, c := range []struct {
		more        string
		least, most int64 // until the first resume
	}{
		{`,"maxWait":0`, 0, 250},
		{`,"maxWait":-1`, 0, 250},
		{`,"maxWait":0.001`, 0, 250},
		{`,"maxWait":1e-300`, 0, 250},
		{`,"maxWait":"soon"`, 0, 250},
		{`,"maxWait":null`, 0, 250},
		{`,"maxWait":[600]`, 0, 250},
		{`,"maxWait":1e12`, 0, 250},
		{`,"maxWait":1e400`, 0, 250},
		{`,"maxWait":-1e400`, 0, 250},
		{`,"maxWait":9007199254740993`, 0, 250},
		{`,"maxWait":2147483.648`, 0, 250},
		{`,"minWait":-5`, 0, 250},
		{`,"minWait":"NaN"`, 0, 250},
		{`,"minWait":true`, 0, 250},
		{`,"minWait":0.25`, 250, 500},
		{`,"minWait":1e12`, hour, hour + 250},
		{`,"minWait":1e400`, 0, hour + 250},
		{`,"minWait":1e12,"maxWait":1e12`, hour, hour + 250},
		{`,"minWait":1e12,"maxWait":0.002`, 0, 250},
		{`,"minWait":1e12,"maxWait":10`, 7_500, 10_000},
		{`,"minWait":10,"maxWait":0`, 10_000, 10_250},
		{`,"minWait":10,"minWait":1`, 0, 10_250}, // nobody knows which
	} {
		o := connected(t, mcp.Config{}).resumable(c.more, mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		if waited := o.resumePost(`"tok"`, 2*hour); waited < c.least || waited > c.most {
			t.Errorf("%s: resumed after %d ms", c.more, waited)
		}
		// The server accepts and closes, again and again: a loop that it asked for.
		before, began := len(o.exchanges), o.Now
		for o.Now.Since(began) < hour {
			o.accept()
			o.cut(engine.EndClean)
			o.resumePost(`"tok"`, 2*hour)
		}
		if n := len(o.exchanges) - before; n > 2_000 {
			t.Errorf("%s: %d resumes in an hour", c.more, n)
		}
		// Parked, it is asked for no more often than once a second.
		o.park(o.c, true)
		before, began = len(o.exchanges), o.Now
		for o.Now.Since(began) < hour {
			x, _ := o.nextFetch(2 * hour)
			if x == 0 {
				break
			}
			o.Head(x, 200, "content-type", coretest.JSON)
			o.Chunk(x, coretest.Result(coretest.RequestID(o.exchanges[x].request), `{"status":"processing"}`))
			o.End(x, engine.EndClean)
		}
		if n := len(o.exchanges) - before; n == 0 || n > 3_601 {
			t.Errorf("%s: asked for %d times in an hour", c.more, n)
		}
		o.wantPending()
	}
}

// A token goes back byte for byte as it came, whatever it holds.
func TestFault94_TokensAreOpaque(t *testing.T) {
	for _, token := range []string{
		`"a"`, `" "`, `"\u0000\u001f\r\n"`, `"\ud800"`, `"é\u00e9"`, `"\"}}"`, `"` + strings.Repeat("t", 8<<10-2) + `"`,
	} {
		o := connected(t, withDisk).resumable("", durable)
		o.event("", policyFor(o.id, token, ""))
		o.store()
		if n := o.Client.Counters(); n.IgnoredPolicies+n.UnreadableMessages != 0 {
			if token == `"\ud800"` {
				continue // no text in JSON at all
			}
			t.Errorf("%.40s: %+v", token, n)
			continue
		}
		o.cut(engine.EndNetwork)
		o.resumePost(token, hour)
		o = o.reload(0, 0)
		o.resumePost(token, hour)
		for _, e := range o.Effects {
			if e.Kind == engine.Deliver && bytes.Contains(e.Data, []byte(token)) {
				t.Errorf("%.40s: told", token)
			}
		}
	}
}
