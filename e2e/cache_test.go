//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryCacheHints: a result is kept for as long as the server says, until
// it says that the list has changed, which the app is told as well.
func TestStoryCacheHints(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Furnish()
	p.Cache("tools/list", 60_000, "public")
	p.Cache("resources/read", 60_000, "private")
	page := app(t, p.URL(), "")
	eventually(t, "a listener", func() bool { return p.Listeners() == 1 })
	chrome.Script[chrome.Void](page, `
		window.changed = [];
		mcp.on("changed", ({ what }) => changed.push(what));
		const { tools } = await mcp.listTools();
		tools.length = 0; // what an app does to its copy is its own business
		for (let i = 0; i < 3; i++) if ((await mcp.listTools()).tools.length === 0) throw new Error("not a copy");
		for (let i = 0; i < 3; i++) await mcp.readResource("file:///notes.txt");
		for (let i = 0; i < 3; i++) await mcp.listPrompts();`)
	for method, want := range map[string]int{"tools/list": 1, "resources/read": 1, "prompts/list": 3} {
		if n := len(p.Of(method)); n != want {
			t.Errorf("%d requests of %s, want %d", n, method, want)
		}
	}
	p.Push("notifications/tools/list_changed", "{}")
	page.WaitFor(`changed.includes("tools")`)
	chrome.Script[chrome.Void](page, `await mcp.listTools();`)
	if n := len(p.Of("tools/list")); n != 2 {
		t.Errorf("%d requests of tools/list after the change", n)
	}
	blameless(t, p)
}

// TestSharedCacheOverAReload: in a shared host what a server lets a client keep of a list outlives a reload:
// the next page asks for none of it.
func TestSharedCacheOverAReload(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Furnish()
	p.Counting(nil)
	p.Cache("tools/list", 60_000, "public")
	v := newVisits(t, p, "")
	page := v.open()
	const list = `mcp.listTools().then(({ tools }) => tools.length)`
	first := chrome.Eval[int](page, list)
	page.Reload()
	page.WaitFor(`window.ready`)
	if again := chrome.Eval[int](page, list); again != first || first == 0 {
		t.Errorf("%d tools, and then %d", first, again)
	}
	if n := len(p.Of("tools/list")); n != 1 {
		t.Errorf("%d requests of tools/list", n)
	}
	blameless(t, p)
}
