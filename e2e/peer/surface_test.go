//go:build !js

package peer_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

func TestDefaultToolsInBothForms(t *testing.T) {
	p := peer.New(t, peer.Options{PageSize: 2})
	c := connect(t, p)
	sum := c.call("add", `{"a":2,"b":0.5}`)
	equal(t, "add comes as", sum.Header.Get("Content-Type"), "application/json")
	b, _ := io.ReadAll(sum.Body)
	equal(t, "sum", strings.Contains(string(b), `"structuredContent":{"sum":2.5}`), true)
	echo := c.call("echo", `{"text":"<a> & \u2028"}`)
	equal(t, "echo comes as", echo.Header.Get("Content-Type"), "text/event-stream")
	es, _ := read(echo).rest()
	equal(t, "echo", words(es), "prime result")
	list := c.post(`{"jsonrpc":"2.0","id":"l1","method":"tools/list","params":{}}`)
	b, _ = io.ReadAll(list.Body)
	equal(t, "first page", strings.Contains(string(b), `"nextCursor":"2"`), true)
	p.Form("tools/list", peer.SSE)
	es, _ = read(c.post(`{"jsonrpc":"2.0","id":"l2","method":"tools/list","params":{"cursor":"2"}}`)).rest()
	equal(t, "second page", len(es) == 1 && strings.Contains(es[0].data, `"slow"`), true)
	clean(t, p)
}

func TestStatusOfSessions(t *testing.T) {
	p := peer.New(t, peer.Options{})
	c := connect(t, p)
	good := c.session
	ping := `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	c.session = ""
	equal(t, "missing", c.post(ping).StatusCode, 400)
	c.session = "nobody"
	equal(t, "unknown", c.post(ping).StatusCode, 404)
	c.session = good
	equal(t, "known", c.post(ping).StatusCode, 200)
	equal(t, "delete", c.do(c.request("DELETE", "")).StatusCode, 204)
	equal(t, "deleted", c.get("").StatusCode, 404)
	c.initialize()
	p.Expire()
	equal(t, "expired", c.post(ping).StatusCode, 404)
}

func TestViolationsAreSeen(t *testing.T) {
	p := peer.New(t, peer.Options{})
	c := connect(t, p)
	ping := `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	c.post(ping)
	c.post(ping)
	r := c.request("POST", ping)
	r.Header.Del("Mcp-Protocol-Version")
	r.Header.Set("Last-Event-Id", "s1-0")
	r.Header.Set("Content-Type", "application/json")
	c.do(r)
	got := strings.Join(p.Violations(), "\n")
	for _, want := range []string{"used before", "no MCP-Protocol-Version", "Last-Event-ID on a POST"} {
		equal(t, want, strings.Contains(got, want), true)
	}
}

func TestStandaloneStreamAndReply(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tool("ask", peer.Script{peer.Prime(-1), peer.Ask(`"q-1"`, "ping", ""), peer.Reply(`"q-1"`),
		peer.Text("thanks")})
	c := connect(t, p)
	alone := read(c.get(""))
	p.Push("notifications/tools/list_changed", "")
	e, _ := alone.next()
	equal(t, "pushed", what(e), "notifications/tools/list_changed")
	s := read(c.call("ask", "{}"))
	s.next()
	q, _ := s.next()
	equal(t, "asked", what(q), "ping")
	equal(t, "reply", c.post(`{"jsonrpc":"2.0","id":"q-1","result":{}}`).StatusCode, 202)
	rest, _ := s.rest()
	equal(t, "then", words(rest), "result")
	equal(t, "logged", len(p.Of("RESPONSE")), 1)
	equal(t, "cut", p.CutStreams(peer.FIN), 1)
	p.Push("notifications/prompts/list_changed", "")
	rest = nil
	again, _ := read(c.get(e.id)).next()
	equal(t, "replayed", what(again), "notifications/prompts/list_changed")
	clean(t, p)
}

func TestPreflight(t *testing.T) {
	ask := func(p *peer.Peer) *http.Response {
		r, _ := http.NewRequest("OPTIONS", p.URL(), nil)
		r.Header.Set("Origin", "http://page.example")
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Set("Access-Control-Request-Headers", "content-type,last-event-id,mcp-param-x")
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a
	}
	open := peer.New(t, peer.Options{})
	a := ask(open)
	equal(t, "status", a.StatusCode, 204)
	equal(t, "reflected", a.Header.Get("Access-Control-Allow-Headers"),
		"content-type,last-event-id,mcp-param-x")
	equal(t, "logged", open.Of("OPTIONS")[0].Status, 204)
	old := ask(peer.New(t, peer.Options{CORS: peer.CORS2025()}))
	equal(t, "2025 list", strings.Contains(strings.ToLower(old.Header.Get("Access-Control-Allow-Headers")),
		"last-event-id"), false)
	off := ask(peer.New(t, peer.Options{CORS: peer.CORS{Off: true}}))
	equal(t, "off", off.Header.Get("Access-Control-Allow-Origin"), "")
	hidden := peer.New(t, peer.Options{CORS: peer.CORS{Expose: []string{}}})
	c := connect(t, hidden)
	equal(t, "hidden", c.get("").Header.Get("Access-Control-Expose-Headers"), "")
}

func TestDownUpRestart(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tool("work", peer.Script{peer.Prime(-1), peer.Gate("go"), peer.Text("ok")})
	c := connect(t, p)
	s := read(c.call("work", "{}"))
	prime, _ := s.next()
	p.Down()
	if _, err := s.next(); err == nil {
		t.Error("the stream survived Down")
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(p.Origin(), "http://")); err == nil {
		conn.Close()
		t.Error("Down still accepts")
	}
	p.Release("go")
	p.Up()
	rest, _ := read(c.get(prime.id)).rest()
	equal(t, "after Up", words(rest), "result")
	p.Restart()
	equal(t, "after Restart", c.get(prime.id).StatusCode, 404)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	equal(t, "no stream left", p.WaitOpen(ctx, func(_, streams int) bool { return streams == 0 }), true)
}

// TestLeft: who goes away is at no gate any more, and is not served when it opens.
func TestLeft(t *testing.T) {
	p := peer.New(t, peer.Options{})
	c := connect(t, p)
	p.DelayWith("RESPONSE", `"q"`, "hold")
	equal(t, "not held", c.post(`{"jsonrpc":"2.0","id":"other","result":{}}`).StatusCode, 202)
	gone, cancel := context.WithCancel(t.Context())
	r := c.request("POST", `{"jsonrpc":"2.0","id":"q","result":{}}`).WithContext(gone)
	go func() {
		p.Waiting("hold")
		cancel()
	}()
	if _, err := c.http.Do(r); err == nil {
		t.Fatal("it was answered")
	}
	p.Left("hold")
	p.Release("hold")
	equal(t, "status", p.Of("RESPONSE")[1].Status, 0)
}

func TestDelayAuthorizationAndLog(t *testing.T) {
	p := peer.New(t, peer.Options{})
	c := connect(t, p)
	p.Delay("ping", "hold")
	go func() {
		p.Waiting("hold")
		p.Release("hold")
	}()
	equal(t, "delayed", c.post(`{"jsonrpc":"2.0","id":77,"method":"ping"}`).StatusCode, 200)
	p.Unauthorized(func(token string) bool { return token != "good" })
	a := c.get("")
	equal(t, "no token", a.StatusCode, 401)
	equal(t, "challenge", strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer "), true)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	equal(t, "log", p.WaitRequests(ctx, func(all []peer.Request) bool {
		return len(all) == 4 && all[2].Method == "ping" && all[2].ID == "77" && all[2].Status == 200 &&
			all[3].Status == 401
	}), true)
}
