//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault718_AgentPromptOfWhoHasLoggedOut: a prompt of ada's waits for a sign-in, and she logs out, in this
// tab or another one. It ends unsent. Bob signs in next, in the window that waited for her and then from a
// click of his own: the agent hears from him alone.
func TestFault718_AgentPromptOfWhoHasLoggedOut(t *testing.T) {
	t.Parallel()
	for _, out := range []string{`agent.forget()`, `holdfast.wipe()`} {
		for _, where := range []string{"here", "elsewhere"} {
			t.Run(out+", "+where, func(t *testing.T) {
				row(t)
				t.Parallel()
				s, site := oauthserver.Start(t), chrome.NewSite(t)
				server, metadata := site.URL+"/acp", "/.well-known/oauth-protected-resource/acp"
				p := acppeer.Mounted(acppeer.Options{})
				site.Handle("/acp", s.Guard(site.URL+metadata, p))
				site.Handle(metadata, s.Metadata(server))
				address := chatPageAfter(`
					import { oauth } from "/holdfast.mjs";
					window.auth = oauth();
					auth.onchange = (signIn) => { window.signIn = signIn; };`, site, server, `{ auth, host: "page" }`)
				s.Person("ada")
				page := chrome.NewProfile(t).InWindows().Open(address)
				page.WaitFor(`window.ready`)
				beginChat(page)
				say(page, "one")
				ended(page)
				leaver := page
				if where == "elsewhere" {
					leaver = page.Profile().Open(address)
					leaver.WaitFor(`window.ready`)
				}
				s.Revoke()
				s.Person("")
				say(page, "two")
				page.WaitFor(
					`signIn.state === "authorizing" && chats.s1.status.includes("awaiting_authorization")`)
				chrome.Script[chrome.Void](leaver, `await `+out+`;`)
				page.WaitFor(`chats.s1.prompts.at(-1).code`)
				if code := chrome.Eval[string](page, `chats.s1.prompts.at(-1).code`); code != "unsent" {
					t.Errorf("the prompt ended with %q", code)
				}
				s.Person("bob")
				chrome.Script[chrome.Void](page, `
					const connect = () => holdfast.connectAgent(`+chrome.JS(server)+`, { auth, host: "page" });
					if (await connect().then(() => true, () => false)) throw new Error("somebody is signed in behind the logout");
					await signIn.signIn();
					const bob = await connect();
					const session = await bob.newSession({ cwd: "/w" });
					await session.prompt("three");
					await session.settled();`)
				if got := p.Prompts(); !slices.Equal(got, []string{"one", "three"}) {
					t.Errorf("the agent has %q", got)
				}
				showChats(t, page)
			})
		}
	}
}
