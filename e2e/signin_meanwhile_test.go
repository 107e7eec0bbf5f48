//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault404_CallsMadeMeanwhile: a call waits for somebody to sign in, and another one is made, which the
// server has not seen yet. Both say that they wait, also to the page that is loaded meanwhile, and run once.
func TestFault404_CallsMadeMeanwhile(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			s := oauthserver.Start(t)
			s.Person("ada")
			// By one window at a time, which the app opens: a person at two forms is at an error page of some
			// authorization servers.
			page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s,
				`{"host":"`+host+`","interaction":"manual"}`)
			signsIn := func() {
				page.WaitFor(`window.signIn?.address`)
				chrome.Eval[chrome.Void](page, `void signIn.signIn()`)
			}
			signsIn()
			page.WaitFor(`window.opened`)
			s.Revoke()
			chrome.Script[chrome.Void](page,
				`watch(mcp.callTool("pay", {}, { key: "refused", ack: "manual" }));`)
			page.WaitFor(`seen.status.at(-1) === "awaiting_authorization"`)
			chrome.Script[chrome.Void](page, `
				window.before = true;
				watch(mcp.callTool("pay", {}, { key: "meanwhile", ack: "manual" }));`)
			page.WaitFor(`seen.status.at(-1) === "awaiting_authorization"`)
			if n := len(s.Ran()); n != 0 {
				t.Fatalf("%d have run", n)
			}
			chrome.Script[chrome.Void](page, `await mcp.stored();`)
			page.Reload()
			page.WaitFor(`window.opened && !window.before`)
			chrome.Script[chrome.Void](page, `window.all = (await mcp.calls()).map((call) => watch(call));`)
			page.WaitFor(
				`all.length === 2 && all.every(({ status }) => status.at(-1) === "awaiting_authorization")`)
			signsIn()
			page.WaitFor(`all.every(({ done }) => done)`)
			got := chrome.Script[[]string](page, `
				return all.map(({ result, error, status }) => [result?.content[0].text ?? error.code, ...status.filter((state) => state !== "open")].join(" "));`)
			// that the page is another one has nothing sent again
			once := "ada awaiting_authorization reconnecting"
			if !slices.Equal(got, []string{once, once}) ||
				!slices.Equal(s.Ran(), []string{"pay ada", "pay ada"}) {
				t.Errorf("%q, and ran %q", got, s.Ran())
			}
		})
	}
}

// TestFault407_SomebodyElseSignsIn: a call of ada's waits for a sign-in, and bob signs in. His token is not
// the one that it is sent with, and he sees nothing of it. It runs, once, when ada has signed in again.
func TestFault407_SomebodyElseSignsIn(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			s := oauthserver.Start(t)
			s.Person("ada")
			page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s, `{"host":"`+host+`"}`)
			page.WaitFor(`window.opened`)
			s.Revoke()
			s.Person("")
			chrome.Script[chrome.Void](page,
				`watch(mcp.callTool("pay", {}, { key: "bill", ack: "manual" }));`)
			page.WaitFor(`seen.status.at(-1) === "awaiting_authorization"`)
			s.Person("bob")
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
