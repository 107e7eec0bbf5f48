//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// storedLists is how many lists the database of a page's origin has.
const storedLists = `new Promise((resolve, reject) => {
	const open = indexedDB.open("holdfast");
	open.onerror = () => reject(open.error);
	open.onsuccess = () => {
		const keys = open.result.transaction("log").objectStore("log").getAllKeys(IDBKeyRange.bound(["results "], ["results \uffff"]));
		keys.onsuccess = () => {
			open.result.close();
			resolve(keys.result.filter(([, , digest]) => digest !== "changed").length);
		};
	};
})`

// TestFault459_ListsOverAReload: a list that its server lets a client keep is asked for once: by no page that
// is loaded again, and by no worker that starts later. Another user asks, and so does everybody once the
// server has said that it has changed. A logout leaves none.
func TestFault459_ListsOverAReload(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Furnish()
	p.Counting(nil)
	p.Cache("tools/list", 600_000, "private")
	site, profile := chrome.NewSite(t), chrome.NewProfile(t).InWindows()
	asked := 0
	list := func(page *chrome.Page, who string, asks bool) {
		t.Helper()
		if n := chrome.Script[int](page, `return (await mcp.listTools()).tools.length;`); n == 0 {
			t.Errorf("%s gets no tools", who)
		}
		if asks {
			asked++
		}
		if n := len(p.Of("tools/list")); n != asked {
			t.Errorf("%d requests of tools/list after %s, want %d", n, who, asked)
			asked = n
		}
	}
	stored := func(page *chrome.Page, n int) {
		t.Helper()
		eventually(t, "what is stored", func() bool { return chrome.Eval[int](page, storedLists) == n })
	}
	ada := appIn(profile, site, p.URL(), `{ host: "page", principal: "ada" }`)
	list(ada, "ada's first page", true)
	stored(ada, 1)
	again := func() {
		ada.Reload()
		ada.WaitFor(`window.holdfast`)
		chrome.Script[chrome.Void](ada, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+
			`, { host: "page", principal: "ada" });`)
	}
	again()
	list(ada, "ada's reload", false)
	shared := appIn(profile, site, p.URL(), `{ host: "shared", principal: "ada" }`)
	list(shared, "ada's worker", false)
	bob := appIn(profile, site, p.URL(), `{ host: "page", principal: "bob" }`)
	list(bob, "bob", true)
	stored(bob, 2)
	listeners := 2 // one of ada's pages for both, where connections are few
	if strings.HasPrefix(p.URL(), "https:") {
		listeners = 3
	}
	eventually(t, "listeners", func() bool { return p.Listeners() == listeners })
	pages := []*chrome.Page{ada, shared, bob}
	for _, page := range pages {
		chrome.Script[chrome.Void](page, `mcp.on("changed", ({ what }) => (window.changed = what));`)
	}
	p.Push("notifications/tools/list_changed", "{}")
	for _, page := range pages {
		page.WaitFor(`window.changed === "tools"`)
	}
	stored(ada, 0)
	again()
	list(ada, "ada's reload after the change", true)
	stored(ada, 1)
	list(shared, "ada's worker, which has heard it", false)
	chrome.Script[chrome.Void](ada, `await mcp.forget();`)
	stored(ada, 0)
	blameless(t, p)
}
