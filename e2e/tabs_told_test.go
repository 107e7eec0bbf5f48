//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// unheard has what a page tells the others wait until release() lets it go.
const unheard = `(() => {
	const held = [], post = BroadcastChannel.prototype.postMessage;
	BroadcastChannel.prototype.postMessage = function (message) { held.push([this, message]); };
	window.release = () => {
		BroadcastChannel.prototype.postMessage = post;
		for (const [channel, message] of held) channel.postMessage(message);
	};
})()`

// told checks that a page has the result of a call that counted to n, of which it has seen `seen` numbers, and
// that it was told which events there are no more.
func (s *tabs) told(page *chrome.Page, label string, seen, n int) {
	s.t.Helper()
	page.WaitFor(`tracked.` + label + `.done`)
	got := chrome.Eval[struct {
		Code, Why string
		N         int
		Marks     []int
		Gaps      [][2]int
	}](page, `(({ code, why, n, marks, gaps }) => ({ code, why, n, marks, gaps }))(tracked.`+label+`)`)
	if got.Code != "" || got.N != n {
		s.t.Errorf("%s ended with %q and %d: %s", label, got.Code, got.N, got.Why)
	}
	if len(got.Marks) != seen || len(got.Gaps) != 1 {
		s.t.Errorf("%s: the numbers %v, and the gaps %v", label, got.Marks, got.Gaps)
	}
}

// TestFault790_EndedWhileATabLoads: a tab loads while another one's call runs, and is not heard of before the call has
// ended, its app has the outcome, and it is deleted. Whoever carried it tells how it has ended.
func TestFault790_EndedWhileATabLoads(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, `{ ack: "auto" }`)
	owner, late := s.open(), s.blank()
	chrome.Eval[chrome.Void](owner, `void count("a", { n: 4, gate: "a" })`)
	s.pass("a", 1)
	has(owner, "a", 1)
	chrome.Eval[chrome.Void](late, unheard)
	s.begin(late)
	late.WaitFor(`tracked.a?.call.followed`)
	had := chrome.Eval[int](late, `tracked.a.marks.length`)
	s.pass("a", 4)
	s.counted(owner, "a", 4)
	owner.WaitFor(`mcp.stored().then(({ calls }) => calls === 0)`)
	if chrome.Eval[bool](late, `tracked.a.done`) {
		t.Error("the tab was heard of: the story shows nothing")
	}
	chrome.Eval[chrome.Void](late, `release()`)
	s.told(late, "a", had, 4)
	s.once("a")
}

// TestFault790_EndedWhileInTheCache: a page rests in the back/forward cache while a call ends that it holds, one that it
// follows, and one that it had begun itself and another tab has taken over.
func TestFault790_EndedWhileInTheCache(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		p := peer.New(t, peer.Options{})
		p.Counting(nil)
		s := newTabs(t, p, `{ ack: "auto" }`)
		s.profile.InWindows()
		s.site.Page("/elsewhere", ``)
		page, other := s.open(), s.open()
		maker := other
		if own {
			maker = page
		}
		chrome.Eval[chrome.Void](maker, `void count("a", { n: 6, gate: "a" })`)
		s.pass("a", 2)
		has(page, "a", 2)
		has(other, "a", 2)
		maker.WaitFor(`tracked.a.call.guarantee === "resumable"`)
		chrome.Eval[chrome.Void](page, `void (window.left = true)`)
		page.Navigate(s.site.URL + "/elsewhere")
		other.WaitFor(`!tracked.a.call.followed`)
		s.pass("a", 5)
		s.counted(other, "a", 6)
		other.WaitFor(`mcp.stored().then(({ calls }) => calls === 0)`)
		page.Back()
		if !chrome.Eval[bool](page, `window.left === true`) {
			t.Skip("the browser has not kept the page")
		}
		s.told(page, "a", 2, 6)
		s.once("a")
	}
}

// TestFault790_NotBehindALogout: the same, and the user logs out before the tab is heard of: nobody tells it anything.
func TestFault790_NotBehindALogout(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, `{ ack: "auto" }`)
	owner, late := s.open(), s.blank()
	chrome.Eval[chrome.Void](owner, `void count("a", { n: 2, gate: "a" })`)
	s.pass("a", 1)
	has(owner, "a", 1)
	chrome.Eval[chrome.Void](late, unheard)
	s.begin(late)
	late.WaitFor(`tracked.a?.call.followed`)
	s.pass("a", 2)
	s.counted(owner, "a", 2)
	chrome.Script[chrome.Void](owner, `await mcp.forget();`)
	chrome.Eval[chrome.Void](late, `(() => { try { release(); } catch {} })()`) // it may have heard of the logout, and have no channel any more
	late.WaitFor(`tracked.a.done`)
	if got := chrome.Eval[int](late, `tracked.a.n`); got != 0 {
		t.Errorf("it was told that the call came to %d", got)
	}
}
