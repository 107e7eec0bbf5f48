//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault718_SignedOutWithACallThatWaits: ada signs out and makes a call that is kept. It stays, and bob,
// who signs in next, neither sees nor sends it. It runs, once, when ada has signed in again.
func TestFault718_SignedOutWithACallThatWaits(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s := oauthserver.Start(t)
			s.Person("ada")
			page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s, `{"host":"`+host+`"}`)
			page.WaitFor(`window.opened`)
			chrome.Script[chrome.Void](page, `
				await signIn.signOut();
				watch(mcp.callTool("pay", {}, { key: "bill", ack: "manual" }));`)
			page.WaitFor(`seen.status.at(-1) === "awaiting_authorization"`)
			s.Person("bob")
			chrome.Script[chrome.Void](page, `await signIn.signIn();`)
			page.WaitFor(`seen.done && mcp.state === "open"`)
			calls := `(await mcp.calls()).map((call) => call.key).join()`
			got := chrome.Script[[]string](page, `
				const { content } = await mcp.callTool("pay", {}).result;
				return [seen.error?.code ?? "none", content[0].text, `+calls+`];`)
			if !slices.Equal(got, []string{"closed", "bob", ""}) {
				t.Errorf("as bob: %q", got)
			}
			s.Person("ada")
			chrome.Script[chrome.Void](page, `
				window.before = true;
				await signIn.signOut();
				await signIn.signIn();`)
			page.Reload()
			page.WaitFor(`window.opened && !window.before`)
			got = chrome.Script[[]string](page, `
				const { content } = await (await mcp.calls())[0].result;
				return [content[0].text, `+calls+`];`)
			if ran := s.Ran(); !slices.Equal(got, []string{"ada", "bill"}) ||
				!slices.Equal(ran, []string{"pay bob", "pay ada"}) {
				t.Errorf("as ada: %q, and ran %q", got, ran)
			}
		})
	}
}

// TestFault746_ServerThatTakesNobodysRequests: ada signs out, here or in another tab, of a server that takes
// requests of nobody as well, and makes a call that is kept. It stays until she has signed in again, and runs
// once, as hers. Who connects anew meanwhile is nobody.
func TestFault746_ServerThatTakesNobodysRequests(t *testing.T) {
	t.Parallel()
	for _, host := range signInHosts {
		for _, where := range []string{"here", "elsewhere"} {
			t.Run(host+", "+where, func(t *testing.T) {
				row(t)
				t.Parallel()
				s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
				s.Person("ada")
				page := signingIn(profile, site, s, `{"host":"`+host+`"}`)
				page.WaitFor(`window.opened`)
				out := page
				if where == "elsewhere" {
					page = signingIn(profile, site, s, `{"host":"`+host+`"}`)
					page.WaitFor(`window.opened`)
				}
				s.Open()
				chrome.Script[chrome.Void](out, `await signIn.signOut();`)
				page.WaitFor(`window.signIn?.state === "signed-out"`)
				chrome.Script[chrome.Void](page, `watch(mcp.callTool("pay", {}, { key: "bill" }));`)
				page.WaitFor(`seen.done || seen.status.at(-1) === "awaiting_authorization"`)
				if ran := s.Ran(); len(ran) > 0 {
					t.Errorf("while nobody is signed in %q ran", ran)
				}
				who := chrome.Script[string](page, `
					const nobody = await holdfast.connect(`+chrome.JS(s.URL)+`, { auth, host: "`+host+`" });
					const { content } = await nobody.callTool("pay", {}).result;
					await nobody.close();
					await signIn.signIn();
					return content[0].text;`)
				page.WaitFor(`seen.done`)
				got := chrome.Script[string](page, `return seen.error?.code ?? seen.result.content[0].text;`)
				if ran := s.Ran(); who != "nobody" || got != "ada" ||
					!slices.Equal(ran, []string{"pay nobody", "pay ada"}) {
					t.Errorf("the calls ended with %q and %q, and %q ran", who, got, ran)
				}
			})
		}
	}
}
