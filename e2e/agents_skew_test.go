//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault135_AgentAndTwoBuilds: a tab of a newer build has a session in mid-turn. One
// of this build opens, cannot read it and leaves it alone, also when the newer tab is
// closed; the next newer one has the session and the rest of the turn, which ran once.
func TestFault135_AgentAndTwoBuilds(t *testing.T) {
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		site := chrome.NewSite(t)
		serveNewer(t, site)
		address := chatPage(site, url, `{ principal: "ada", ...(location.search === "?newer" && { `+ofNewer+
			` }) }`)
		first := chrome.Open(t, address+"?newer")
		first.WaitFor(`window.ready`)
		beginChat(first)
		say(first, "count 20 @go")
		server.Pass("go", 5)
		shows(first, chunks(1, 5))
		open := func(address string) *chrome.Page {
			page := first.Profile().Open(address)
			page.WaitFor(`window.ready`)
			return page
		}
		leavesAlone := func(page *chrome.Page) {
			t.Helper()
			got := chrome.Eval[struct{ Sessions, Quarantined int }](page, `agent.sessions().then((all) => `+
				`({ Sessions: all.length, Quarantined: agent.counters.quarantinedRecords }))`)
			if got.Sessions != 0 || got.Quarantined == 0 {
				t.Errorf("an older tab has %d sessions, and %d records that it cannot read", got.Sessions,
					got.Quarantined)
			}
		}
		older := open(address)
		leavesAlone(older)
		first.Close()
		late := open(address) // it takes over what the closed one has left, and gives it up
		leavesAlone(late)
		next := open(address + "?newer")
		next.WaitFor(`window.chats.s1 && !chats.s1.session.followed`)
		server.Pass("go", 15)
		shows(next, chunks(1, 20))
		next.WaitFor(`chats.s1.session.state === "idle"`)
		for _, page := range []*chrome.Page{older, late} {
			leavesAlone(page)
		}
		if n := len(server.Of("prompt")); n != 1 {
			t.Errorf("%d prompts", n)
		}
	})
}
