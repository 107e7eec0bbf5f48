package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// modern returns a rig whose client is open with a server of 2026-07-28 and
// does not listen; no exchange is left.
func modern(t testing.TB, cfg mcp.Config) *rig {
	t.Helper()
	cfg.Revision, cfg.NoListen = "2026-07-28", true
	r := newRig(t, cfg)
	r.Start()
	x := r.Newest()
	r.Head(x, 200, "content-type", coretest.JSON)
	r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request),
		`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`))
	r.End(x, engine.EndClean)
	if r.Open() != 0 {
		t.Fatalf("%d exchanges are open\n%s", r.Open(), r.Log())
	}
	return r
}

// Fault 21: a request of the server's on a call's stream is answered by a POST
// in the revisions that have such requests, with its id as it stood. The call
// goes on.
func TestFault21_ServerRequestIsAnswered(t *testing.T) {
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		o := newRig(t, mcp.Config{}).connect(revision).stream("tools/call")
		o.event("", `{"jsonrpc":"2.0","id":"p-1","method":"ping"}`)
		if body := string(o.Exchange(o.Newest()).Request.Body); body !=
			`{"jsonrpc":"2.0","id":"p-1","result":{}}` {
			o.fatal("%s: ping is answered by %s", revision, body)
		}
		o.event("", `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}`)
		if n := o.posted(`"id":7,`, `-32601`); n != 1 {
			o.fatal("%s: %d refusals", revision, n)
		}
		if n := o.Client.Counters(); n.RefusedRequests != 1 || n.UnreadableMessages != 0 {
			o.fatal("%s: counters %+v", revision, n)
		}
		o.result("")
		o.wantResult()
	}
}

// Fault 575: a request or a notification whose params are null is one that has none.
func TestFault575_NullParams(t *testing.T) {
	for _, revision := range []string{"2025-03-26", "2025-11-25"} {
		o := newRig(t, mcp.Config{Handles: []string{"roots/list"}}).connect(revision).stream("tools/call")
		o.event("", `{"jsonrpc":"2.0","id":"p-1","method":"ping","params":null}`)
		if n := o.posted(`"id":"p-1"`, `"result":{}`); n != 1 {
			o.fatal("%s: ping is answered %d times", revision, n)
		}
		o.event("", `{"jsonrpc":"2.0","id":7,"method":"roots/list","params":null}`)
		o.event("", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":null}`)
		// which says nothing of whose it is
		o.event("", `{"jsonrpc":"2.0","method":"notifications/progress","params":null}`)
		asked, changed := 0, 0
		for _, e := range o.call(o.c).events {
			switch e.Event {
			case engine.EventRequest:
				asked++
			case engine.EventNotification:
				changed++
			}
		}
		if n := o.Client.Counters().UnreadableMessages; asked != 1 || changed != 1 || n != 1 {
			o.fatal("%s: %d questions, %d notifications, %d unreadable", revision, asked, changed, n)
		}
		o.result("")
		o.wantResult()
	}
}

// Fault 21: 2026-07-28 has no requests of the server's. One that comes is a
// violation: counted and told, answered by nobody, shown to no handler.
func TestFault21_ServerRequestInAModernStream(t *testing.T) {
	o := modern(t, mcp.Config{Handles: []string{"sampling/createMessage"}}).stream("tools/call")
	before := o.Newest()
	for _, method := range []string{"ping", "sampling/createMessage", "roots/list", "no/such"} {
		o.event("", `{"jsonrpc":"2.0","id":"`+method+`","method":"`+method+`","params":{}}`)
	}
	if o.Newest() != before {
		o.fatal("answered by %s", o.Exchange(o.Newest()).Request.Body)
	}
	if n := o.Client.Counters().UnreadableMessages; n != 4 || len(o.integrity) != 4 {
		o.fatal("%d of 4 counted, integrity %q", n, o.integrity)
	}
	for _, e := range o.call(o.c).events {
		if e.Event == engine.EventRequest {
			o.fatal("the app is asked: %s", e.Data)
		}
	}
	o.progress(1)
	o.result("")
	o.wantProgress(1)
	o.wantResult()
}

// answered400 are ways to say 400 to whatever is asked. $ID is the request's id.
var answered400 = map[string]string{
	"no body":     "",
	"HTML":        "<h1>400</h1>",
	"no JSON-RPC": `{"detail":"bad"}`,
	"a legacy error": `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not ` +
		`initialized"}}`,
	"invalid params": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,` +
		`"message":"Invalid request parameters"}}`,
	"method not found": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}`,
	"unsupported, modern offered": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"x",` +
		`"data":{"supported":["2026-07-28"]}}}`,
	"unsupported, legacy offered": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"x",` +
		`"data":{"supported":["2025-11-25"]}}}`,
	"unsupported, both offered": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"x",` +
		`"data":{"supported":["2026-07-28","2025-06-18"]}}}`,
	"unsupported, unknown offered": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"x",` +
		`"data":{"supported":["2099-01-01"]}}}`,
	"unsupported, nothing offered": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"x"}}`,
	"header mismatch":              `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32020,"message":"x"}}`,
	"missing capability": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32021,"message":"x",` +
		`"data":{"requiredCapabilities":{"sampling":{}}}}}`,
	"the candidate's version error": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32004,"message":"x",` +
		`"data":{"supported":["2026-07-28"]}}}`,
	"the candidate's header error": `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"x"}}`,
}

// refuse answers an exchange by 400.
func (r *rig) refuse(x engine.ExchangeID, body string) {
	r.t.Helper()
	media := coretest.JSON
	if !strings.HasPrefix(body, "{") {
		media = "text/html"
	}
	r.Head(x, 400, "content-type", media)
	if body != "" && r.Client.Owned(x) {
		r.Chunk(x, strings.ReplaceAll(body, "$ID", coretest.RequestID(r.Exchange(x).Request)))
		r.End(x, engine.EndClean)
	}
}

// Fault 25: a server that says 400 to everything is given up after a few
// questions, whatever its body says and whatever is known of it: at most two
// probes and two handshakes, never one after the other for ever.
func TestFault25_RefusalsEnd(t *testing.T) {
	for name, body := range answered400 {
		for what, cfg := range map[string]mcp.Config{
			"unknown":         {Revision: "auto"},
			"legacy before":   {Revision: "auto", Assume: "2025-06-18"},
			"modern before":   {Revision: "auto", Assume: "2026-07-28"},
			"legacy demanded": {Revision: "2025-11-25"},
			"modern demanded": {Revision: "2026-07-28"},
		} {
			r := newRig(t, cfg)
			r.Start()
			for asked := 0; len(r.UnderWay()) > 0; asked++ {
				if asked == 5 {
					r.fatal("%s, %s: still asking", name, what)
				}
				r.refuse(r.UnderWay()[0], body)
			}
			if last := r.states[len(r.states)-1]; !strings.HasPrefix(last, `{"state":"failed"`) {
				r.fatal("%s, %s: the state is %s", name, what, last)
			}
			r.wantQuiet()
			r.wantIdle()
			probes, handshakes := r.posted(`"server/discover"`), r.posted(`"method":"initialize"`)
			if probes > 2 || handshakes > 2 || cfg.Revision == "2025-11-25" && probes > 0 ||
				cfg.Revision == "2026-07-28" && handshakes > 0 {
				r.fatal("%s, %s: %d probes, %d handshakes", name, what, probes, handshakes)
			}
		}
	}
}

// Fault 25: what follows the first 400 goes by its body. An error that only a
// modern server knows is mended and asked again; any other means that the
// server is a legacy one, to which initialize is the way in.
func TestFault25_FixOrFallBack(t *testing.T) {
	for name, next := range map[string]string{
		"no body": "initialize", "HTML": "initialize", "no JSON-RPC": "initialize",
		"a legacy error": "initialize",
		"invalid params": "initialize", "method not found": "initialize",
		"the candidate's header error": "initialize",
		"unsupported, legacy offered":  "initialize", "unsupported, modern offered": "server/discover",
		"unsupported, both offered": "server/discover",
		"header mismatch":           "server/discover", "missing capability": "server/discover",
		"the candidate's version error": "server/discover",
		"unsupported, unknown offered":  "", "unsupported, nothing offered": "",
	} {
		r := newRig(t, mcp.Config{Revision: "auto", NoListen: true})
		r.Start()
		first := r.Newest()
		r.refuse(first, answered400[name])
		if next == "" {
			if r.Newest() != first {
				r.fatal("%s: asked again", name)
			}
			continue
		}
		if body := string(r.Exchange(r.Newest()).Request.Body); r.Newest() == first ||
			!strings.Contains(body, `"method":"`+next+`"`) {
			r.fatal("%s: %s follows, want %s", name, body, next)
		}
		if next == "initialize" {
			r.accept(r.Newest(), "s1")
			if last := r.states[len(r.states)-1]; !strings.Contains(last, `"open"`) {
				r.fatal("%s: the state is %s", name, last)
			}
		}
	}
}

// Fault 25: 400 in the middle of a conversation is that request's failure. No
// handshake follows, and the request is not sent again.
func TestFault25_RefusedInASession(t *testing.T) {
	for name, body := range answered400 {
		if name == "a legacy error" {
			continue // this one names the session: see fault 23
		}
		o := connected(t, mcp.Config{}).post("tools/call")
		o.refuse(o.x, body)
		if o.call(o.c).settled == nil {
			o.fatal("%s: the call has not settled", name)
		}
		o.wantQuiet()
		o.wantIdle()
	}
}

// Fault 25: a server that had worked and now says 400 to everything is asked
// again at the ladder's pace, with one probe and one handshake each time at
// most: it may be in the middle of a deployment.
func TestFault25_RefusalsWhileReconnecting(t *testing.T) {
	for name, body := range answered400 {
		r := newRig(t, mcp.Config{Revision: "auto", Assume: "2025-06-18", NoListen: true})
		r.Start()
		r.accept(r.Newest(), "s1")
		r.Advance(60_000)
		o := r.post("tools/list")
		o.Head(o.x, 404)
		before := r.Newest()
		for until := r.Now.After(600_000); r.Now < until; {
			if live := r.UnderWay(); len(live) > 0 {
				r.refuse(live[0], body)
			} else if x, _ := r.nextFetch(int64(until - r.Now)); x == 0 {
				break
			}
			if asked := int(r.Newest() - before); asked > 100 {
				r.fatal("%s: %d requests within %d ms", name, asked, 600_000-until.Since(r.Now))
			}
		}
	}
}

// Fault 25: a server that spoke a legacy revision last time and is a modern one
// now refuses initialize. It is asked what it speaks, and used as that.
func TestFault25_LegacyServerHasBecomeModern(t *testing.T) {
	for name, body := range answered400 {
		r := newRig(t, mcp.Config{Revision: "auto", Assume: "2025-06-18", NoListen: true})
		r.Start()
		r.refuse(r.Newest(), body)
		if live := r.UnderWay(); len(live) != 1 ||
			!strings.Contains(string(r.Exchange(live[0]).Request.Body), `"server/discover"`) {
			r.fatal("%s: it is not asked", name)
		}
		x := r.Newest()
		r.Head(x, 200, "content-type", coretest.JSON)
		r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request),
			`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`))
		r.End(x, engine.EndClean)
		if last := r.states[len(r.states)-1]; !strings.Contains(last, `"revision":"2026-07-28"`) {
			r.fatal("%s: the state is %s", name, last)
		}
	}
}
