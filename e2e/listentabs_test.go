//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault542_SevenTabsListen: over HTTP/1.1 a browser has six connections to a server, and seven
// tabs of a user have their runtime in the page. One of them listens, and all hear what changes:
// also once that one is gone.
func TestFault542_SevenTabsListen(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Counting(nil)
	profile := chrome.NewProfile(t)
	url := chrome.NewSite(t).Page("/tab", `import * as holdfast from "/holdfast.mjs";
		window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { host: "page" });
		window.changes = 0;
		window.missed = 0;
		mcp.on("changed", ({ what }) => { if (what === "tools") changes++; });
		mcp.on("listen", (event) => { if (event.missed) missed++; });
		window.ready = true;`)
	var tabs []*chrome.Page
	for range 7 {
		tab := profile.Open(url)
		tab.WaitFor(`window.ready`)
		chrome.Script[chrome.Void](tab, `await mcp.listTools({ cache: "reload" })`)
		tabs = append(tabs, tab)
	}
	eventually(t, "one stream that listens", func() bool { return p.Listeners() == 1 })
	p.Push("notifications/tools/list_changed", "")
	for _, tab := range tabs {
		tab.WaitFor(`changes === 1`)
	}
	tabs[0].Close()
	for _, tab := range tabs[1:] {
		tab.WaitFor(`missed === 1`)
	}
	eventually(t, "another one", func() bool { return p.Listeners() == 1 })
	p.Push("notifications/tools/list_changed", "")
	for _, tab := range tabs[1:] {
		tab.WaitFor(`changes === 3`) // that it may have missed something says so as well
	}
}
