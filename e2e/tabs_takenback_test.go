//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault57_TakenBack: a person goes on to the next page of an app, back, and
// forward again, with one call under way and one that has ended. The page that is
// back goes on with the first and sees its end; the next one, which had it in
// between, has that end from the store and asks the server for nothing.
func TestFault57_TakenBack(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	s.profile.InWindows()
	next := s.site.Page("/next", tabScript)
	page := s.open()
	const noted = `window.left = true` // a page from the cache has it still
	chrome.Eval[chrome.Void](page,
		`(() => { count("a", { n: 8, gate: "a" }); count("b", { n: 2, gate: "b" }); `+noted+`; })()`)
	s.pass("a", 3)
	s.pass("b", 3)
	has(page, "a", 3)
	s.counted(page, "b", 2)
	page.WaitFor(`tracked.a.call.guarantee === "resumable"`)

	page.Navigate(next)
	page.WaitFor(`window.ready`)
	s.begin(page)
	page.WaitFor(`window.begun`)
	chrome.Eval[chrome.Void](page, `(() => { `+noted+`; })()`)
	s.pass("a", 2)
	has(page, "a", 5)
	s.counted(page, "b", 2)

	page.Back()
	back := func() {
		page.WaitFor(`window.tracked`)
		if !chrome.Eval[bool](page, `window.left === true`) {
			t.Log("not from the cache")
			page.WaitFor(`window.ready`)
			s.begin(page)
		}
	}
	back()
	s.pass("a", 4)
	s.counted(page, "a", 8)

	page.Forward()
	back()
	s.counted(page, "a", 8)
	s.counted(page, "b", 2)
	s.once("a")
	s.once("b")
}
