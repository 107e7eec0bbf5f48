//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestAgentTabs: a second tab shows the turn as it goes, and takes the session over
// when the first one is closed.
func TestAgentTabs(t *testing.T) {
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		address := chatPage(chrome.NewSite(t), url, signedIn)
		one := chrome.Open(t, address)
		one.WaitFor(`window.ready`)
		beginChat(one)
		say(one, "count 40 @go; permission")
		server.Pass("go", 10)
		shows(one, chunks(1, 10))
		two := one.Profile().Open(address)
		two.WaitFor(`window.ready && chats.s1`)
		shows(two, chunks(1, 10))
		server.Pass("go", 5)
		shows(two, chunks(1, 15))
		if !chrome.Eval[bool](two, `chats.s1.session.followed`) {
			t.Error("both tabs carry the session")
		}
		one.Close()
		two.WaitFor(`!chats.s1.session.followed`)
		// A question that went to the tab that died with its socket would be lost.
		two.WaitFor(`chats.s1.resumed.length > 0`)
		server.Pass("go", 25)
		shows(two, chunks(1, 40))
		two.WaitFor(`chats.s1.session.requests.length === 1`)
		chrome.Eval[chrome.Void](two, `chats.s1.session.requests[0].select("once")`)
		shows(two, chunks(1, 40)+"allowed: once")
		two.WaitFor(`chats.s1.session.state === "idle"`)
		if n := len(server.Of("prompt")); n != 1 {
			t.Errorf("%d prompts", n)
		}
		if n := len(acpserver.Requests(server.Log(), "DELETE")); n != 0 {
			t.Errorf("%d DELETEs", n)
		}
	})
}
