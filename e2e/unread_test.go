//go:build !js

package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// heldBy returns how many bytes a page holds: JavaScript's heap, and what lies in its
// buffers, the memory of the wasm included.
func heldBy(page *chrome.Page) int {
	chrome.Call(page, heapprofiler.CollectGarbage, cdp.Empty{})
	usage := chrome.Call(page, runtime.GetHeapUsage, cdp.Empty{})
	return int(usage.UsedSize + usage.BackingStorageSize)
}

// TestFault140_UnreadInChrome: a server sends 150 MB of events to a page that asks
// for nothing but the result. The page holds what its limits allow, and little more;
// whoever reads the events after all is told that some are missing.
func TestFault140_UnreadInChrome(t *testing.T) {
	t.Parallel()
	const limit, room = 16 << 20, 16 << 20
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), `{ limits: { backlogBytes: 16 << 20, stored: 8 << 20 } }`)
	chrome.Script[chrome.Void](page, `await mcp.listTools();`)
	before := heldBy(page)
	n := chrome.Script[int](page, `
		window.call = mcp.callTool("count", { n: 150, call: "a", bytes: 1 << 20 });
		return (await call.result).structuredContent.n;`)
	if n != 150 {
		t.Errorf("the result is %d", n)
	}
	grown := heldBy(page) - before
	t.Logf("%d bytes are held", grown)
	if grown > limit+room {
		t.Errorf("%d bytes are held beside the %d that may wait", grown-limit, limit)
	}
	code := chrome.Script[string](page, `
		let had = 0;
		try {
			for await (const event of call) if (event.type === "progress") had++;
		} catch (error) {
			return had > 3 && had < 150 ? error.code : "after " + had;
		}
		return "none of " + had;`)
	if code != "limit_exceeded" {
		t.Errorf("who reads them is told %q", code)
	}
	if grown := heldBy(page) - before; grown > room {
		t.Errorf("%d bytes are held when they are read", grown)
	}
}
