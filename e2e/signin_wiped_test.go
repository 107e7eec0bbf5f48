//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// signsIn counts what the authorization server got that begins a sign-in, or goes on with one.
func signsIn(s *oauthserver.Server) []int {
	return []int{
		s.Requests("GET /auth"), s.Requests("POST /token authorization_code"),
		s.Requests("POST /token refresh_token"),
		s.Requests("stalled"),
	}
}

// TestFault750_WipedWhileAPageIsCached: ada's page is in the back/forward cache while everybody logs out in
// another tab, and she comes back to it. Chromium gives it up at the wipe, and loads it; from the cache its
// client would be closed. It says that she is logged out, also once it is loaded again, and nobody is signed
// in by it.
func TestFault750_WipedWhileAPageIsCached(t *testing.T) {
	t.Parallel()
	for _, storage := range []string{"persistent", "memory"} {
		t.Run(storage, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
			s.Person("ada")
			how := asPrincipal("page", "ada", `,"interaction":"redirect","storage":"`+storage+`"`)
			elsewhere := site.Page("/elsewhere", ``)
			cached := signingIn(profile, site, s, how)
			cached.WaitFor(`window.opened`)
			other := signingIn(profile, site, s, how)
			other.WaitFor(`window.opened`)
			cached.Navigate(elsewhere)
			s.Expire()
			chrome.Script[chrome.Void](other, `await holdfast.wipe();`)
			before := signsIn(s)
			cached.Back()
			cached.WaitFor(`window.mcp?.state === "closed" || ` + isLoggedOut)
			chrome.Eval[chrome.Void](cached, `void (window.before = true)`)
			cached.Reload()
			cached.WaitFor(`!window.before && ` + isLoggedOut)
			if after := signsIn(s); !slices.Equal(before, after) {
				t.Errorf("behind the logout there were %v requests, and before it %v", after, before)
			}
			if ran := s.Ran(); len(ran) > 0 {
				t.Errorf("ran %q", ran)
			}
		})
	}
}

// TestFault717_WipedWhileATabHangs: ada's first tab shows an alert, with nothing under way or in its refresh,
// while everybody logs out in another one: that ends. The alert is closed, and the first tab calls before it
// has heard of anything: that is unsent. Loaded again it says that she is logged out, and nobody is signed in
// by it.
func TestFault717_WipedWhileATabHangs(t *testing.T) {
	t.Parallel()
	for _, refreshes := range []bool{false, true} {
		name := map[bool]string{false: "nothing under way", true: "in its refresh"}[refreshes]
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
			s.Person("ada")
			how := asPrincipal("page", "ada", `,"interaction":"redirect"`)
			hangs := signingIn(profile, site, s, how)
			hangs.WaitFor(`window.opened`)
			other := signingIn(profile, site, s, how)
			other.WaitFor(`window.opened`)
			if refreshes {
				s.Stall()
			}
			s.Expire()
			if refreshes {
				chrome.Script[chrome.Void](hangs, `void mcp.callTool("pay", {}).result.catch(() => {});`)
				eventually(t, "the tab asks for another token",
					func() bool { return s.Requests("stalled") == 1 })
			}
			chrome.Script[chrome.Void](hangs, `setTimeout(() => {
				localStorage.setItem("hangs", "yes");
				alert("hangs");
				watch(mcp.callTool("pay", {}));
			});`)
			other.WaitFor(`localStorage.getItem("hangs")`)
			chrome.Script[chrome.Void](other, `await holdfast.wipe();`)
			s.GoOn()
			before := signsIn(s)
			chrome.Call[page.HandleJavaScriptDialogParams, cdp.Empty](
				hangs, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
			hangs.WaitFor(`window.seen?.done && mcp.state === "closed"`)
			outcome(t, hangs, "unsent")
			chrome.Eval[chrome.Void](hangs, `void (window.before = true)`)
			hangs.Reload()
			hangs.WaitFor(`!window.before && ` + isLoggedOut)
			if after := signsIn(s); !slices.Equal(before, after) {
				t.Errorf("behind the logout there were %v requests, and before it %v", after, before)
			}
			if ran := s.Ran(); len(ran) > 0 {
				t.Errorf("ran %q", ran)
			}
		})
	}
}
