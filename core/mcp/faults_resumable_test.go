package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

var (
	durably  = mcp.CallOptions{Durable: true}
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
		if n := len(r.integrity); n != 3 || r.integrity[0] != `{"what":"foreign_message"}` ||
			r.Client.Counters().ForeignMessages != 3 {
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
				for _, options := range []mcp.CallOptions{{}, durably} {
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
		return fmt.Sprintf(`"result":{"requestId":1,"status":%q,"hasPendingMessage":%v,"hasInputRequest":%v}`,
			status, pending, input)
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
		if xs := o.UnderWay(); len(xs) != 0 {
			t.Fatalf("parked with exchanges %v", xs)
		}
		for range 5 {
			x, waited := o.nextFetch(30_000)
			if body := string(o.Exchange(x).Request.Body); !strings.Contains(body, `"requests/getStatus"`) ||
				!strings.Contains(body, `"requestId":`+o.id+`,"resumeToken":"tok"`) || waited < 1_000 {
				t.Fatalf("%s: after %d ms %s", c.answer, waited, body)
			}
			o.Head(x, 200, "content-type", coretest.JSON)
			o.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(o.Exchange(x).Request)+`,`+c.answer+`}`)
			o.End(x, engine.EndClean)
			o.wantPending()
			if !c.parked {
				break
			}
		}
		if !c.parked {
			o.x = o.Newest()
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
		if !strings.Contains(string(o.Exchange(x).Request.Body), "getStatus") {
			o.fatal("%s", o.Exchange(x).Request.Body)
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
	listen := r.UnderWay()[0]
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
	o.resumePost(`"four"`, hour)
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
		"token of 10 KiB": func(o, _ *onStream) string {
			return policyFor(
				o.id, `"`+strings.Repeat("x", 10<<10)+`"`, "")
		},
		"no token": func(o, _ *onStream) string {
			return `{"jsonrpc":"2.0","method":"notifications/requests/resumePolicy","params":{"requestId":` +
				o.id + `}}`
		},
		"no params": func(_,
			_ *onStream) string {
			return `{"jsonrpc":"2.0","method":"notifications/requests/resumePolicy"}`
		},
		"params array": func(_, _ *onStream) string {
			return `{"jsonrpc":"2.0","method":"notifications/requests/resumePolicy","params":[]}`
		},
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
	listen := r.UnderWay()[0]
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
	if n := legacy.posted(`"initialize"`, `"resumableRequests":{}`); n != 1 {
		t.Error("not declared")
	}
	r := newRig(t, mcp.Config{Revision: "2026-07-28", NoListen: true})
	r.Start()
	x := r.Newest()
	r.Head(x, 200, "content-type", coretest.JSON)
	r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request),
		`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
	r.End(x, engine.EndClean)
	o := r.resumable("", mcp.CallOptions{})
	o.cut(engine.EndNetwork)
	o.wantFailure(engine.CodeOutcomeUnknown)
	if r.posted("resumableRequests") != 0 || r.Client.Counters().IgnoredPolicies != 1 {
		t.Errorf("declared, or heeded: %+v", r.Client.Counters())
	}
	r.wantIdle()
}
