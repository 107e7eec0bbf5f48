//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault718_SignedOutWithACallThatWaits: ada signs out and makes a call that is kept. It stays, and bob, who signs in next, neither
// sees nor sends it. It runs, once, when ada has signed in again.
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
			if ran := s.Ran(); !slices.Equal(got, []string{"ada", "bill"}) || !slices.Equal(ran, []string{"pay bob", "pay ada"}) {
				t.Errorf("as ada: %q, and ran %q", got, ran)
			}
		})
	}
}
