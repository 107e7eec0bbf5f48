//go:build !js

package gosdk_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// ask sends a modern request, written out as the specification shows it.
func ask(t *testing.T, ctx context.Context, url, method, name, params, extra string, headers ...string) *http.Response {
	t.Helper()
	if params != "" {
		params += ","
	}
	r, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(fmt.Sprintf(
		`{"jsonrpc":"2.0","id":1,"method":%q,`+
			`"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}%s}}}`, method, params, extra)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	if name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Body.Close() })
	return a
}

func stateless(t *testing.T, o gosdk.Options) (*gosdk.Server, string) {
	o.Stateless = true
	s := gosdk.New(o)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	t.Cleanup(s.Close)
	return s, web.URL
}

func TestStateless(t *testing.T) {
	_, url := stateless(t, gosdk.Options{})
	for _, tc := range []struct {
		what, method, name, params, extra string
		headers                           []string
		status                            int
		want                              string
	}{
		{"discover", "server/discover", "", "", "", nil, 200,
			`"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`},
		{"hints", "tools/list", "", "", "", nil, 200, `"ttlMs":0,"cacheScope":"public"`},
		{"call", "tools/call", "add", `"name":"add","arguments":{"a":2,"b":0.5}`, "", nil, 200,
			`"structuredContent":{"sum":2.5}`},
		{"progress", "tools/call", "count", `"name":"count","arguments":{"n":2,"delayMs":0}`,
			`,"progressToken":"t"`, nil, 200, `"message":"2 of 2","progress":2`},
		{"log on demand", "tools/call", "write_report",
			`"name":"write_report","arguments":{"topic":"kelp","sections":1,"delayMs":0}`,
			`,"io.modelcontextprotocol/logLevel":"info"`, nil, 200, `"method":"notifications/message"`},
		{"asks", "tools/call", "greet", `"name":"greet"`, "", nil, 200,
			`"content":null,"requestState":"asked","resultType":"input_required",` +
				`"inputRequests":{"name":{"method":"elicitation/create"`},
		{"is told", "tools/call", "greet", `"name":"greet","requestState":"asked",` +
			`"inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}}`, "", nil, 200,
			`Hello, Ada!`},
		{"unmirrored", "tools/call", "routed", `"name":"routed","arguments":{"region":"eu"}`, "", nil, 400,
			`"code":-32020`},
		{"mirrored", "tools/call", "routed", `"name":"routed","arguments":{"region":"eu"}`, "",
			[]string{"Mcp-Param-Region", "eu"}, 200, `in eu`},
		{"another name", "tools/call", "add", `"name":"echo"`, "", nil, 400, `"code":-32020`},
		{"unknown tool", "tools/call", "none", `"name":"none"`, "", nil, 400, `"code":-32602`},
		{"unknown method", "no/such", "", "", "", nil, 404, `"code":-32601`},
		{"removed method", "ping", "", "", "", nil, 404, `"code":-32601`},
		// The specification demands -32022 with data; it is plain text.
		{"unknown version", "server/discover", "", "", "", []string{"MCP-Protocol-Version", "1900-01-01"},
			400, `Bad Request: Unsupported protocol version (supported versions: 2026-07-28,`},
	} {
		a := ask(t, t.Context(), url, tc.method, tc.name, tc.params, tc.extra, tc.headers...)
		b, err := io.ReadAll(a.Body)
		if a.StatusCode != tc.status || !strings.Contains(string(b), tc.want) {
			t.Errorf("%s: %s, %v, no %s in\n%s", tc.what, a.Status, err, tc.want, b)
		}
	}
}

func TestStatelessSubscription(t *testing.T) {
	s, url := stateless(t, gosdk.Options{})
	a := ask(t, t.Context(), url, "subscriptions/listen", "",
		`"notifications":{"toolsListChanged":true,"promptsListChanged":true}`, "")
	r := bufio.NewReader(a.Body)
	heard := func(part string) {
		t.Helper()
		for {
			line, err := r.ReadString('\n')
			if strings.Contains(line, part) {
				return
			}
			if err != nil {
				t.Fatalf("no %s: %v", part, err)
			}
		}
	}
	heard(`"io.modelcontextprotocol/subscriptionId":1},"notifications":{"toolsListChanged":true}}`)
	s.Announce()
	heard(`"method":"notifications/tools/list_changed",` +
		`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}`)
	s.CutStreams()
	if _, err := io.ReadAll(r); err == nil {
		t.Error("the stream ended properly")
	}
}

// "Closing the SSE response stream MUST be treated by the server as
// cancellation": the SDK does so if told to.
func TestStatelessCancellation(t *testing.T) {
	said := make(chan string, 2)
	_, url := stateless(t, gosdk.Options{Propagate: true,
		Logf: func(f string, a ...any) { said <- fmt.Sprintf(f, a...) }})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		r, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow",`+
				`"arguments":{"seconds":600},`+
				`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
				`"io.modelcontextprotocol/clientCapabilities":{}}}}`))
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "slow",
		} {
			r.Header.Set(name, value)
		}
		// Nothing comes before the first event, so that Do ends with the cancel.
		if _, err := http.DefaultClient.Do(r); err == nil {
			t.Error("headers came before the first event")
		}
	}()
	for _, want := range []string{"slow: began", "slow: cancelled after"} {
		select {
		case line := <-said:
			equal(t, line, strings.HasPrefix(line, want), true)
		case <-time.After(20 * time.Second):
			t.Fatalf("never heard %q", want)
		}
		cancel()
	}
	<-over
}
