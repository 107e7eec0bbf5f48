//go:build !js

package e2e

import (
	"net/url"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault118_MarkupIsText: what a server says of itself, of its tools and in a
// result is text to the demo page, whatever a browser could make of it.
func TestFault118_MarkupIsText(t *testing.T) {
	t.Parallel()
	const markup = `<img src=x onerror="window.owned=1"><script>window.owned=1</script><a ` +
		`href="javascript:window.owned=1">x</a><svg onload="window.owned=1">`
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Tool("evil", peer.Script{peer.Prime(0), peer.Progress(1, 1, markup), peer.Log("error", markup),
		peer.Text(markup)},
		peer.Describe(markup, markup),
		peer.Schema(`{"type":"object","properties":{`+chrome.JS(markup)+`:{"type":"string","title":`+
			chrome.JS(markup)+`,"description":`+chrome.JS(markup)+`}}}`))
	_, page := demo(t)
	base := chrome.Eval[string](page, `location.origin`)
	page.Navigate(base + inspectorPath + "?server=" + url.QueryEscape(p.URL()))
	chrome.Script[chrome.Void](page, `
		const field = `+hook("connection-url")+`;
		field.value = `+chrome.JS(p.URL())+`;
		field.dispatchEvent(new Event("input", { bubbles: true }));`)
	press(page, selector("connect"))
	page.WaitFor(hook("state") + `.dataset.state === "open" && document.querySelector('[data-tool="evil"]')`)
	page.Click(`[data-tool="evil"] summary`)
	page.Click(`[data-tool="evil"] [data-testid="run"]`)
	page.WaitFor(hook("call-output") + `?.textContent.includes("onerror")`)
	got := chrome.Eval[struct {
		Owned   bool
		Foreign int
	}](page, `({ owned: "owned" in window, foreign: document.querySelectorAll('img[src="x"], svg[onload],`+
		` a[href^="javascript:"]').length })`)
	if got.Owned || got.Foreign != 0 {
		t.Errorf("got %+v", got)
	}
}
