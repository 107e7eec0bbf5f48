//go:build !js

package peer_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

func modernPeer(t *testing.T) *peer.Peer {
	return peer.New(t, peer.Options{Revision: peer.Revision20260728})
}

func TestDiscover(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728, Legacy: peer.Revision20250618,
		Instructions: "be kind"})
	p.Cache("server/discover", 3600000, "public")
	contains(t, "discover", body(modern(t, p).ask("server/discover", "", "", "")),
		`"resultType":"complete"`,
		`"supportedVersions":["2026-07-28","2025-06-18","2025-03-26","2024-11-05"]`,
		`"io.modelcontextprotocol/serverInfo":{"name"`, `"ttlMs":3600000,"cacheScope":"public"`,
		`"instructions":"be kind"`)
	clean(t, p)
	old := peer.New(t, peer.Options{Revision: peer.Revision20260728, Candidate: true})
	got := body(modern(t, old).ask("server/discover", "", "", ""))
	contains(t, "candidate", got, `"serverInfo":{"name"`)
	equal(t, "hints", strings.Contains(got, "ttlMs"), false)
	equal(t, "meta", strings.Contains(got, "_meta"), false)
}

// Server Validation: every one of these MUST be 400 (404 for the method), with
// this code.
func TestModernRefusals(t *testing.T) {
	p := modernPeer(t)
	p.Tool("guarded", peer.Script{peer.Text("ok")}, peer.Requires(`{"sampling":{"tools":{}}}`))
	c := modern(t, p)
	for _, tc := range []struct {
		name         string
		status, code int
		violation    string
		change       func(*http.Request)
	}{
		{"no version header", 400, -32020, "MCP-Protocol-Version is required",
			func(r *http.Request) { r.Header.Del("Mcp-Protocol-Version") }},
		{"other version header", 400, -32020, "body",
			func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "2025-11-25") }},
		{"no method header", 400, -32020, "Mcp-Method []",
			func(r *http.Request) { r.Header.Del("Mcp-Method") }},
		{"method in another case", 400, -32020, `Mcp-Method ["Tools/call"]`,
			func(r *http.Request) { r.Header.Set("Mcp-Method", "Tools/call") }},
		{"no name", 400, -32020, "Mcp-Name is there 0 times",
			func(r *http.Request) { r.Header.Del("Mcp-Name") }},
		{"another name", 400, -32020, `Mcp-Name "add"`,
			func(r *http.Request) { r.Header.Set("Mcp-Name", "add") }},
		{"bad base64", 400, -32020, "Mcp-Name illegal base64",
			func(r *http.Request) { r.Header.Set("Mcp-Name", "=?base64?***?=") }},
		{"encoded name", 400, -32021, "",
			func(r *http.Request) { r.Header.Set("Mcp-Name", "=?base64?Z3VhcmRlZA==?=") }},
		{"capability", 400, -32021, "", func(*http.Request) {}},
		{"no accept", 406, -32600, "Accept",
			func(r *http.Request) { r.Header.Set("Accept", "application/json") }},
		{"session and cursor", 400, -32021, "",
			func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "x") }},
	} {
		r := c.request(soon(t), "tools/call", "guarded", `"name":"guarded"`, "")
		before := len(p.Violations())
		tc.change(r)
		a := c.send(r)
		equal(t, tc.name+": status", a.StatusCode, tc.status)
		equal(t, tc.name+": code", code(body(a)), tc.code)
		if tc.violation == "" {
			equal(t, tc.name+": violations", len(p.Violations()), before)
		} else {
			dishonest(t, p, tc.violation)
		}
	}
	equal(t, "ran", p.Ran("guarded"), 0)
	a := c.ask("no/such", "", "", "")
	equal(t, "unknown method: status", a.StatusCode, 404)
	equal(t, "unknown method: code", code(body(a)), -32601)
	equal(t, "unknown tool is in band", c.call("none", "{}").StatusCode, 200)
	for _, method := range []string{"GET", "DELETE"} {
		r, _ := http.NewRequestWithContext(soon(t), method, p.URL(), nil)
		equal(t, method, c.send(r).StatusCode, 405)
	}
}

func TestModernBodies(t *testing.T) {
	for _, tc := range []struct {
		body         string
		status, code int
		violation    string
	}{
		{`[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`, 400, -32600, "batches"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, 400, -32600, "a JSON-RPC response was sent"},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, 0,
			"a notification was sent"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 400, -32602,
			"_meta has no io.modelcontextprotocol/protocolVersion"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list",` +
			`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, 400, -32602,
			"clientCapabilities"},
		{`{"jsonrpc":"2.0","id":1.5,"method":"tools/list","params":{` + meta + `}}}`, 200, 0,
			"neither string nor integer"},
	} {
		p := modernPeer(t)
		c := modern(t, p)
		r := c.request(soon(t), "tools/list", "", "", "")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(tc.body)), int64(len(tc.body))
		a := c.send(r)
		equal(t, tc.body, a.StatusCode, tc.status)
		equal(t, tc.body, code(body(a)), tc.code)
		dishonest(t, p, tc.violation)
	}
}

func TestUnsupportedVersionNamesWhatIs(t *testing.T) {
	for candidate, want := range map[bool]int{false: -32022, true: -32004} {
		p := peer.New(t, peer.Options{Revision: peer.Revision20260728, Candidate: candidate})
		c := modern(t, p)
		r := c.request(soon(t), "server/discover", "", "", "")
		text, _ := io.ReadAll(r.Body)
		text = []byte(strings.Replace(string(text), "2026-07-28", "1900-01-01", 1))
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(text))), int64(len(text))
		r.Header.Set("MCP-Protocol-Version", "1900-01-01")
		a := c.send(r)
		equal(t, "status", a.StatusCode, 400)
		got := body(a)
		equal(t, "code", code(got), want)
		contains(t, "data", got, `"data":{"requested":"1900-01-01","supported":["2026-07-28"]}`)
		clean(t, p)
	}
}

func TestLegacyOpeningOfAModernServer(t *testing.T) {
	p := modernPeer(t)
	c := &client{t: t, url: p.URL(), http: http.DefaultClient}
	a := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	equal(t, "status", a.StatusCode, 400)
	contains(t, "it names what it speaks", body(a), "-32020", "this server supports 2026-07-28")
	clean(t, p)
}

func TestDualEra(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728, Legacy: peer.Revision20251125})
	es, _ := read(modern(t, p).call("echo", `{"text":"new"}`)).rest()
	equal(t, "modern", words(es), "result")
	equal(t, "no ids", es[0].id, "")
	c := connect(t, p)
	es, _ = read(c.call("echo", `{"text":"old"}`)).rest()
	equal(t, "legacy", words(es), "prime result")
	equal(t, "no resultType", strings.Contains(es[1].data, "resultType"), false)
	equal(t, "sessions", p.Sessions(), 1)
	clean(t, p)
}

func TestModernStreamAndItsCancellation(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Tool("work", peer.Script{
		peer.Prime(0), peer.Progress(1, 2, "one"), peer.Log("warning", "w"), peer.Gate("go"),
		peer.Text("done"),
	})
	c := modern(t, p)
	a := c.call("work", "{}")
	equal(t, "buffering", a.Header.Get("X-Accel-Buffering"), "no")
	s := read(a)
	e, _ := s.next()
	equal(t, "no priming event, no id", what(e)+e.id, "p1")
	a.Body.Close()
	equal(t, "cancelled", p.Await(soon(t), func() bool { return p.Cancelled("work") == 1 }), true)
	p.Release("go")
	es, _ := read(c.ask("tools/call", "work", `"name":"work"`,
		`,"io.modelcontextprotocol/logLevel":"info"`)).rest()
	equal(t, "logs on demand, progress too", words(es), "notifications/message result")
	p.Tool("cut", peer.Script{peer.Open(), peer.Cut(peer.FIN), peer.Gate("after"), peer.Text("late")})
	_, err := read(c.call("cut", "{}")).rest()
	equal(t, "lost", err, io.ErrUnexpectedEOF)
	p.Waiting("after") // the tool goes on, as one does that has not noticed
	c.next--           // the same id again
	read(c.call("cut", "{}")).rest()
	dishonest(t, p, "again for a request that was lost")
	equal(t, "by the client", p.Cancelled("cut"), 0)
}

func TestIgnoredCancellationAndJSON(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728, IgnoreCancel: true})
	p.Tool("stubborn", peer.Script{peer.Gate("go"), peer.Gate("end"), peer.Text("x")}, peer.AsJSON)
	c := modern(t, p)
	ctx, cancel := context.WithCancel(soon(t))
	r := c.request(ctx, "tools/call", "stubborn", `"name":"stubborn"`, "")
	over := make(chan struct{})
	go func() {
		http.DefaultClient.Do(r)
		close(over)
	}()
	p.Waiting("go")
	cancel()
	<-over
	equal(t, "seen", p.Await(soon(t), func() bool { return p.Cancelled("stubborn") == 1 }), true)
	p.Release("go")
	p.Waiting("end")
}

// An outage is not the client's doing: the tool goes on, its answer is lost.
func TestModernOutage(t *testing.T) {
	p := modernPeer(t)
	p.Tool("work", peer.Script{peer.Open(), peer.Gate("go"), peer.Gate("end"), peer.Text("done")})
	c := modern(t, p)
	s := read(c.call("work", "{}"))
	p.Waiting("go")
	p.Down()
	if _, err := s.next(); err == nil {
		t.Error("the stream survived Down")
	}
	p.Up()
	p.Release("go")
	p.Waiting("end")
	equal(t, "cancelled", p.Cancelled("work"), 0)
	s = read(c.call("echo", `{"text":"back"}`))
	es, _ := s.rest()
	equal(t, "back", words(es), "result")
	clean(t, p)
}
