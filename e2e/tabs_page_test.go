//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault57_BackForwardCache: a page goes to the back/forward cache in the
// middle of a call, another tab goes on with it, and the page comes back: it
// follows, and has missed nothing.
func TestFault57_BackForwardCache(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	s.profile.InWindows()
	s.site.Page("/elsewhere", ``)
	owner, other := s.open(), s.open()
	chrome.Eval[chrome.Void](owner, `(() => { count("a", { n: 10, gate: "a" }); window.left = true; })()`)
	s.pass("a", 4)
	has(other, "a", 4)
	owner.Navigate(s.site.URL + "/elsewhere")
	other.WaitFor(`tracked.a.status.includes("owned")`)
	s.pass("a", 2)
	has(other, "a", 6)
	owner.Back()
	restored := chrome.Eval[bool](owner, `window.left === true`)
	t.Logf("restored from the cache: %v", restored)
	if !restored {
		t.Logf("why not: %s",
			chrome.Eval[string](owner,
				`JSON.stringify(performance.getEntriesByType("navigation")[0].notRestoredReasons)`))
		owner.WaitFor(`window.ready`)
		s.begin(owner)
	}
	has(owner, "a", 6)
	s.pass("a", 5)
	s.counted(owner, "a", 10)
	s.counted(other, "a", 10)
	s.once("a")
}

// TestFault57_BackAlone: the same without another tab: the page itself goes on.
func TestFault57_BackAlone(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	s.profile.InWindows()
	s.site.Page("/elsewhere", ``)
	owner := s.open()
	chrome.Eval[chrome.Void](owner, `(() => { count("a", { n: 8, gate: "a" }); window.left = true; })()`)
	s.pass("a", 4)
	has(owner, "a", 4)
	owner.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	owner.Navigate(s.site.URL + "/elsewhere")
	s.pass("a", 2)
	owner.Back()
	if !chrome.Eval[bool](owner, `window.left === true`) {
		owner.WaitFor(`window.ready`)
		s.begin(owner)
	}
	s.pass("a", 3)
	s.counted(owner, "a", 8)
	s.once("a")
}

// TestFault148_HearsAgain: a page comes back from the back/forward cache while
// another tab is open: each hears of the calls that the other makes from then on,
// also after a second stay there, and the page takes over where the other ends.
func TestFault148_HearsAgain(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	s.profile.InWindows()
	s.site.Page("/elsewhere", ``)
	page, other := s.open(), s.open()
	for _, round := range []string{"1", "2"} {
		s.backFromCache(page)
		// It is held until the page has it: one that begins and ends before the page is quite back is
		// nobody's but the other's.
		theirs := "theirs" + round
		chrome.Eval[chrome.Void](other, `void count("`+theirs+`", { n: 2, gate: "`+theirs+`" })`)
		s.pass(theirs, 1)
		has(page, theirs, 1)
		s.pass(theirs, 2)
		s.counted(page, theirs, 2)
		chrome.Eval[chrome.Void](page, `void count("mine`+round+`", { n: 2 })`)
		s.counted(other, "mine"+round, 2)
	}
	chrome.Eval[chrome.Void](other, `void count("left", { n: 4, gate: "left" })`)
	s.pass("left", 2)
	has(page, "left", 2)
	shut(other, s.site)
	page.WaitFor(`!tracked.left.call.followed`)
	s.pass("left", 3)
	s.counted(page, "left", 4)
	s.once("left")
}

// backFromCache leaves a page and comes back to it from the back/forward cache. On a busy machine Chrome
// gives up a page that it has kept now and then ("navigation-canceled", "masked"): that is loaded, and left
// once more.
func (s *tabs) backFromCache(page *chrome.Page) {
	s.t.Helper()
	for range 5 {
		chrome.Eval[chrome.Void](page, `void (window.left = true)`) // a page from the cache has it still
		page.Navigate(s.site.URL + "/elsewhere")
		page.Back()
		if chrome.Eval[bool](page, `window.left === true`) {
			return
		}
		s.t.Logf("not from the cache: %s",
			chrome.Eval[string](page,
				`JSON.stringify(performance.getEntriesByType("navigation")[0].notRestoredReasons)`))
		page.WaitFor(`window.ready`)
		s.begin(page)
		page.WaitFor(`window.begun`)
	}
	s.t.Fatal("five times not from the cache")
}

// TestFault60_NewerStore: a newer version of Holdfast opens the database in
// another tab. This one writes no more, says so, and works on.
func TestFault60_NewerStore(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	old := s.open()
	chrome.Eval[chrome.Void](old, `(() => { window.kept = []; mcp.on("durability",`+
		` (e) => kept.push(e.durability + " " + e.why)); count("a", { n: 6, gate: "a" }); })()`)
	s.pass("a", 3)
	has(old, "a", 3)
	old.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	newer := s.blank()
	rows := chrome.Script[int](newer, `
		const { version } = (await indexedDB.databases()).find(({ name }) => name === "holdfast");
		const db = await new Promise((resolve, reject) => {
			const open = indexedDB.open("holdfast", version + 1);
			open.onsuccess = () => resolve(open.result);
			open.onerror = () => reject(open.error);
		});
		window.rows = () => new Promise((resolve) => { const all = db.transaction("log").objectStore("log").count(); all.onsuccess = () => resolve(all.result); });
		return rows();`)
	old.WaitFor(`kept.join() === "memory newer" && mcp.durability === "memory"`)
	s.pass("a", 4)
	s.counted(old, "a", 6)
	chrome.Eval[chrome.Void](old, `void count("b", { n: 2 })`)
	s.counted(old, "b", 2)
	if got := chrome.Eval[int](newer, `rows()`); got != rows {
		t.Errorf("the old page has written %d rows to the newer store", got-rows)
	}
	// An old page that is opened now works, too.
	again := s.open()
	chrome.Eval[chrome.Void](again, `void count("c", { n: 2 })`)
	s.counted(again, "c", 2)
	if got := chrome.Eval[string](again, `mcp.durability`); got != "memory" {
		t.Errorf("it says %s", got)
	}
}

// TestFault78_NoLocksNoChannel: a browser without Web Locks, without a
// BroadcastChannel or without both. Tabs find out by leases and by reading.
func TestFault78_NoLocksNoChannel(t *testing.T) {
	t.Parallel()
	for _, missing := range []struct{ name, script string }{
		{"no locks", `Object.defineProperty(navigator, "locks", { value: undefined });`},
		{"no channel", `window.BroadcastChannel = undefined;`},
		{"neither", `Object.defineProperty(navigator, "locks", { value: undefined });` +
			` window.BroadcastChannel = undefined;`},
	} {
		t.Run(missing.name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			s := newTabs(t, p, "")
			s.url = s.site.Page("/less", missing.script+"\nimport(\"/app.mjs\");")
			one, two := s.open(), s.open()
			chrome.Eval[chrome.Void](one, `void count("a", { n: 8, gate: "a" })`)
			s.pass("a", 3)
			has(one, "a", 3)
			one.WaitFor(`tracked.a.call.guarantee === "resumable"`)
			if missing.name == "no locks" {
				has(two, "a", 3)
			}
			three := s.open()
			has(three, "a", 3)
			if !chrome.Eval[bool](three, `tracked.a.call.followed`) {
				t.Error("two tabs carry the call")
			}
			shut(one, s.site)
			three.WaitFor(`true`)
			s.pass("a", 6)
			s.counted(three, "a", 8)
			s.once("a")
		})
	}
}
