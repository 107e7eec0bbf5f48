//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// fences returns how many owners the only call in the store has had: each that takes it over has the next
// epoch.
func fences(page *chrome.Page) int {
	return chrome.Script[int](page, `
		const db = await new Promise((resolve, reject) => { const open = indexedDB.open("holdfast"); open.onsuccess = () => resolve(open.result); open.onerror = () => reject(open.error); });
		const heads = await new Promise((resolve, reject) => { const all = db.transaction("calls").objectStore("calls").getAll(); all.onsuccess = () => resolve(all.result); all.onerror = () => reject(all.error); });
		db.close();
		return heads.length === 1 ? heads[0].epoch : -heads.length;`)
}

// carrier waits until one of the pages, and no other, carries call a, and returns which.
func carrier(t *testing.T, pages []*chrome.Page) int {
	t.Helper()
	at := -1
	eventually(t, "one tab that carries the call", func() bool {
		at = -1
		for i, page := range pages {
			if chrome.Eval[bool](page, `tracked.a.call.followed`) {
				continue
			}
			if at >= 0 {
				return false // a silent one has just been taken over from, and does not know yet
			}
			at = i
		}
		return at >= 0
	})
	return at
}

// TestFault74_SixTabsRestoreAtOnce: six tabs are opened on a call whose page has
// gone. One carries it, the others follow; and so again when that one goes. On a busy machine
// a tab may be silent for so long that another one takes over: each of those that have carried
// it, as the store counts them, has had one connection at most, one after another.
func TestFault74_SixTabsRestoreAtOnce(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	first := s.open()
	chrome.Eval[chrome.Void](first, `void count("a", { n: 12, gate: "a" })`)
	s.pass("a", 4)
	has(first, "a", 4)
	first.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	var pages []*chrome.Page
	for range 6 {
		pages = append(pages, s.blank())
	}
	first.Close()
	for _, page := range pages {
		s.begin(page)
	}
	for _, page := range pages {
		has(page, "a", 4)
	}
	s.pass("a", 4)
	for _, page := range pages {
		has(page, "a", 8)
	}
	before := fences(pages[0])
	owner := carrier(t, pages)
	pages[owner].Crash()
	pages = append(pages[:owner:owner], pages[owner+1:]...)
	carrier(t, pages)
	s.pass("a", 5)
	for _, page := range pages {
		s.counted(page, "a", 12)
	}
	s.once("a")
	// An owner that was ended before it had asked for anything made none.
	owners := fences(pages[0])
	if n := p.Oracle().Connections("a"); n > owners || owners <= before || before < 2 {
		t.Errorf("%d connections of %d owners, of whom %d were before the crash", n, owners, before)
	}
	carrier(t, pages)
}

// TestFault92_ResumedByOneTab: resumes of a request that the server lets be
// resumed are cut before their first byte, and the tabs that send them go. The
// same token each time, and one resume at a time. The server keeps what nobody
// has confirmed: the connection of a tab that goes may eat numbers before the
// server hears of its end.
func TestFault92_ResumedByOneTab(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600, Keeps: peer.Unconfirmed}))
	p.OnResumeRequest(func(n int) peer.Fault {
		if n <= 3 {
			return peer.Fault{NoAnswer: true, Cut: peer.FIN}
		}
		return peer.Fault{}
	})
	s := newTabs(t, p, "")
	one, two, three := s.open(), s.open(), s.open()
	chrome.Eval[chrome.Void](one, `void count("a", { n: 10, gate: "a" })`)
	s.pass("a", 4)
	has(three, "a", 4)
	three.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	one.Close()
	o := p.Oracle()
	eventually(t, "a resume", func() bool { return len(o.Resumes("a")) > 0 })
	two.Crash()
	s.pass("a", 7)
	s.counted(three, "a", 10)
	s.once("a")
	for _, resume := range o.Resumes("a") {
		if resume.Token != o.Tokens("a")[0].Token {
			t.Errorf("a resume had another token")
		}
	}
}
