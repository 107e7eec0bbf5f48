//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault74_SixTabsRestoreAtOnce: six tabs are opened on a call whose page has
// gone. One carries it, the others follow; and so again when that one goes.
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
	owners := 0
	for _, page := range pages {
		has(page, "a", 8)
		if !chrome.Eval[bool](page, `tracked.a.call.followed`) {
			owners++
		}
	}
	if owners != 1 {
		t.Errorf("%d tabs carry the call", owners)
	}
	for i, page := range pages {
		if !chrome.Eval[bool](page, `tracked.a.call.followed`) {
			page.Crash()
			pages = append(pages[:i:i], pages[i+1:]...)
			break
		}
	}
	s.pass("a", 5)
	for _, page := range pages {
		s.counted(page, "a", 12)
	}
	s.once("a")
	// An owner that was ended before it had asked for anything made none.
	if n := p.Oracle().Connections("a"); n > 3 {
		t.Errorf("%d connections of three owners", n)
	}
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
