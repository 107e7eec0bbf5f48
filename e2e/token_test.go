//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryTokenProvider: the provider is asked before the first request and
// once more when the token is refused, however many requests find out; each is
// repeated once.
func TestStoryTokenProvider(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	valid := "t1"
	p.Unauthorized(func(token string) bool { return token != valid })
	page := app(t, p.URL(), `{ token: async () => "t" + (window.asked = (window.asked ?? 0) + 1) }`)
	chrome.Script[chrome.Void](page, `await mcp.ping();`)
	valid = "t2"
	sums := chrome.Script[[]float64](page, `
		const calls = [1, 2, 3, 4].map((a) => mcp.callTool("add", { a, b: 0 }).result);
		return (await Promise.all(calls)).map((r) => r.structuredContent.sum);`)
	if len(sums) != 4 || sums[3] != 4 {
		t.Errorf("sums %v", sums)
	}
	if asked := chrome.Eval[int](page, `asked`); asked != 2 {
		t.Errorf("the provider was asked %d times", asked)
	}
	if n := p.Ran("add"); n != 4 {
		t.Errorf("add ran %d times", n)
	}
	valid = "never"
	if code := chrome.Script[failure](page, `return attempt(() => mcp.ping());`).Code; code != "unauthorized" {
		t.Errorf("code %q", code)
	}
	blameless(t, p)
}

// TestStoryTokenProviderFails: its message is the cause, and nothing is sent.
func TestStoryTokenProviderFails(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
	page.WaitFor(`window.holdfast`)
	got := chrome.Script[[]string](page, `
		const error = await holdfast.connect(`+chrome.JS(p.URL())+`, { token: () => Promise.reject(new Error("signed out")) }).catch((e) => e);
		return [error.code, String(error.cause?.cause?.message ?? error.cause?.message)];`)
	if got[0] != "unauthorized" {
		t.Errorf("got %v", got)
	}
	if n := len(p.Requests()); n != 0 {
		t.Errorf("%d requests without a token", n)
	}
}
