//go:build !js

package tsserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/tsserver"
)

const capable = `"elicitation":{"form":{}}`

type client struct {
	t    *testing.T
	url  string
	next int
}

func start(t *testing.T, o tsserver.Options) (*tsserver.Server, *client) {
	s := tsserver.Start(t, o)
	return s, &client{t: t, url: s.URL}
}

func (c *client) send(ctx context.Context, headers map[string]string, body string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, "POST", c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Origin", "http://127.0.0.1:1")
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { a.Body.Close() })
	return a
}

// ask sends a modern request; headers beyond the version and the method are
// given, as are the capabilities.
func (c *client) ask(method, params, capabilities string, headers map[string]string) *http.Response {
	c.t.Helper()
	c.next++
	all := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
	for name, value := range headers {
		all[name] = value
	}
	if params != "" {
		params += ","
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
	c.t.Cleanup(cancel)
	return c.send(ctx, all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,`+
		`"params":{%s"_meta":{"progressToken":"t","io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{%s}}}}`, c.next, method, params, capabilities))
}

func (c *client) call(tool, arguments string, headers map[string]string) *http.Response {
	c.t.Helper()
	all := map[string]string{"Mcp-Name": tool}
	for name, value := range headers {
		all[name] = value
	}
	return c.ask("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments), capable, all)
}

func check(t *testing.T, what string, a *http.Response, status int, media string, parts ...string) {
	t.Helper()
	b, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != status || a.Header.Get("Content-Type") != media {
		t.Errorf("%s: %s, %s, %v", what, a.Status, a.Header.Get("Content-Type"), err)
	}
	for _, part := range parts {
		if !strings.Contains(string(b), part) {
			t.Errorf("%s: no %s in\n%s", what, part, b)
		}
	}
}

const asJSON, asSSE = "application/json", "text/event-stream"

func TestModernEra(t *testing.T) {
	_, c := start(t, tsserver.Options{})
	check(t, "discover", c.ask("server/discover", "", "", nil), 200, asJSON,
		`"supportedVersions":["2026-07-28"]`, `"io.modelcontextprotocol/serverInfo":{"name"`,
		`"ttlMs":0,"cacheScope":"private"`)
	check(t, "hints", c.ask("tools/list", "", "", nil), 200, asJSON, `"ttlMs":60000,"cacheScope":"public"`,
		`"x-mcp-header":"Region"`)
	check(t, "echo", c.call("echo", `{"text":"hi"}`, nil), 200, asJSON, `"text":"hi"`,
		`"resultType":"complete"`)
	check(t, "add", c.call("add", `{"a":2,"b":0.5}`, nil), 200, asJSON, `"structuredContent":{"sum":2.5}`)
	check(t, "progress makes a stream", c.call("slow", `{"steps":2,"delayMs":1}`, nil), 200, asSSE,
		`"progress":2,"total":2`, `"text":"done after 2 steps"`)
	check(t, "resource", c.ask("resources/read", `"uri":"file:///notes/x"`, "",
		map[string]string{"Mcp-Name": "file:///notes/x"}), 200, asJSON, `"text":"a note called x"`)
	check(t, "prompt", c.ask("prompts/get", `"name":"greet","arguments":{"who":"Ada"}`, "",
		map[string]string{"Mcp-Name": "greet"}), 200, asJSON, `Say hello to Ada`)
	name := map[string]string{"Mcp-Name": "greet"}
	check(t, "asks", c.ask("tools/call", `"name":"greet"`, capable, name), 200, asJSON,
		`"resultType":"input_required"`, `"requestState":"asked"`)
	check(t, "is told", c.ask("tools/call", `"name":"greet","requestState":"asked",`+
		`"inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}}`, capable, name), 200, asJSON,
		`Hello, Ada!`)
	check(t, "cannot ask", c.ask("tools/call", `"name":"greet"`, "", name), 400, asJSON, `"code":-32021`,
		`"requiredCapabilities":{"elicitation":{"form":{}}}`)
	check(t, "unmirrored", c.call("routed", `{"region":"eu"}`, nil), 400, asJSON, `"code":-32020`,
		`Mcp-Param-Region header is absent`)
	check(t, "mirrored", c.call("routed", `{"region":"eu"}`, map[string]string{"Mcp-Param-Region": "eu"}),
		200, asJSON, `in eu`)
	check(t, "method", c.ask("no/such", "", "", nil), 404, asJSON, `"code":-32601`)
	check(t, "version header", c.ask("tools/list", "", "",
		map[string]string{"MCP-Protocol-Version": "2025-11-25"}), 400, asJSON, `"code":-32020`)
}

func TestLegacyEra(t *testing.T) {
	_, c := start(t, tsserver.Options{})
	a := c.send(t.Context(), nil, `{"jsonrpc":"2.0","id":0,"method":"initialize",`+
		`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if id := a.Header.Get("Mcp-Session-Id"); id != "" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("headers: %v", a.Header)
	}
	check(t, "initialize", a, 200, asSSE, `"protocolVersion":"2025-11-25"`)
	version := map[string]string{"MCP-Protocol-Version": "2025-11-25"}
	check(t, "initialized", c.send(t.Context(), version,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`), 202, "")
	check(t, "no header is demanded", c.send(t.Context(), version, `{"jsonrpc":"2.0","id":1,`+
		`"method":"tools/call","params":{"name":"routed","arguments":{"region":"eu"}}}`), 200, asSSE, `in eu`)
	r, _ := http.NewRequestWithContext(t.Context(), "GET", c.url, nil)
	r.Header.Set("Accept", asSSE)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	if got.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %s", got.Status)
	}
}

// heard reads a stream up to a line that holds part.
func heard(t *testing.T, r *bufio.Reader, part string) string {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if strings.Contains(line, part) {
			return line
		}
		if err != nil {
			t.Fatalf("no %s: %v", part, err)
		}
	}
}

func TestSubscription(t *testing.T) {
	s, c := start(t, tsserver.Options{KeepAlive: 50 * time.Millisecond})
	a := c.ask("subscriptions/listen", `"notifications":{"toolsListChanged":true,`+
		`"resourceSubscriptions":["file:///notes.txt"],"taskIds":["x"]}`, "", nil)
	r := bufio.NewReader(a.Body)
	ack := heard(t, r, "acknowledged")
	if !strings.Contains(ack,
		`"notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///notes.txt"]}`) {
		t.Error(ack)
	}
	heard(t, r, ": keepalive")
	s.Announce("prompts") // not asked for
	s.Announce("tools")
	heard(t, r, `"method":"notifications/tools/list_changed",`+
		`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}`)
	s.Updated("file:///notes.txt")
	heard(t, r, `"uri":"file:///notes.txt","_meta":{"io.modelcontextprotocol/subscriptionId":1}`)
	s.Close()
	heard(t, r,
		`"id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1`)
}

func TestClosingCancels(t *testing.T) {
	s, c := start(t, tsserver.Options{})
	a := c.call("slow", `{"steps":1000,"delayMs":20}`, nil)
	heard(t, bufio.NewReader(a.Body), `"progress":1`)
	a.Body.Close()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(s.Output(), "slow: cancelled at step") {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("the tool went on\n%s", s.Output())
		}
	}
}
