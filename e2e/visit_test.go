//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryURLElicitation: a call that needs a visit to a page first asks for
// it, waits until the server says that it is complete, and is made again; in
// 2025-11-25 by error -32042, later in a result.
func TestStoryURLElicitation(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{peer.Revision20251125, peer.Revision20260728} {
		t.Run(revision, func(t *testing.T) {
			p := peer.New(t, peer.Options{Revision: revision})
			p.Furnish()
			page := app(t, p.URL(), `{ handlers: { elicitation: async (request) => {
				window.visited = request.mode + " " + request.url;
				return { action: "accept" };
			} } }`)
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("needs_login"))`)
			page.WaitFor(`window.visited?.startsWith("url http")`)
			if revision == peer.Revision20251125 {
				// What nobody listens for is not sent later.
				eventually(t, "the stream for what is not asked", func() bool {
					gets := p.Of("GET")
					return len(gets) > 0 && gets[len(gets)-1].Status == 200
				})
				p.ElicitationDone(peer.URLElicitation)
			}
			outcome(t, page, "")
			blameless(t, p)
		})
	}
}

// TestStoryURLElicitationDeclined: then the server's error is the outcome, whole,
// and the call is not made again. The person was asked once.
func TestStoryURLElicitationDeclined(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Furnish()
	page := app(t, p.URL(), `{ handlers: { elicitation: ({ mode }) => {
		(window.asked ??= []).push(mode);
		return { action: "decline" };
	} } }`)
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("needs_login"))`)
	outcome(t, page, "rpc_error")
	if got := chrome.Eval[string](page, `JSON.stringify([asked, seen.error.rpc.code, seen.error.rpc.data.elicitations.map(({ mode }) => mode)])`); got != `[["url"],-32042,["url"]]` {
		t.Errorf("asked, and told: %s", got)
	}
	if calls := len(p.Of("tools/call")); calls != 1 {
		t.Errorf("%d calls left", calls)
	}
	blameless(t, p)
}

// TestFault574_DoneByThePerson: the server never says that the visit is complete. The person does, and the call is made again.
func TestFault574_DoneByThePerson(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Furnish()
			page := app(t, p.URL(), `{ host: "`+host+`", handlers: { elicitation: () => new Promise((done) => {
				window.haveDoneIt = () => done({ action: "accept", complete: true });
			}) } }`)
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("needs_login"))`)
			page.WaitFor(`window.haveDoneIt`)
			chrome.Eval[chrome.Void](page, `haveDoneIt()`)
			outcome(t, page, "")
			if calls := len(p.Of("tools/call")); calls != 2 {
				t.Errorf("%d calls left", calls)
			}
			blameless(t, p)
		})
	}
}
