//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault187_SharedKilled: the worker dies under its page. Another one goes on from the
// journal: the call is resumed where the server can, and of unknown outcome where it cannot.
func TestFault187_SharedKilled(t *testing.T) {
	t.Parallel()
	for revision, want := range map[string]string{
		peer.Revision20251125: "result",
		peer.Revision20260728: "outcome_unknown",
	} {
		t.Run(revision, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{Revision: revision})
			p.Counting(nil)
			v := newVisits(t, p, "")
			page, other := v.open(), v.open()
			v.count(page, "a", 6, 3)
			v.has(other, "a", 3)
			if want == "result" {
				page.WaitFor(`carried.a.guarantee === "resumable"`)
			}
			first := v.worker()
			first.Kill()
			if want != "result" {
				// The browser may list it no more while it still reads for a moment. (An
				// oracle's streams are those of revisions that resume.)
				eventually(t, "the stream to be closed", func() bool { return p.Cancelled("count") == 1 })
			}
			passes(p, "a", 4)
			// What each page had goes on in it, or ends there with a word that says so.
			for _, has := range []*chrome.Page{page, other} {
				has.WaitFor(`trails.a.outcome`)
				if now := chrome.Eval[string](has, `mcp.state`); now != "open" {
					has.WaitFor(`mcp.state === "open"`)
				}
			}
			if second := v.worker(); second.ID == first.ID {
				t.Error("the worker lives")
			}
			// The next page has the call as the journal has it.
			v.outcome(v.open(), "a", want)
			if runs := p.Oracle().Runs("a"); runs != 1 {
				t.Errorf("%d runs", runs)
			}
			blameless(t, p)
		})
	}
}

// TestFault187_SharedKilledWithoutAPage: the worker dies while no page is there. The next page
// starts one, which takes up what the journal has.
func TestFault187_SharedKilledWithoutAPage(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	v := newVisits(t, p, "")
	page := v.open()
	v.count(page, "a", 6, 3)
	page.WaitFor(`carried.a.guarantee === "resumable"`)
	page.Close()
	passes(p, "a", 1)
	eventually(t, "the server to go on", func() bool { return len(p.Oracle().Produced("a")) == 4 })
	v.worker().Kill()
	eventually(t, "the stream to be cut", func() bool { return p.Oracle().OpenStreams("a") == 0 })
	page = v.open()
	v.has(page, "a", 4)
	passes(p, "a", 3)
	v.outcome(page, "a", "result")
	v.oneHandshake()
	blameless(t, p)
}

// TestFault187_SharedCrashedTab: a renderer dies, and with it the worker if the page was the one
// that started it: Chrome has both in one process. The next page goes on all the same.
func TestFault187_SharedCrashedTab(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	v := newVisits(t, p, "")
	page := v.open()
	v.count(page, "a", 6, 3)
	page.WaitFor(`carried.a.guarantee === "resumable"`)
	page.Crash()
	passes(p, "a", 2)
	page = v.open()
	v.has(page, "a", 5)
	passes(p, "a", 2)
	v.outcome(page, "a", "result")
	blameless(t, p)
}

// TestFault573_SharedKilledWithSubscriptions: the worker dies under pages that have subscribed to resources.
// The next one is asked for those that they have by then, and updates come.
func TestFault573_SharedKilledWithSubscriptions(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{peer.Revision20251125, peer.Revision20260728} {
		t.Run(revision, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{Revision: revision})
			p.Furnish()
			v := newVisits(t, p, "journal: false,")
			page, other := v.open(), v.open()
			for _, has := range []*chrome.Page{page, other} {
				chrome.Script[chrome.Void](has, `
					window.updates = [];
					window.replaced = new Promise((resolve) => {
						let wasCut = false;
						mcp.on("state", ({ state }) => (wasCut ||= state === "reconnecting") && state === "open" && resolve());
					});
					mcp.on("notification", ({ method, params }) => method === "notifications/resources/updated" && updates.push(params.uri));`)
			}
			chrome.Script[chrome.Void](page, `await mcp.subscribeResource("file:///notes.txt");`+
				` await mcp.subscribeResource("file:///ended.txt");`+
				` await mcp.unsubscribeResource("file:///ended.txt");`)
			chrome.Script[chrome.Void](other, `await mcp.subscribeResource("file:///other.txt");`)
			first := v.worker()
			first.Kill()
			for _, has := range []*chrome.Page{page, other} {
				chrome.Script[chrome.Void](has, `await replaced; updates.length = 0;`)
			}
			eventually(t, "an update of each", func() bool {
				p.Updated("file:///ended.txt")
				p.Updated("file:///notes.txt")
				p.Updated("file:///other.txt")
				return chrome.Eval[bool](page,
					`["file:///notes.txt", "file:///other.txt"].every((uri) => updates.includes(uri))`)
			})
			if chrome.Eval[bool](page, `updates.includes("file:///ended.txt")`) {
				t.Error("subscribed again to what was ended")
			}
			blameless(t, p)
		})
	}
}
