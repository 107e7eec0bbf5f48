//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestSharedReload: a page is reloaded in the middle of a call, twice. The server sees
// nothing of it, and neither does the page but that it has the call from another one.
func TestSharedReload(t *testing.T) {
	t.Parallel()
	overBothWires(t, func(t *testing.T, p *peer.Peer) {
		v := newVisits(t, p, "")
		page := v.open()
		v.count(page, "a", 9, 3)
		page.Reload()
		v.has(page, "a", 3)
		if !chrome.Eval[bool](page, `trails.a.restored && mcp.host === "shared"`) {
			t.Error("the call is not restored")
		}
		passes(p, "a", 3)
		v.has(page, "a", 6)
		page.Reload()
		v.has(page, "a", 6)
		passes(p, "a", 4)
		v.ends(page, "a")
		v.uncut("a")
		v.oneHandshake()
		if workers := v.profile.SharedWorkers(); len(workers) != 1 {
			t.Errorf("%d workers", len(workers))
		}
		chrome.Eval[chrome.Void](page, forgetAll)
		page.WaitFor(`(await mcp.calls()).length === 0`)
		page.Reload()
		page.WaitFor(`window.ready`)
		if n := chrome.Eval[int](page, `Object.keys(trails).length`); n != 0 {
			t.Errorf("%d calls come back that were acknowledged", n)
		}
	})
}

// TestFault196_SharedTwoClientsReload: a page has two clients of one server, and is reloaded.
// Both go with it, and the call goes on.
func TestFault196_SharedTwoClientsReload(t *testing.T) {
	t.Parallel()
	overBothWires(t, func(t *testing.T, p *peer.Peer) {
		v := newVisits(t, p, "")
		page := v.open()
		second := `holdfast.connect(mcp.url, { host: "shared", ack: "manual" }).then((client) => { ` +
			`window.second = client; })`
		chrome.Eval[chrome.Void](page, second)
		v.count(page, "a", 6, 2)
		for come := 2; come <= 3; come++ {
			page.Reload()
			v.has(page, "a", come)
			chrome.Eval[chrome.Void](page, second)
			passes(p, "a", 1)
			v.has(page, "a", come+1)
		}
		passes(p, "a", 3)
		v.ends(page, "a")
		v.uncut("a")
		v.oneHandshake()
	})
}

// TestSharedAway: the page goes elsewhere while its call goes on, and comes back: what
// it has missed is there, in order, and the stream was not cut.
func TestSharedAway(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(v *visits) string{
		"another page":   func(v *visits) string { return v.site.URL + "/" },
		"another origin": func(v *visits) string { return v.away },
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			overBothWires(t, func(t *testing.T, p *peer.Peer) {
				v := newVisits(t, p, "")
				page := v.open()
				v.count(page, "a", 8, 3)
				page.Navigate(away(v))
				passes(p, "a", 3)
				eventually(t, "the server to go on",
					func() bool { return len(p.Oracle().Produced("a")) == 6 })
				page.Back()
				v.has(page, "a", 6)
				passes(p, "a", 3)
				v.ends(page, "a")
				v.uncut("a")
				v.oneHandshake()
			})
		})
	}
}

// TestSharedLastTabClosed: the last tab closes, the call ends meanwhile, and a tab that
// opens later has all of it.
func TestSharedLastTabClosed(t *testing.T) {
	t.Parallel()
	overBothWires(t, func(t *testing.T, p *peer.Peer) {
		v := newVisits(t, p, "")
		page := v.open()
		v.count(page, "a", 6, 3)
		page.Close()
		passes(p, "a", 4)
		p.Left("a")
		eventually(t, "the stream to end", func() bool { return p.Oracle().OpenStreams("a") == 0 })
		page = v.open()
		v.ends(page, "a")
		v.uncut("a")
		v.oneHandshake()
	})
}

// TestFault193_SharedFromTheCache: while another tab lives, Chrome keeps a page that goes in its
// back/forward cache. It comes back with its own objects, and goes on with them.
func TestFault193_SharedFromTheCache(t *testing.T) {
	t.Parallel()
	overBothWires(t, func(t *testing.T, p *peer.Peer) {
		v := newVisits(t, p, "")
		page, other := v.open(), v.open()
		v.count(page, "a", 9, 3)
		v.has(other, "a", 3)
		cached := 0
		for come := 3; come <= 6; come += 3 {
			chrome.Eval[chrome.Void](page, `void (window.same = true)`)
			page.Navigate(v.site.URL + "/")
			passes(p, "a", 3)
			v.has(other, "a", come+3)
			page.Back()
			switch why := chrome.Eval[string](page, `window.same ? "" : `+
				`performance.getEntriesByType("navigation")[0].notRestoredReasons?.reasons.map(({ reason }) `+
				`=> reason).join()`); why {
			case "":
				cached++
			case "weblocks-contention":
				// The page gives its lock back as it goes, and the worker waits for it: once
				// in a while the browser looks before it has it back, and loads the page anew.
			default:
				t.Fatalf("not from the cache: %s", why)
			}
			v.has(page, "a", come+3)
		}
		if cached == 0 {
			t.Error("never from the cache")
		}
		passes(p, "a", 1)
		v.ends(page, "a")
		v.ends(other, "a")
		v.uncut("a")
		v.oneHandshake()
	})
}

// TestFault194_SharedFrozenPage: a page that takes nothing holds up nobody, and has all of it
// when it thaws.
func TestFault194_SharedFrozenPage(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Counting(nil)
	v := newVisits(t, p, "")
	page, other := v.open(), v.open()
	v.count(page, "a", 6, 2)
	v.has(other, "a", 2)
	page.Freeze()
	// More than any page is sent without having taken it.
	carry(other, []counting{{Call: "big", N: 400, Bytes: 20_000}})
	passes(p, "a", 5)
	v.ends(other, "big")
	page.Thaw()
	v.ends(page, "a")
	v.ends(page, "big")
	v.uncut("a")
	v.uncut("big")
}
