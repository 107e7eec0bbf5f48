//go:build !js

package e2e

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// hangs has a page hang until the function that it returns is called: it keeps its locks and its connections, and runs nothing.
func (s *tabs) hangs(page *chrome.Page) (goOn func()) {
	s.t.Helper()
	hung, over := make(chan struct{}), make(chan struct{})
	s.site.Handle("/hang", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(hung); <-over }))
	chrome.Eval[chrome.Void](page, `void setTimeout(() => {
		const request = new XMLHttpRequest();
		request.open("GET", "/hang", false);
		request.send();
	}, 0)`)
	<-hung
	goOn = sync.OnceFunc(func() { close(over) })
	s.t.Cleanup(goOn) // before the pages are looked at and closed
	return goOn
}

// TestFault792_HungTabHoldsTheConnections: over HTTP/1.1 a tab hangs whose calls have the connections that there are
// for calls. A call of another tab leaves all the same, by one connection more, and says what it waits for; and the call
// that the tab looks on at goes on there, once its server lets go of the stream. What the hung tab still has of it, it
// finds to be another one's.
func TestFault792_HungTabHoldsTheConnections(t *testing.T) {
	long(t)
	t.Parallel()
	for name, conflict := range map[string]bool{"the newest stream counts": false, "409": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := peer.New(t, peer.Options{Conflict: conflict})
			p.Counting(nil)
			s := newTabs(t, p, `{ ack: "manual", host: "page" }`)
			owner, other := s.open(), s.open()
			chrome.Eval[chrome.Void](owner, `void count("a", { n: 6, gate: "a" })`)
			// Two of another user's, which the other tab does not look on at.
			chrome.Script[chrome.Void](owner, `
				window.bob = await connectAs(`+chrome.JS(p.URL())+`, { ack: "manual", host: "page", principal: "bob" });
				for (const label of ["b", "c"]) track(bob.callTool("count", { call: label, n: 6, gate: label }));`)
			for _, label := range []string{"a", "b", "c"} {
				s.pass(label, 2)
				has(owner, label, 2)
			}
			has(other, "a", 2)
			goOn := s.hangs(owner)
			chrome.Eval[chrome.Void](other, `void count("new", { n: 2 })`)
			s.counted(other, "new", 2)
			if got := chrome.Eval[[]string](other, `tracked.new.waits`); len(got) != 1 || got[0] != "hung" {
				t.Errorf("it said that it waits for %v", got)
			}
			if conflict { // the server lets nobody else have the stream before its tab is gone
				other.WaitFor(`tracked.a.waits.includes("refused")`)
			} else {
				s.pass("a", 2)
				has(other, "a", 4)
			}
			goOn()
			for _, label := range []string{"a", "b", "c"} {
				s.pass(label, 5)
				s.counted(owner, label, 6)
				if n := p.Oracle().Runs(label); n != 1 {
					t.Errorf("%s ran %d times", label, n)
				}
			}
			s.counted(other, "a", 6)
			s.once("new")
			if n := chrome.Eval[int](other, `mcp.counters.quarantinedRecords`) + chrome.Eval[int](owner, `mcp.counters.quarantinedRecords`); n != 0 {
				t.Errorf("%d records cannot be read", n)
			}
		})
	}
}

// TestFault792_BusyTabKeepsItsConnections: the same for 8 s. Nothing goes past it: it is a living tab's.
func TestFault792_BusyTabKeepsItsConnections(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{NoEventIDs: true}) // what cannot be resumed gives no connection back
	p.Counting(nil)
	s := newTabs(t, p, `{ ack: "manual", host: "page" }`)
	owner, other := s.open(), s.open()
	for _, label := range []string{"a", "b", "c"} {
		chrome.Eval[chrome.Void](owner, `void count("`+label+`", { n: 2, gate: "`+label+`" })`)
		s.pass(label, 1)
		has(owner, label, 1)
	}
	chrome.Eval[chrome.Void](other, `void count("new", { n: 2 })`)
	goOn := s.hangs(owner)
	time.Sleep(8 * time.Second)
	goOn()
	// As long as it takes to ask the tab ten times more.
	other.WaitFor(`(window.asked ??= performance.now()) + 12_000 < performance.now()`)
	if n := p.Oracle().Runs("new"); n != 0 {
		t.Error("a call has gone past a tab that lives")
	}
	for _, label := range []string{"a", "b", "c"} {
		s.pass(label, 2)
		s.counted(owner, label, 2)
		s.once(label)
	}
	s.counted(other, "new", 2)
	s.once("new")
}

// TestFault793_HungTabListens: the tab hangs that listens for all. Another one listens after a while, and all hear what
// changes; when the first one goes on, one listens again.
func TestFault793_HungTabListens(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Counting(nil)
	s := newTabs(t, p, `{ host: "page" }`)
	owner := s.open()
	eventually(t, "it to listen", func() bool { return p.Listeners() == 1 })
	others := []*chrome.Page{s.open(), s.open()}
	for _, page := range others {
		chrome.Script[chrome.Void](page, `
			window.changes = 0;
			mcp.on("changed", () => changes++);
			await mcp.listTools({ cache: "reload" });`)
	}
	goOn := s.hangs(owner)
	eventually(t, "another one to listen", func() bool { return p.Listeners() == 2 })
	before := make([]int, len(others))
	for i, page := range others {
		before[i] = chrome.Eval[int](page, `changes`)
	}
	p.Push("notifications/tools/list_changed", "")
	for i, page := range others {
		page.WaitFor(`changes > ` + chrome.JS(before[i]))
	}
	// A call goes past as well: the one connection more is nobody's for good.
	chrome.Eval[chrome.Void](others[0], `void count("new", { n: 2 })`)
	s.counted(others[0], "new", 2)
	goOn()
	eventually(t, "one that listens", func() bool { return p.Listeners() == 1 })
	if n := p.Oracle().Runs("new"); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
}
