//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestSharedTwoTabs: two tabs have one connection and one handshake; each has the
// calls of both, from the start; one of them closes, and the other's go on.
func TestSharedTwoTabs(t *testing.T) {
	t.Parallel()
	overBothWires(t, func(t *testing.T, p *peer.Peer) {
		v := newVisits(t, p, "")
		one := v.open()
		v.count(one, "a", 6, 2)
		two := v.open()
		v.has(two, "a", 2)
		chrome.Eval[chrome.Void](two, `void follow(mcp.callTool("count", { call: "b", n: 4, gate: "b" }))`)
		passes(p, "b", 2)
		v.has(two, "b", 2)
		v.oneHandshake()
		one.Close()
		passes(p, "a", 5)
		passes(p, "b", 3)
		v.ends(two, "a")
		v.ends(two, "b")
		v.uncut("a")
		v.uncut("b")
		if chrome.Eval[bool](two, `carried.a.followed`) {
			t.Error("the call is followed, and nobody else carries it")
		}
		v.oneHandshake()
	})
}

// TestSharedJoinsAfterTheEnd: a tab opens when a call of another one has ended, and has
// all of it; so has a third one, when nobody looks at that call any more.
func TestSharedJoinsAfterTheEnd(t *testing.T) {
	t.Parallel()
	overBothWires(t, func(t *testing.T, p *peer.Peer) {
		v := newVisits(t, p, "")
		one := v.open()
		v.count(one, "a", 3, 3)
		p.Pass("a")
		v.ends(one, "a")
		chrome.Eval[chrome.Void](one, `void follow(mcp.callTool("count", { call: "b", n: 2 }))`)
		v.ends(one, "b")
		two := v.open()
		v.ends(two, "a")
		v.ends(two, "b")
		one.Close()
		two.Reload()
		v.ends(two, "a")
		v.ends(v.open(), "a")
		v.uncut("a")
	})
}

// TestFault188_SharedAskedWhileNobodyIsThere: a server asks while no page is there. The question
// waits, the stream stays, and the next page is asked, once.
func TestFault188_SharedAskedWhileNobodyIsThere(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Asking()
	v := newVisits(t, p, asker)
	page := v.open()
	chrome.Eval[chrome.Void](page, `void mcp.callTool("ask", { call: "a", gate: "ask" })`)
	eventually(t, "the call to be there", func() bool { return p.Oracle().Runs("a") == 1 })
	page.WaitFor(`(await mcp.stored()).calls === 1`)
	page.Close()
	p.Pass("ask")
	eventually(t, "the question to be put", func() bool { return len(p.Oracle().Questions("a")) == 1 })
	page = v.open()
	page.WaitFor(`trails.a?.outcome`)
	if n := askedTimes(page); n != 1 {
		t.Errorf("asked %d times", n)
	}
	answered(t, p, "yes", 1)
	if runs := p.Oracle().Runs("a"); runs != 1 {
		t.Errorf("%d runs", runs)
	}
	blameless(t, p)
}

// TestFault188_SharedAskedPageGoes: the page that was asked goes before anybody answered: the
// other page is asked, and its answer is the one that is sent.
func TestFault188_SharedAskedPageGoes(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Asking()
	v := newVisits(t, p, asker)
	other := v.open()
	page := v.open()
	chrome.Eval[chrome.Void](page, `localStorage.silent = "yes", void mcp.callTool("ask", { call: "a" })`)
	page.WaitFor(`localStorage.asked === "1"`)
	chrome.Eval[chrome.Void](other, `void localStorage.removeItem("silent")`)
	page.Close()
	other.WaitFor(`trails.a?.outcome`)
	answered(t, p, "yes", 1)
	if runs := p.Oracle().Runs("a"); runs != 1 {
		t.Errorf("%d runs", runs)
	}
	blameless(t, p)
}
