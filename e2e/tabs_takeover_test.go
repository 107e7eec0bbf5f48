//go:build !js

package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// endings of a tab that carries a call.
var tabEndings = []struct {
	name string
	end  func(*tabs, *chrome.Page)
}{
	{"closed", func(_ *tabs, p *chrome.Page) { p.Close() }},
	{"crashed", func(_ *tabs, p *chrome.Page) { p.Crash() }},
	{"navigated", func(s *tabs, p *chrome.Page) { p.Navigate(s.site.URL + "/") }},
	{"frozen", func(_ *tabs, p *chrome.Page) { p.Freeze() }},
}

// TestFault75_TakeOver: the tab that carries a call is closed, crashes, goes
// elsewhere or is frozen. One of the others goes on, nothing is lost or comes
// twice, and the server never sees two streams of the call.
func TestFault75_TakeOver(t *testing.T) {
	t.Parallel()
	for _, ending := range tabEndings {
		t.Run(ending.name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			s := newTabs(t, p, "")
			s.profile.InWindows() // who navigates goes to the back/forward cache
			rounds := lengthOf(t, 2, 4)
			watcher, other := s.open(), s.open()
			for _, page := range []*chrome.Page{watcher, other} {
				// A hidden page takes nobody for dead by silence: what is tested is that
				// the owner's end is told.
				chrome.Eval[chrome.Void](page,
					`void Object.defineProperty(document, "visibilityState", { get: () => "hidden" })`)
			}
			var times []int
			for i := range rounds {
				label := "r" + string(rune('a'+i))
				owner := s.open()
				chrome.Eval[chrome.Void](owner, `void count(`+chrome.JS(label)+`, { n: 10, gate: "`+label+
					`" })`)
				s.pass(label, 4)
				has(watcher, label, 4)
				watcher.WaitFor(`tracked.` + label + `.call.guarantee === "resumable"`)
				began := time.Now()
				ending.end(s, owner)
				taken := `tracked.` + label + `?.status.filter((state) => state === "owned").length ?? 0`
				takeovers := func() int {
					return chrome.Eval[int](watcher, taken) +
						chrome.Eval[int](other, taken)
				}
				eventually(t, "a new owner", func() bool { return takeovers() > 0 })
				times = append(times, int(time.Since(began).Milliseconds()))
				s.pass(label, 7)
				s.counted(watcher, label, 10)
				s.counted(other, label, 10)
				s.once(label)
				if ending.name == "frozen" {
					owner.Thaw()
					s.counted(owner, label, 10)
					s.once(label)
				}
				if n := takeovers(); n != 1 {
					t.Errorf("%s was taken over %d times", label, n)
				}
				owner.Close()
			}
			slices.Sort(times)
			t.Logf("%s: taken over after %v ms", ending.name, times)
			if n := p.Oracle().Initializes(); n != 1 {
				t.Errorf("%d initializes", n)
			}
		})
	}
}

// TestFault76_FrozenWithTheLock: a tab is stopped without a word, and keeps its
// lock and its stream. Its calls are taken over all the same; what it still reads and
// writes after it goes on counts for nothing, and it follows from there on.
func TestFault76_FrozenWithTheLock(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	owner := s.blank()
	chrome.Eval[chrome.Void](owner, `addEventListener("freeze", (e) => e.stopImmediatePropagation(), true)`)
	s.begin(owner)
	owner.WaitFor(`window.begun`)
	watcher := s.open()
	chrome.Eval[chrome.Void](owner, `void count("a", { n: 10, gate: "a" })`)
	s.pass("a", 2)
	has(watcher, "a", 2)
	owner.Freeze()
	s.pass("a", 2) // to the frozen tab, which cannot read it
	began := time.Now()
	watcher.WaitFor(`tracked.a.status.includes("owned")`)
	t.Logf("taken over after %v", time.Since(began))
	s.pass("a", 2)
	has(watcher, "a", 6)
	if n := resumes(p); n != 1 {
		t.Errorf("%d resumes by who took over", n)
	}
	owner.Thaw()
	owner.WaitFor(`tracked.a.call.followed`)
	s.pass("a", 5)
	s.counted(owner, "a", 10)
	s.counted(watcher, "a", 10)
	if p.Oracle().Runs("a") != 1 {
		t.Errorf("%d runs", p.Oracle().Runs("a"))
	}
	// The old owner may have asked once for the stream that it had, before it knew
	// whose the call is: on a busy machine that takes longer than its stream has to
	// show that it lives. It ends nothing.
	if n := len(p.Of("DELETE")) + len(p.Of("notifications/cancelled")); n != 0 {
		t.Errorf("%d requests that end something", n)
	}
	third := s.open()
	s.counted(third, "a", 10)
	if got := chrome.Eval[int](third, `mcp.counters.quarantinedRecords`); got != 0 {
		t.Errorf("%d records cannot be read", got)
	}
}

// resumes counts the requests that take a stream up again.
func resumes(p *peer.Peer) int {
	n := 0
	for _, r := range p.Of("GET") {
		if r.LastEventID != "" {
			n++
		}
	}
	return n
}

// TestFault77_WaitingIsNoFailure: a tab that only looks on waits for as long as
// it takes: no error, no event, no request.
func TestFault77_WaitingIsNoFailure(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	owner, watcher := s.open(), s.open()
	chrome.Eval[chrome.Void](owner, `void count("a", { n: 2, gate: "a" })`)
	s.pass("a", 1)
	has(watcher, "a", 1)
	requests := len(p.Requests())
	// Five rounds of the question whether the owner can answer.
	chrome.Script[chrome.Void](watcher, `
		window.pings = 0;
		const real = BroadcastChannel.prototype.postMessage;
		BroadcastChannel.prototype.postMessage = function (message) {
			if (message.message.kind === "ping") pings++;
			return real.call(this, message);
		};`)
	watcher.WaitFor(`pings >= 5`)
	if got := len(p.Requests()); got != requests {
		t.Errorf("%d requests came", got-requests)
	}
	if got := chrome.Eval[string](watcher, `JSON.stringify([tracked.a.status, tracked.a.done])`); got !=
		`[[],false]` {
		t.Errorf("the one that waits was told %s", got)
	}
	s.pass("a", 2)
	s.counted(watcher, "a", 2)
	s.once("a")
}

// TestFault76_EndsWhileTheOwnerSleeps: with acknowledgements of its own accord, a
// call that ends while its tab sleeps is forgotten at once by the tab that carries
// it to its end. The one that slept has every event and the result all the same.
func TestFault76_EndsWhileTheOwnerSleeps(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, `{ ack: "auto" }`)
	owner, other := s.open(), s.open()
	chrome.Eval[chrome.Void](owner, `void count("a", { n: 10, gate: "a" })`)
	s.pass("a", 4)
	has(other, "a", 4)
	has(owner, "a", 4)
	owner.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	owner.Freeze()
	s.pass("a", 7)
	s.counted(other, "a", 10)
	other.WaitFor(`mcp.stored().then(({ calls }) => calls === 0)`)
	owner.Thaw()
	s.counted(owner, "a", 10)
	owner.WaitFor(`mcp.calls().then((calls) => calls.length === 0)`)
	s.once("a")
}
