//go:build !js

package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// connecting tries to connect a page and returns what it is told.
func connecting(t *testing.T, url, options string) failure {
	t.Helper()
	page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
	page.WaitFor(`window.holdfast`)
	return chrome.Script[failure](page, `return attempt(() => holdfast.connect(`+chrome.JS(url)+`, `+options+
		`));`)
}

// elsewhere redirects to a URL, with the method and the body.
func elsewhere(url string) peer.Response {
	return peer.Response{Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": url}}
}

// TestFault29_RedirectElsewhere: a browser would follow a redirect to whatever
// origin it names, with the body, the session and the token. It is not
// followed, at no stage, and the error says what happened.
func TestFault29_RedirectElsewhere(t *testing.T) {
	t.Parallel()
	canary := peer.NewCanary(t)
	p := peer.New(t, peer.Options{})
	p.Answer("*", elsewhere(canary.URL))
	if got := connecting(t, p.URL(), `{ token: () => "secret" }`); got.Code != "http_error" ||
		!strings.Contains(got.Hint, "redirects") {
		t.Errorf("connect: %+v", got)
	}

	p = peer.New(t, peer.Options{})
	p.Answer("GET", elsewhere(canary.URL))
	page := app(t, p.URL(), `{ token: () => "secret" }`)
	for _, method := range []string{"tools/call", "tools/list"} {
		p.FailNext(method, 1, elsewhere(canary.URL))
	}
	for _, request := range []string{`mcp.callTool("echo", { text: "x" }).result`, `mcp.listTools()`} {
		got := chrome.Script[failure](page, `return attempt(() => `+request+`);`)
		if got.Code != "http_error" || !strings.Contains(got.Message, "redirects") || got.Retryable {
			t.Errorf("%s: %+v", request, got)
		}
	}
	if sum := chrome.Script[float64](page,
		`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`); sum != 3 {
		t.Errorf("sum %v", sum)
	}
	if n := len(p.Of("GET")); n > 1 {
		t.Errorf("%d GETs for a stream that is elsewhere", n)
	}
	if canary.Hits() != 0 {
		t.Errorf("%d requests went to the other origin, with the token: %v", canary.Hits(), canary.SawToken())
	}
}

// TestFault33_RedirectLoop: a redirect to itself ends like any other.
func TestFault33_RedirectLoop(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Answer("*", elsewhere(p.URL()))
	if got := connecting(t, p.URL(), `{}`); got.Code != "http_error" ||
		!strings.Contains(got.Hint, "redirects") {
		t.Errorf("got %+v", got)
	}
}

// TestFault26_RetryAfterDateInChrome: the form with a date counts like the form
// in seconds, also where a resume is refused.
func TestFault26_RetryAfterDateInChrome(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Tool("steps", peer.Script{peer.Prime(10), peer.Progress(1, 1, ""), peer.Gate("cut"), peer.Cut(peer.FIN),
		peer.Text("done")})
	p.OnResume(func(int) peer.Fault {
		at := time.Now().Add(10 * time.Minute).UTC().Format(http.TimeFormat)
		return peer.Fault{Answer: &peer.Response{Status: 503, Header: map[string]string{"Retry-After": at}}}
	})
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 1`)
	p.Release("cut")
	page.WaitFor(`seen.events.some((e) => e.why === "refused")`)
	// up to a minute more: nobody comes back all at once
	if delay := chrome.Eval[int](page, `seen.events.find((e) => e.why === "refused").delay`); delay <
		500_000 || delay > 660_000 {
		t.Errorf("tried again in %d ms, the server asked for ten minutes", delay)
	}
}

// TestFault30_DeleteRefusedByCORS: where the preflight forbids DELETE, closing
// works all the same.
func TestFault30_DeleteRefusedByCORS(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORS2025()})
	page := app(t, p.URL(), "")
	if state := chrome.Script[string](page, `await mcp.close(); return mcp.state;`); state != "closed" {
		t.Errorf("state %s", state)
	}
	if n := len(p.Of("DELETE")); n != 0 {
		t.Errorf("%d DELETEs", n)
	}
}

// TestFault31_HiddenSessionIsDiagnosed: a page that may not read the session id
// cannot be served by a server that asks for it. The error names the header
// that is missing.
func TestFault31_HiddenSessionIsDiagnosed(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORS{Expose: []string{}}})
	if got := connecting(t, p.URL(), `{}`); got.Code != "http_error" ||
		!strings.Contains(got.Hint, "Access-Control-Expose-Headers: Mcp-Session-Id") {
		t.Errorf("got %+v", got)
	}
}

// TestFault32_ShortBodyInChrome: a body shorter than its Content-Length is no
// answer, although its text is complete.
func TestFault32_ShortBodyInChrome(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	page := app(t, p.URL(), "")
	short := peer.Response{Header: map[string]string{"Content-Length": "4096"},
		Body: `{"jsonrpc":"2.0","id":$ID,"result":{"tools":[],"content":[]}}`}
	p.Answer("tools/list", short)
	p.Answer("tools/call", short)
	if got := chrome.Script[failure](page, `return attempt(() => mcp.listTools());`); got.Code !=
		"network_error" || !got.Retryable {
		t.Errorf("tools/list: %+v", got)
	}
	if got := chrome.Script[failure](page, `return attempt(() => mcp.callTool("echo").result);`); got.Code !=
		"outcome_unknown" {
		t.Errorf("tools/call: %+v", got)
	}
}

// TestFault33_SlowHeaders: a server that takes the connection and says nothing
// ends the wait with a typed error, at the start and later.
func TestFault33_SlowHeaders(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Delay("server/discover", "never")
	if got := connecting(t, p.URL(), `{ timeouts: { answer: 300 } }`); got.Code != "timeout" {
		t.Errorf("server/discover: %+v", got)
	}
	p.Delay("server/discover", "")
	p.Delay("initialize", "never")
	if got := connecting(t, p.URL(), `{ timeouts: { answer: 300 } }`); got.Code != "timeout" {
		t.Errorf("initialize: %+v", got)
	}
	p.Delay("initialize", "")
	page := app(t, p.URL(), "")
	p.Delay("tools/call", "never")
	if got := chrome.Script[failure](page,
		`return attempt(() => mcp.callTool("echo", {}, { timeouts: { answer: 300 } }).result);`); got.Code !=
		"timeout" {
		t.Errorf("tools/call: %+v", got)
	}
	chrome.Script[chrome.Void](page, `await mcp.ping();`)
}

// TestFault33_HugeHeaders: Chrome refuses a header block of 256 KiB. That is a
// connection that failed, and the client goes on.
func TestFault33_HugeHeaders(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	page := app(t, p.URL(), "")
	huge := peer.Response{Header: map[string]string{"X-Fill": strings.Repeat("x", 300<<10)},
		Body: `{"jsonrpc":"2.0","id":$ID,"result":{"tools":[]}}`}
	p.FailNext("tools/list", 1, huge)
	if got := chrome.Script[failure](page, `return attempt(() => mcp.listTools());`); got.Code !=
		"network_error" || !got.Retryable {
		t.Errorf("got %+v", got)
	}
	if n := chrome.Script[int](page, `return (await mcp.listTools()).tools.length;`); n == 0 {
		t.Error("the client does not work any more")
	}
}

// TestFault33_InformationalStatus: 1xx heads before the answer are not the
// answer.
func TestFault33_InformationalStatus(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	page := app(t, p.URL(), "")
	p.Answer("tools/call",
		peer.Response{
			Wire: "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n" +
				"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: " +
				"application/json\r\nConnection: " +
				"close\r\n\r\n" +
				`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"done"}]}}`})
	if text := chrome.Script[string](page,
		`return (await mcp.callTool("echo").result).content[0].text;`); text != "done" {
		t.Errorf("got %q", text)
	}
}
