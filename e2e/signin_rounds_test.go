//go:build !js

package e2e

import (
	"net/url"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// leaving opens a page that leaves to sign in, in that host, once it has loaded; what comes before runs each
// time that it loads.
func leaving(profile *chrome.Profile, site *chrome.Site, s *oauthserver.Server, host, before string) *chrome.Page {
	// A page that leaves as it still loads is no entry of the history.
	const loaded = `
		if (document.readyState !== "complete") await new Promise((resolve) => addEventListener("load", () => setTimeout(resolve)));`
	address := site.Page("/app", before+loaded+signInScript)
	return profile.Open(address + "#" + url.PathEscape(
		`{"url":`+chrome.JS(s.URL)+`,"how":{"interaction":"redirect","host":"`+host+`"}}`))
}

// timesThere is how often a page has come to the authorization server.
func timesThere(s *oauthserver.Server) int { return s.Requests("GET /auth") - s.Requests("GET /auth/") }

// stays waits until the page has been told why it stays, and checks how often it has left.
func stays(t *testing.T, page *chrome.Page, s *oauthserver.Server, left int) {
	t.Helper()
	page.WaitFor(`window.opened || window.failed`)
	got := chrome.Script[[]string](page,
		`return [String(failed?.code), String(signIn?.failure?.code), String(signIn?.state)];`)
	for n, want := range []string{"sign_in_required", "sign_in_required", "signed-out"} {
		if got[n] != want {
			t.Errorf("the page is told %q", got)
			break
		}
	}
	if n := timesThere(s); n != left {
		t.Errorf("the page was at the authorization server %d times, want %d", n, left)
	}
}

// TestFault719_RedirectWithoutEnd: the answer of a sign-in never comes to Holdfast, since the app's router
// drops the query first, or the answer has no state, or another one. In every host the page leaves five times
// by itself, and then once for each click.
func TestFault719_RedirectWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"shared", "page", "worker"} {
		for _, answer := range []struct{ what, query string }{
			{"dropped", ``}, {"no state", `?code=c`}, {"another state", `?code=c&state=s`},
		} {
			t.Run(host+", "+answer.what, func(t *testing.T) {
				row(t)
				t.Parallel()
				s := oauthserver.Start(t)
				s.Person("ada")
				router := `if (location.search) history.replaceState(null, "", location.pathname + ` +
					chrome.JS(answer.query) + `);`
				page := leaving(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s, host, router)
				stays(t, page, s, 5)
				chrome.Script[chrome.Void](page, `window.before = true; signIn.signIn().catch(() => {});`)
				page.WaitFor(`!window.before && (window.opened || window.failed)`)
				stays(t, page, s, 6)
			})
		}
	}
}

// TestFault719_BackEndsIt: somebody comes Back from the authorization server, to a page that is loaded anew
// or comes out of the cache, eight times. Nobody is sent there again but by a click.
func TestFault719_BackEndsIt(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"shared", "page", "worker"} {
		for what, before := range map[string]string{"loaded anew": `addEventListener("unload", () => {});`,
			"cached": ``} {
			t.Run(host+", "+what, func(t *testing.T) {
				row(t)
				t.Parallel()
				s, site := oauthserver.Start(t), chrome.NewSite(t)
				page := leaving(chrome.NewProfile(t).InWindows(), site, s, host, before)
				for n := 1; n <= 8; n++ {
					page.WaitFor(`location.origin !== ` + chrome.JS(site.URL) +
						` && document.title === "Who are you?"`)
					page.Back()
					stays(t, page, s, n)
					chrome.Script[chrome.Void](page, `window.failed = undefined;`+
						` signIn.signIn().catch((error) => (window.failed = error));`)
				}
				s.Person("ada")
				page.WaitFor(`location.origin === ` + chrome.JS(site.URL) + ` && window.opened`)
			})
		}
	}
}
