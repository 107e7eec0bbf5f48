//go:build !js

package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryConnectErrors: what a person reads who got something wrong, and
// what a program can tell it by.
func TestStoryConnectErrors(t *testing.T) {
	t.Parallel()
	cors := func(c peer.CORS) func(*testing.T) string {
		return func(t *testing.T) string { return peer.New(t, peer.Options{CORS: c}).URL() }
	}
	answer := func(r peer.Response) func(*testing.T) string {
		return func(t *testing.T) string {
			p := peer.New(t, peer.Options{})
			p.Answer("initialize", r)
			return p.URL()
		}
	}
	for name, test := range map[string]struct {
		url        func(*testing.T) string
		code, hint string
	}{
		"server down": {func(t *testing.T) string {
			return "http://" + nobody(t) + "/mcp"
		}, "network_error", "Nothing answers at http://127.0.0.1:"},
		"wrong path": {func(t *testing.T) string {
			return strings.TrimSuffix(peer.New(t, peer.Options{Site: withCORS(http.NotFoundHandler())}).URL(),
				"/mcp") + "/mpc"
		}, "http_error", "There is no MCP endpoint at /… (status 404)"},
		"wrong path, no CORS there": {func(t *testing.T) string {
			return peer.New(t, peer.Options{}).Origin() + "/mpc"
		}, "cors_blocked", "is the path right?"},
		"a web page": {answer(peer.Response{Header: map[string]string{"Content-Type": "text/html"},
			Body: "<h1>Hi</h1>"}),
			"protocol_error", "not as an MCP server does"},
		"no CORS": {cors(peer.CORS{Off: true}), "cors_blocked",
			"Access-Control-Allow-Origin: http://127.0.0.1:"},
		"content-type forbidden": {cors(
			peer.CORS{Allow: []string{"mcp-protocol-version", "mcp-session-id", "last-event-id"}}),
			"cors_blocked", "Access-Control-Allow-Headers: content-type"},
		"session id forbidden": {cors(
			peer.CORS{Allow: []string{"content-type", "mcp-protocol-version", "last-event-id"}}),
			"cors_blocked", "Access-Control-Allow-Headers: mcp-session-id"},
		"session id hidden": {cors(peer.CORS{Expose: []string{}}), "http_error",
			"Access-Control-Expose-Headers: Mcp-Session-Id"},
		"token wanted": {func(t *testing.T) string {
			p := peer.New(t, peer.Options{})
			p.Unauthorized(func(string) bool { return true })
			return p.URL()
		}, "unauthorized", "pass a token provider"},
		"no JSON-RPC": {answer(peer.Response{Body: `{}`}), "protocol_error", "not as an MCP server does"},
		"unknown revision": {answer(
			peer.Response{Body: `{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"1999-01-01"}}`}),
			"no_revision", ""},
		"not a URL":      {func(*testing.T) string { return "http://" }, "bad_argument", ""},
		"another scheme": {func(*testing.T) string { return "ftp://x/" }, "bad_argument", ""},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
			page.WaitFor(`window.holdfast`)
			got := chrome.Script[failure](page, `return attempt(() => holdfast.connect(`+
				chrome.JS(test.url(t))+`));`)
			if got.Code != test.code || !strings.Contains(got.Hint, test.hint) {
				t.Errorf("got %+v, want code %s and a hint with %q", got, test.code, test.hint)
			}
		})
	}
}

// TestStoryAbortedBefore: as with fetch, a signal that was aborted before sends
// nothing.
func TestStoryAbortedBefore(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	page := app(t, p.URL(), "")
	got := chrome.Script[failure](page,
		`return attempt(() => mcp.callTool("add", { a: 1, b: 2 }, { signal: AbortSignal.abort() }).result);`)
	if got.Code != "cancelled" {
		t.Errorf("got %+v", got)
	}
	chrome.Script[chrome.Void](page, `await mcp.ping();`)
	if n := p.Ran("add"); n != 0 {
		t.Errorf("the tool ran %d times", n)
	}
}

// withCORS lets pages of every origin read the answers.
func withCORS(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "*")
		if r.Method == http.MethodOptions {
			return
		}
		h.ServeHTTP(w, r)
	})
}

// TestStoryBadArguments: each names the argument, and none ends the runtime.
func TestStoryBadArguments(t *testing.T) {
	t.Parallel()
	_, url := sdkServer(t)
	page := app(t, url, "")
	for call, names := range map[string]string{
		`holdfast.connect("/mcp", { headers: { "x-a": "line\nbreak" } })`:  `headers["x-a"]`,
		`holdfast.connect("/mcp", { headers: { "Mcp-Session-Id": "x" } })`: `headers["Mcp-Session-Id"]`,
		`holdfast.connect("/mcp", { headers: { "Cookie": "x" } })`:         `headers["Cookie"]`,
		`holdfast.connect("/mcp", { headers: { "x a": "b" } })`:            `headers["x a"]`,
		`holdfast.connect("/mcp", { timeouts: { idle: -1 } })`:             `timeouts.idle`,
		`holdfast.connect("/mcp", { limits: { depth: 0 } })`:               `limits.depth`,
		`holdfast.connect("/mcp", { token: "secret" })`:                    `token`,
		`holdfast.connect("/mcp", { revision: 7 })`:                        `revision`,
		`mcp.callTool("echo", {}, { signal: new AbortController() })`:      `signal`,
		`mcp.callTool("echo", {}, { meta: { progressToken: 1 } })`:         `meta.progressToken`,

		`holdfast.connect("/mcp", { signal: "now" })`:                                                  `signal`,
		`holdfast.connect("/mcp", { token: () => "t", headers: new Headers({ authorization: "x" }) })`: `headers["authorization"]`,
		`holdfast.connect(undefined)`:                                                                  `url`,
		`holdfast.connect("/mcp", { clint: {} })`:                                                      `clint`,
		`holdfast.connect("/mcp", { host: "shared", sendWithn: 5 })`:                                   `sendWithn`,
		`(await import("/holdfast-agent.mjs")).connectAgent("/acp", { rerun: "never" })`:               `rerun`,
		`mcp.on("progres", () => {})`:                                                                  `event`,
		`mcp.callTool(undefined)`:                                                                      `name`,
		`mcp.callTool("")`:                                                                             `name`,
		`mcp.callTool("echo", { text: 1n })`:                                                           `args`,
		`mcp.request("initialize")`:                                                                    `method`,
		`mcp.request("tools/list", {}, { timeouts: { total: NaN } })`:                                  `timeouts.total`,
	} {
		got := chrome.Script[failure](page, `return attempt(async () => (await `+call+`)?.result);`)
		if got.Code != "bad_argument" || !strings.Contains(got.Message, names) {
			t.Errorf("%s: %+v, want bad_argument that names %s", call, got, names)
		}
	}
	if sum := chrome.Script[float64](page,
		`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`); sum != 3 {
		t.Errorf("sum %v", sum)
	}
}
