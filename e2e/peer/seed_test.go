//go:build !js

package peer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

const openSeed = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"Workflow Manager","version":"1.0.0"}}}`

func seedClient(t *testing.T, p *peer.Peer) *client {
	return &client{t: t, url: p.URL(), http: http.DefaultClient}
}

// as2025 sends the headers that clients in use send.
func (c *client) as2025(method, body string) *http.Response {
	c.t.Helper()
	r := c.request(method, body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("mcp-protocol-version", "2025-06-18")
	return c.do(r)
}

func TestSeedOpening(t *testing.T) {
	p := peer.Seed(t)
	c := seedClient(t, p)
	a := c.post(openSeed)
	equal(t, "status", a.StatusCode, 202)
	equal(t, "type", a.Header.Get("Content-Type"), "text/event-stream")
	c.session = a.Header.Get("mcp-session-id")
	equal(t, "session", c.session != "", true)
	wire := body(a)
	equal(t, "one event, CRLF, no type, no id", strings.HasPrefix(wire, "data: {") &&
		strings.HasSuffix(wire, "}\r\n\r\n") && strings.Count(wire, "\n") == 2, true)
	contains(t, "result", wire, `"serverInfo"`, `"protocolVersion":"2025-06-18"`)
	equal(t, "initialized",
		c.as2025("POST", `{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`).StatusCode,
		204)
	list := c.as2025("POST",
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"progressToken":2}}}`)
	equal(t, "tools/list", list.Header.Get("Content-Type"), "text/event-stream")
	wire = body(list)
	equal(t, "tools/list is one event", strings.Count(wire, "data: "), 1)
	contains(t, "tools", wire, `"result":{"tools":[{`)
	call := c.as2025("POST",
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`)
	equal(t, "tools/call is one event", strings.Count(body(call), "data: "), 1)
	hello := c.as2025("GET", "")
	equal(t, "GET", hello.StatusCode, 200)
	equal(t, "GET without parameters", hello.Header.Get("Content-Type"), "application/json")
	contains(t, "another method", body(c.as2025("POST", `{"jsonrpc":"2.0","id":4,"method":"ping"}`)),
		"-32601")
	equal(t, "DELETE", c.as2025("DELETE", "").StatusCode, 405)
	clean(t, p)
}

func TestSeedChoices(t *testing.T) {
	p := peer.Seed(t, peer.SeedOptions{InitializeAsJSON: true, Notified: 200, Gone: 410, NameEvents: true})
	c := seedClient(t, p)
	a := c.post(openSeed)
	equal(t, "status", a.StatusCode, 200)
	equal(t, "type", a.Header.Get("Content-Type"), "application/json")
	c.session = a.Header.Get("mcp-session-id")
	equal(t, "initialized",
		c.as2025("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`).StatusCode, 200)
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	equal(t, "named", strings.HasPrefix(body(c.as2025("POST", list)), "event: message\r\ndata: "), true)
	for _, status := range []int{404, 410, 502, 503, 504} {
		p.FailNext("tools/list", 1, peer.Response{Status: status})
		equal(t, "on demand", c.as2025("POST", list).StatusCode, status)
		equal(t, "once", c.as2025("POST", strings.Replace(list, "2", "2", 1)).StatusCode, 200)
	}
	r := c.request("GET", "")
	r.URL.RawQuery = "stream=1"
	r.Header.Set("mcp-protocol-version", "2025-06-18")
	s := read(c.do(r))
	p.Push("notifications/tools/list_changed", "")
	e, _ := s.next()
	equal(t, "GET with parameters", what(e), "notifications/tools/list_changed")
	p.Expire()
	gone := c.as2025("POST", list)
	equal(t, "expired", gone.StatusCode, 410)
	equal(t, "not JSON-RPC", body(gone), "session not found\n")
}

func TestSeedResultOnGET(t *testing.T) {
	p := peer.Seed(t, peer.SeedOptions{InitializeOnGET: true})
	c := seedClient(t, p)
	a := c.post(openSeed)
	equal(t, "status", a.StatusCode, 202)
	equal(t, "no body", body(a), "")
	c.session = a.Header.Get("mcp-session-id")
	e, _ := read(c.as2025("GET", "")).next()
	contains(t, "result", e.data, `"id":1,"result":{"capabilities"`)
	clean(t, p)
}

// Section 2, and not a header more: no DELETE, no Last-Event-ID, no Mcp-Method.
func TestSeedCORS(t *testing.T) {
	p := peer.Seed(t)
	c := seedClient(t, p)
	h := c.do(c.request("OPTIONS", "")).Header
	equal(t, "origin", h.Get("Access-Control-Allow-Origin"), "*")
	equal(t, "methods", h.Get("Access-Control-Allow-Methods"), "GET, POST, OPTIONS")
	equal(t, "allow", h.Get("Access-Control-Allow-Headers"),
		"Content-Type, Accept, Authorization, mcp-protocol-version, mcp-session-id")
	equal(t, "expose", c.post(openSeed).Header.Get("Access-Control-Expose-Headers"), "mcp-session-id")
}
