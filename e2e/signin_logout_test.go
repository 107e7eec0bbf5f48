//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

const isLoggedOut = `window.signIn?.failure?.code === "sign_in_required"`

// A wiper is one of so many tabs.
type wiper struct{ tabs, out int }

// wipers are the tabs that somebody logs out in: each of two and of three for the logout of everybody.
func wipers(out, storage string) []wiper {
	if out != `holdfast.wipe()` || storage != "persistent" {
		return []wiper{{3, 0}}
	}
	return []wiper{{2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}}
}

// TestFault717_LogoutWhileAnotherTabLives: ada is signed in in two or three tabs, by pages that leave for the
// sign-in, and logs out in one of them, whichever. The authorization server knows her yet. No tab signs her
// in again: not by a call, and not by a reload, in whatever tab; no request leaves for the authorization
// server but what ends her tokens. From a click somebody signs in again.
func TestFault717_LogoutWhileAnotherTabLives(t *testing.T) {
	t.Parallel()
	for _, host := range signInHosts {
		for _, out := range []string{`holdfast.wipe()`, `mcp.forget()`, `signIn.signOut()`} {
			for _, storage := range []string{"persistent", "memory"} {
				// A page opens with what is stored, and signs in for its memory at its first request alone:
				// that is a unit's (authlogout.test.ts).
				if storage == "memory" && host == "page" && out != `holdfast.wipe()` {
					continue
				}
				for _, who := range wipers(out, storage) {
					t.Run(fmt.Sprintf("%s, %s, %s, tab %d of %d", host, out, storage, who.out+1, who.tabs),
						func(t *testing.T) {
							row(t)
							t.Parallel()
							s, site, profile := oauthserver.Start(t), chrome.NewSite(t),
								chrome.NewProfile(t).InWindows()
							s.Person("ada")
							how := asPrincipal(host, "ada", `,"interaction":"redirect","storage":"`+storage+
								`"`)
							var tabs []*chrome.Page
							for range who.tabs {
								page := signingIn(profile, site, s, how)
								page.WaitFor(`window.opened`)
								tabs = append(tabs, page)
							}
							if storage == "persistent" {
								s.Expire() // of the refresh each tab hears
								for _, page := range tabs {
									chrome.Script[chrome.Void](page, payOnce)
								}
							}
							chrome.Script[chrome.Void](tabs[who.out], `await `+out+`;`)
							other := tabs[(who.out+1)%len(tabs)]
							requests := func() []int {
								return []int{s.Requests("GET /auth"),
									s.Requests("POST /token authorization_code"),
									s.Requests("POST /token refresh_token")}
							}
							before := requests()
							chrome.Script[chrome.Void](other,
								`void mcp.callTool("pay", {}).result.catch(() => {});`)
							for _, page := range tabs {
								chrome.Eval[chrome.Void](page, `void (window.before = true)`)
								page.Reload()
								if host == "page" && out == `signIn.signOut()` {
									// with what is stored, and asks nobody
									page.WaitFor(`!window.before && window.opened`)
									continue
								}
								page.WaitFor(`!window.before && ` + isLoggedOut)
							}
							// each is told, also where others' calls wait for the same
							for _, page := range tabs {
								chrome.Script[chrome.Void](page,
									`if (window.opened) void mcp.callTool("pay", {}).result.catch(() => {});`)
								page.WaitFor(isLoggedOut)
							}
							if after := requests(); !slices.Equal(before, after) {
								t.Errorf("behind the logout there were %v requests, and before it %v", after,
									before)
							}
							chrome.Script[chrome.Void](other,
								`window.before = true; void signIn.signIn().catch(() => {});`)
							other.WaitFor(`window.opened && !window.before`)
							if user := chrome.Script[string](other, payOnce); user != "ada" {
								t.Errorf("from a click %q signs in", user)
							}
						})
				}
			}
		}
	}
}
