//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault80_OneHandshake: four tabs that are opened at once share one session,
// and make one new one when the server has forgotten it.
func TestFault80_OneHandshake(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	var pages []*chrome.Page
	for range 4 {
		page := s.blank()
		// A tab waits three seconds for the handshake of another, then makes its own,
		// and on a busy machine four tabs may take longer to come so far.
		chrome.Eval[chrome.Void](page, `void (window.setTimeout = ((real) => (run, ms, ...more) => real(run,`+
			` ms === 3_000 ? 60_000 : ms, ...more))(setTimeout))`)
		pages = append(pages, page)
	}
	for _, page := range pages {
		s.begin(page)
	}
	for _, page := range pages {
		page.WaitFor(`window.begun`)
	}
	if n := p.Oracle().Initializes(); n != 1 {
		t.Errorf("%d initializes of four tabs", n)
	}
	for round := range 3 {
		p.Expire()
		for _, page := range pages {
			chrome.Eval[chrome.Void](page, `(() => { window.listed = undefined;`+
				` void mcp.listTools().then(() => (listed = "ok"), (e) => (listed = e.code)); })()`)
		}
		for _, page := range pages {
			page.WaitFor(`window.listed`)
			if got := chrome.Eval[string](page, `listed`); got != "ok" {
				t.Errorf("a tab got %s", got)
			}
		}
		if n := p.Oracle().Initializes(); n != round+2 {
			t.Errorf("%d initializes after the session was lost %d times", n, round+1)
		}
	}
	if n := p.Sessions(); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
}

// TestTabsListen: of the tabs that share a session one holds the stream for
// unasked messages, all hear what comes on it, and another one opens it when that
// tab has gone.
func TestTabsListen(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	s := newTabs(t, p, "")
	one := s.open()
	eventually(t, "the stream", func() bool { return p.OpenStreams() == 1 })
	two, three := s.open(), s.open()
	p.Push("notifications/example", `{}`)
	for _, page := range []*chrome.Page{one, two, three} {
		page.WaitFor(`said.filter((method) => method === "notifications/example").length === 1`)
	}
	one.Close()
	gets := func() int { return len(p.Of("GET")) }
	eventually(t, "another stream",
		func() bool { return gets() == 2 && p.Of("GET")[1].Status == 200 && p.OpenStreams() == 1 })
	p.Push("notifications/example", `{}`)
	for _, page := range []*chrome.Page{two, three} {
		page.WaitFor(`said.filter((method) => method === "notifications/example").length === 2`)
	}
	if gets() != 2 {
		t.Errorf("%d GETs", gets())
	}
}

// TestFault82_UsersApart: two users of one server on one origin see nothing of
// each other.
func TestFault82_UsersApart(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, `{ ack: "manual", principal: "ada" }`)
	ada := s.open()
	s.options = `{ ack: "manual", principal: "bob" }`
	bob := s.open()
	chrome.Eval[chrome.Void](ada, `void count("a", { n: 2 })`)
	chrome.Eval[chrome.Void](bob, `void count("b", { n: 2 })`)
	s.counted(ada, "a", 2)
	s.counted(bob, "b", 2)
	again := s.open()
	s.counted(again, "b", 2)
	if got := chrome.Eval[string](again, `Object.keys(tracked).join()`); got != "b" {
		t.Errorf("bob sees %s", got)
	}
	if got := chrome.Eval[string](ada, `Object.keys(tracked).join()`); got != "a" {
		t.Errorf("ada sees %s", got)
	}
	if n := p.Oracle().Initializes(); n != 2 {
		t.Errorf("%d sessions were made", n)
	}
	chrome.Script[chrome.Void](bob, `await mcp.forget();`)
	s.options = `{ ack: "manual", principal: "ada" }`
	s.counted(s.open(), "a", 2)
}
