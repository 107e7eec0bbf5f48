//go:build !js

package e2e

import (
	"net/http"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault158_LogoutOfTwoTabs: one of two tabs logs out, with a call of its own under
// way, one of the other's, or none. The session is ended at the server: at once, or,
// where the other tab carries a call, when that one is closed; the call has its result.
func TestFault158_LogoutOfTwoTabs(t *testing.T) {
	t.Parallel()
	for name, carries := range map[string]struct{ mine, other bool }{
		"none": {}, "its own": {mine: true}, "the other's": {other: true},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			p.Tool("note", peer.Script{peer.Prime(0), peer.Progress(1, 2, ""), peer.Gate("go"),
				peer.Text("done")})
			profile, site := chrome.NewProfile(t), chrome.NewSite(t)
			leaves, stays := candid(profile, site), candid(profile, site)
			call := `watch(mcp.callTool("note", {}));`
			for _, page := range []*chrome.Page{leaves, stays} {
				chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+
					`, { principal: "ada" });`)
			}
			for page, makes := range map[*chrome.Page]bool{leaves: carries.mine, stays: carries.other} {
				if makes {
					chrome.Script[chrome.Void](page, call)
					page.WaitFor(`call.guarantee === "resumable"`)
				}
			}
			if carries.other { // the tab that logs out has heard of it
				leaves.WaitFor(`(await mcp.calls()).length === 1`)
			}
			session := sessionOf(t, p)
			chrome.Script[chrome.Void](leaves, `await mcp.forget();`)
			stays.WaitFor(`mcp.durability === "memory"`)
			// The tab that stays may have made another session by now.
			ended := slices.ContainsFunc(p.Requests(),
				func(r peer.Request) bool {
					return r.HTTPMethod == http.MethodDelete &&
						r.Session == session
				})
			if ended == carries.other {
				t.Errorf("after the logout the session is ended: %v", ended)
			}
			p.Pass("go")
			if carries.other {
				outcome(t, stays, "")
			}
			chrome.Script[chrome.Void](stays, `await mcp.close();`)
			if carries.mine || !carries.other {
				return // whatever the second tab has made since is its own
			}
			if n := p.Sessions(); n != 0 {
				t.Errorf("%d sessions are left after the last tab is closed", n)
			}
		})
	}
}
