//go:build !js

package e2e

import (
	"bytes"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// userOfAddress makes the user of a page the one that its address names. The token is
// one that this page alone has.
const userOfAddress = `principal: location.hash.slice(1), token: () => "token-of-" + location.hash.slice(1)`

func newUsers(t *testing.T) (*visits, *peer.Peer) {
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Counting(nil)
	return newVisits(t, p, userOfAddress), p
}

// tokensKept checks that no call went out with the token of another user. Labels end in
// the user's name.
func tokensKept(t *testing.T, p *peer.Peer, users ...string) {
	t.Helper()
	for _, request := range p.Of("tools/call") {
		for _, user := range users {
			mine := request.Header.Get("Authorization") == "Bearer token-of-"+user
			if mine != bytes.Contains(request.Body, []byte("a_"+user)) {
				t.Errorf("%s went out with %q", request.Body, request.Header.Get("Authorization"))
			}
		}
	}
}

// TestSharedTwoUsersAtOnce: two people are signed in, in two tabs of one browser. They
// have a worker each, and neither sees, nor sends, what is the other's.
func TestSharedTwoUsersAtOnce(t *testing.T) {
	t.Parallel()
	v, p := newUsers(t)
	ada, bob := v.openAs("ada"), v.openAs("bob")
	if workers := v.profile.SharedWorkers(); len(workers) != 2 {
		t.Errorf("%d workers", len(workers))
	}
	// One store for what the app has in localStorage: each tab's plan is its own here.
	for user, page := range map[string]*chrome.Page{"ada": ada, "bob": bob} {
		label := "a_" + user
		chrome.Eval[chrome.Void](page, `void follow(mcp.callTool("count", { call: "`+label+`", n: 5, gate: "`+
			label+`", retry_ms: 10 }))`)
		passes(p, label, 2)
		v.has(page, label, 2)
	}
	ada.Reload()
	bob.Close()
	bob = v.openAs("bob")
	for user, page := range map[string]*chrome.Page{"ada": ada, "bob": bob} {
		label := "a_" + user
		v.has(page, label, 2)
		passes(p, label, 4)
		v.ends(page, label)
		v.uncut(label)
		if n := chrome.Eval[int](page, `mcp.calls().then((calls) => calls.length)`); n != 1 {
			t.Errorf("%s has %d calls", user, n)
		}
	}
	tokensKept(t, p, "ada", "bob")
	blameless(t, p)
}

// TestSharedTwoUsersInTurn: one tab, two people, one after the other. What the first one
// has goes on without a page, unseen, and is there when that person comes back.
func TestSharedTwoUsersInTurn(t *testing.T) {
	t.Parallel()
	v, p := newUsers(t)
	page := v.openAs("ada")
	chrome.Eval[chrome.Void](page,
		`void follow(mcp.callTool("count", { call: "a_ada", n: 6, gate: "a_ada", retry_ms: 10 }))`)
	passes(p, "a_ada", 2)
	v.has(page, "a_ada", 2)
	for i, user := range []string{"bob", "ada"} {
		chrome.Eval[chrome.Void](page, `void (location.hash = "`+user+`")`)
		page.Reload()
		page.WaitFor(`window.ready`)
		if got, want := chrome.Eval[int](page, `Object.keys(trails).length`), i; got != want {
			t.Errorf("%s has %d calls, want %d", user, got, want)
		}
		passes(p, "a_ada", 1)
	}
	v.has(page, "a_ada", 4)
	passes(p, "a_ada", 3)
	v.ends(page, "a_ada")
	v.uncut("a_ada")
	tokensKept(t, p, "ada", "bob")
	blameless(t, p)
}

// TestFault189_SharedWipedWithoutAPage: a user's worker goes on without a page, and a page of
// another user wipes the store. The worker ends what it has, and nothing of it comes
// back.
func TestFault189_SharedWipedWithoutAPage(t *testing.T) {
	t.Parallel()
	v, p := newUsers(t)
	ada := v.openAs("ada")
	chrome.Eval[chrome.Void](ada,
		`void follow(mcp.callTool("count", { call: "a_ada", n: 6, gate: "a_ada", retry_ms: 10 }))`)
	passes(p, "a_ada", 2)
	v.has(ada, "a_ada", 2)
	ada.Close()
	bob := v.openAs("bob")
	chrome.Script[chrome.Void](bob, `await holdfast.wipe()`)
	eventually(t, "the worker without a page to let go of its stream",
		func() bool { return p.Oracle().OpenStreams("a_ada") == 0 })
	p.Release("a_ada")
	ada = v.openAs("ada")
	if got := chrome.Eval[string](ada,
		`Promise.all([mcp.calls(), mcp.stored()]).then(([calls, { rows }]) => calls.length + " " + rows)`); got != "0 0" {
		t.Errorf("calls and rows of ada's after a wipe: %s", got)
	}
	if runs := p.Oracle().Runs("a_ada"); runs != 1 {
		t.Errorf("%d runs", runs)
	}
}
