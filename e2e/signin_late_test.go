//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault292_AnsweredTheNextMorning: somebody is at the authorization server in the evening, and answers
// the next morning, when the flow is over. The page that the answer comes to goes back there with another
// flow, and the person, who is known there by now, is signed in: the call that waits runs once.
func TestFault292_AnsweredTheNextMorning(t *testing.T) {
	long(t)
	t.Parallel()
	for _, interaction := range []string{"redirect", "popup"} {
		t.Run(interaction, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site := oauthserver.Start(t), chrome.NewSite(t)
			profile := chrome.NewProfile(t).InWindows()
			how := func(hours string) string {
				return `{"interaction":"` + interaction + `","skew":` + hours + `*3600000}`
			}
			night := profile.Open(site.Page("/night", appScript))
			app := `localStorage.setItem("app", JSON.stringify({ url: ` + chrome.JS(s.URL) + `, how: `
			chrome.Eval[chrome.Void](night, app+how("-12")+` }))`)
			page := profile.Open(site.Page("/app", signInScript))
			if interaction == "popup" {
				page.WaitFor(`window.signIn?.state === "authorizing"`)
			} else {
				page.WaitFor(`location.origin !== ` + chrome.JS(site.URL))
			}
			chrome.Eval[chrome.Void](night, app+how("0")+` }))`)
			s.Person("ada")
			page.WaitFor(`window.opened || window.failed`)
			got := chrome.Script[[]string](page, `
				if (window.failed) return [String(failed)];
				const { content } = await mcp.callTool("pay", {}).result;
				return [content[0].text, location.search];`)
			if !slices.Equal(got, []string{"ada", ""}) {
				t.Errorf("got %q", got)
			}
			if n := s.Requests("POST /token"); n != 1 {
				t.Errorf("%d requests for tokens: the late code is not exchanged", n)
			}
			if ran := s.Ran(); !slices.Equal(ran, []string{"pay ada"}) {
				t.Errorf("ran %q", ran)
			}
		})
	}
}
