//go:build !js

package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault720_ATabHangsInItsRefresh: the first of three tabs, whose clock is ahead, refreshes a token that
// is fresh for the others, and shows an alert meanwhile, which nobody closes: it keeps the lock. A call of
// the second leaves at once, and so does the connect of the third. The first ends, and the next refresh is
// one request.
func TestFault720_ATabHangsInItsRefresh(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared", "worker"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
			s.Person("ada")
			first := signingIn(profile, site, s, `{"host":"page"}`)
			first.WaitFor(`window.opened`)
			second := signingIn(profile, site, s, `{"host":"`+host+`"}`)
			second.WaitFor(`window.opened`)
			s.Stall()
			chrome.Script[chrome.Void](first, `window.skew = 590_000; watch(mcp.callTool("pay", {}));`)
			first.WaitFor(`signIn.state === "refreshing"`)
			eventually(t, "the first asks for another token",
				func() bool { return s.Requests("stalled") == 1 })
			chrome.Script[chrome.Void](first, `setTimeout(() => alert("hangs"));`)
			pays := func(page *chrome.Page) {
				t.Helper()
				if who := chrome.Script[string](page,
					`return (await mcp.callTool("pay", {}).result).content[0].text;`); who != "ada" {
					t.Errorf("%s pays", who)
				}
			}
			pays(second)
			third := signingIn(profile, site, s, `{"host":"`+host+`"}`)
			third.WaitFor(`window.opened || window.failed`)
			pays(third)
			if n, refreshed := s.Requests("stalled"), s.Requests("POST /token refresh_token"); n != 1 ||
				refreshed != 0 {
				t.Errorf("%d requests for a token beside %d of the first", refreshed, n)
			}
			first.Close()
			s.GoOn()
			s.Expire()
			pays(second)
			pays(third)
			if n := s.Requests("POST /token refresh_token"); n != 1 {
				t.Errorf("%d refreshes", n)
			}
			if n := len(s.Ran()); n != 4 {
				t.Errorf("pay ran %d times", n)
			}
		})
	}
}

// TestFault720_ALeaseIsWaitedFor: the first tab hangs in its refresh, with the lock, and the token is no good
// to any other. The call of the second waits for a lease, and then refreshes it without the lock; the first
// ends, and the third has what came: one request beside that of the first.
func TestFault720_ALeaseIsWaitedFor(t *testing.T) {
	long(t) // a lease is 45 s
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
			s.Person("ada")
			first := signingIn(profile, site, s, `{"host":"page"}`)
			first.WaitFor(`window.opened`)
			second := signingIn(profile, site, s, `{"host":"`+host+`"}`)
			second.WaitFor(`window.opened`)
			s.Stall()
			s.Expire()
			chrome.Script[chrome.Void](first, `watch(mcp.callTool("pay", {}));`)
			eventually(t, "the first asks for another token",
				func() bool { return s.Requests("stalled") == 1 })
			chrome.Script[chrome.Void](first, `setTimeout(() => alert("hangs"));`)
			s.GoOn()
			chrome.Script[chrome.Void](second, `watch(mcp.callTool("pay", {}));`)
			second.WaitWithin(2*time.Minute, `seen.done`)
			first.Close()
			third := signingIn(profile, site, s, `{"host":"`+host+`"}`)
			third.WaitFor(`window.opened || window.failed`)
			chrome.Script[chrome.Void](third, `watch(mcp.callTool("pay", {}));`)
			outcome(t, second, "")
			outcome(t, third, "")
			if n := s.Requests("POST /token refresh_token"); n != 1 {
				t.Errorf("%d requests for a token beside that of the first", n)
			}
			if ran := s.Ran(); !slices.Equal(ran, []string{"pay ada", "pay ada"}) {
				t.Errorf("ran %q", ran)
			}
		})
	}
}
