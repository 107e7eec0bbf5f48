//go:build !js

package e2e

import (
	"bytes"
	"slices"
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
	if got := chrome.Eval[string](page, `JSON.stringify([asked, seen.error.rpc.code,`+
		` seen.error.rpc.data.elicitations.map(({ mode }) => mode)])`); got != `[["url"],-32042,["url"]]` {
		t.Errorf("asked, and told: %s", got)
	}
	if calls := len(p.Of("tools/call")); calls != 1 {
		t.Errorf("%d calls left", calls)
	}
	blameless(t, p)
}

// TestFault574_DoneByThePerson: the server never says that the visit is complete. The person does, and the
// call is made again.
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

// TestFault734_NoPage: a server asks a person to visit a script of its own, in each way that it has. No
// handler is asked, as which opens what it is given would run the script in the app's origin. The server
// hears `cancel`.
func TestFault734_NoPage(t *testing.T) {
	t.Parallel()
	const visit = `{"mode":"url","elicitationId":"e","message":"Log in","url":"javascript:void(opener.ran = ` +
		`window.ran = true)"}`
	for way, row := range map[string]struct {
		revision string
		script   peer.Script
	}{
		"its own request": {peer.Revision20251125,
			peer.Script{peer.Ask(`"q"`, "elicitation/create", visit), peer.Reply(`"q"`), peer.Text("done")}},
		"in a result": {peer.Revision20260728,
			peer.Script{peer.InputRequired(`{"k":{"method":"elicitation/create","params":`+visit+`}}`, "s")}},
	} {
		for _, host := range []string{"page", "shared", "worker"} {
			t.Run(way+"/"+host, func(t *testing.T) {
				t.Parallel()
				p := peer.New(t, peer.Options{Revision: row.revision})
				p.Tool("asks", row.script)
				page := app(t, p.URL(), `{ host: "`+host+`", handlers: { elicitation: ({ url }) => {
					window.asked = true;
					window.open(url);
					return { action: "accept" };
				} } }`)
				chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("asks"))`)
				eventually(t, "the answer", func() bool {
					return slices.ContainsFunc(p.Requests(),
						func(r peer.Request) bool {
							return bytes.Contains(
								r.Body, []byte(`"action":"cancel"`))
						})
				})
				page.WaitFor(`mcp.counters.unsafeVisits > 0 && integrity.includes("unsafe_visit")`)
				if got := chrome.Eval[string](page, `String([window.asked, window.ran])`); got != "," {
					t.Errorf("asked and ran: %s", got)
				}
				chrome.Eval[chrome.Void](page, `void call.cancel()`)
			})
		}
	}
}
