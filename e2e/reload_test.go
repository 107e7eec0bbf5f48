//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// reloaded reloads the page and connects again; it returns how many calls came
// back.
func reloaded(page *chrome.Page, url string) int {
	page.Reload()
	page.WaitFor(`window.holdfast`)
	return chrome.Script[int](page, `window.mcp = await holdfast.connect(`+chrome.JS(url)+`);
		window.calls = await mcp.calls();
		if (calls.length > 0) watch(calls[0]);
		return calls.length;`)
}

// TestStoryReloadInTheMiddle is what Holdfast is for: a tool counts, the page is
// reloaded, and the next page has what the first one had and gets the rest.
func TestStoryReloadInTheMiddle(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 20, call: "a", gate: "go" }, { key: "k" }))`)
	for i := 0; i < 8; i++ {
		p.Pass("go")
	}
	page.WaitFor(`seen.progress.length === 8 && call.guarantee === "resumable"`)
	if n := reloaded(page, p.URL()); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	for i := 0; i < 13; i++ {
		p.Pass("go")
	}
	outcome(t, page, "")
	counted(t, page, 20)
	o := p.Oracle()
	if o.Runs("a") != 1 || o.Initializes() != 1 || o.MaxOpenStreams("a") != 1 {
		t.Errorf("runs %d, initializes %d, streams %d", o.Runs("a"), o.Initializes(), o.MaxOpenStreams("a"))
	}
	if key := chrome.Eval[string](page, `call.key`); key != "k" {
		t.Errorf("key %q", key)
	}
	page.WaitFor(`(await mcp.calls()).length === 0`)
	if n := reloaded(page, p.URL()); n != 0 {
		t.Errorf("an acknowledged call came back")
	}
}
