//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault373_TheWindowWaitsForAClick: the app connects from a click, as the guide shows it. So the page
// that the window of the sign-in comes back to does not connect: its answer goes to the page that has opened
// it, and the window closes.
func TestFault373_TheWindowWaitsForAClick(t *testing.T) {
	long(t)
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		for _, storage := range []string{"persistent", "memory"} {
			t.Run(host+", "+storage, func(t *testing.T) {
				row(t)
				t.Parallel()
				s, site := oauthserver.Start(t), chrome.NewSite(t)
				s.Person("ada")
				page := chrome.NewProfile(t).InWindows().Open(site.Page("/app", `
					import * as holdfast from "/holdfast.mjs";
					const auth = holdfast.oauth({ storage: "`+storage+`" });
					auth.onchange = (signIn) => { window.signIn = signIn; };
					window.start = async () => {
						const mcp = await holdfast.connect(`+chrome.JS(s.URL)+`, { auth, host: "`+host+`" });
						const { content } = await mcp.callTool("pay", {}).result;
						return [content[0].text, mcp.host, signIn.state];
					};`))
				page.WaitFor(`window.start`)
				if got := chrome.Script[[]string](page, `return start();`); !slices.Equal(
					got, []string{"ada", host, "signed-in"}) {
					t.Errorf("got %q", got)
				}
				if n := s.Requests("POST /token"); n != 1 {
					t.Errorf("%d requests for tokens", n)
				}
			})
		}
	}
}
