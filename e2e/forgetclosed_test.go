//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault745_ForgottenOnceItIsClosed: the app closes its client, and then has it forget. Its user is signed
// out as by one that is open, and nobody is signed in again by it.
func TestFault745_ForgottenOnceItIsClosed(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared", "worker"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s := oauthserver.Start(t)
			s.Person("ada")
			page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s,
				`{"host":"`+host+`","principal":"ada"}`)
			page.WaitFor(`window.opened`)
			got := chrome.Script[[]string](page, `
				await mcp.close();
				await mcp.forget();
				const marks = Object.keys(localStorage).filter((key) => key.startsWith("holdfast.out."));
				return [signIn.state, marks.length > 0 ? "marked" : "no mark"];`)
			if want := []string{"signed-out", "marked"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if n := s.Requests("POST /token/revocation"); n == 0 {
				t.Errorf("no token was revoked")
			}
		})
	}
}
