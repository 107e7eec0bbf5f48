//go:build !js

package e2e

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// signInHosts are those that a sign-in can be in.
var signInHosts = []string{"page", "shared"}

// asPrincipal are the options of signInScript's page, in that host, of an app that names its user.
func asPrincipal(host, principal, more string) string {
	return `{"host":"` + host + `","principal":"` + principal + `"` + more + `}`
}

const payOnce = `return (await mcp.callTool("pay", {}, { ack: "manual" }).result).content[0].text;`

// signedInAgain has somebody sign in from a click, where the page begins nothing by itself behind a logout.
func signedInAgain(page *chrome.Page) {
	page.WaitFor(`window.opened || window.failed`)
	if chrome.Eval[bool](page, `window.opened === true`) {
		return
	}
	chrome.Script[chrome.Void](page, `window.before = true; await signIn.signIn();`)
	page.Reload()
	page.WaitFor(`window.opened && !window.before`)
}

// TestFault715_EachPrincipalSignsIn: ada signs in and leaves her page; bob signs in at the same address, and
// carl in a second tab at the same time. Each has a sign-in of their own and pays as who they are, and ada,
// back again, has hers.
func TestFault715_EachPrincipalSignsIn(t *testing.T) {
	t.Parallel()
	for _, host := range signInHosts {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
			s.Person("ada")
			ada := signingIn(profile, site, s, asPrincipal(host, "ada", ""))
			ada.WaitFor(`window.opened`)
			if who := chrome.Script[string](ada, payOnce); who != "ada" {
				t.Errorf("ada pays as %q", who)
			}
			ada.Close()
			tabs := map[string]*chrome.Page{}
			for _, user := range []string{"bob", "carl"} {
				s.Person(user)
				tabs[user] = signingIn(profile, site, s, asPrincipal(host, user, ""))
				tabs[user].WaitFor(`window.opened`)
			}
			s.Person("")
			again := signingIn(profile, site, s, asPrincipal(host, "ada", ""))
			again.WaitFor(`window.opened`)
			tabs["ada"] = again
			for range 2 {
				for user, page := range tabs {
					if who := chrome.Script[string](page, payOnce); who != user {
						t.Errorf("%s pays as %q", user, who)
					}
				}
			}
			for user, calls := range map[string]int{"ada": 3, "bob": 2, "carl": 2} {
				if n := chrome.Script[int](tabs[user], `return (await mcp.calls()).length;`); n != calls {
					t.Errorf("%s sees %d calls", user, n)
				}
			}
			if n := s.Requests("POST /token authorization_code"); n != 3 {
				t.Errorf("%d sign-ins", n)
			}
			chrome.Script[chrome.Void](tabs["bob"], `await signIn.signOut();`)
			if who := chrome.Script[string](tabs["carl"], payOnce); who != "carl" {
				t.Errorf("behind bob's sign-out carl pays as %q", who)
			}
		})
	}
}

// TestFault715_AnswerOfAnotherPrincipal: ada leaves for the sign-in, and the page that she comes back to says
// bob, who has chosen to be asked by a click. The answer signs nobody in; bob does so himself.
func TestFault715_AnswerOfAnotherPrincipal(t *testing.T) {
	t.Parallel()
	for _, host := range signInHosts {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
			page := signingIn(profile, site, s, asPrincipal(host, "ada", `,"interaction":"redirect"`))
			page.WaitFor(`location.origin !== ` + chrome.JS(site.URL))
			other := profile.Open(site.Page("/other", ""))
			chrome.Eval[chrome.Void](other, `localStorage.setItem("app", JSON.stringify({ url: `+
				chrome.JS(s.URL)+`, how: `+asPrincipal(host, "bob", `,"interaction":"manual"`)+` }))`)
			s.Person("ada")
			page.WaitFor(`window.ready && (window.opened || window.signIn?.address)`)
			if n := s.Requests("POST /token"); n != 0 {
				t.Errorf("%d requests for a token", n)
			}
			if search := chrome.Eval[string](page, `location.search`); search != "" {
				t.Errorf("the answer is still in the address: %q", search)
			}
			s.Person("bob")
			who := chrome.Script[string](page, `
				if (!window.opened) await signIn.signIn();
				while (!window.opened) await new Promise((resolve) => setTimeout(resolve));
				`+payOnce)
			if ran := s.Ran(); who != "bob" || !slices.Equal(ran, []string{"pay bob"}) {
				t.Errorf("bob pays as %q, and ran %q", who, ran)
			}
		})
	}
}

// TestFault715_TokenOfAnotherSubject: the app names ada, and bob signs in. The token is used, and the app
// hears of it once.
func TestFault715_TokenOfAnotherSubject(t *testing.T) {
	t.Parallel()
	for _, host := range signInHosts {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site := oauthserver.Start(t), chrome.NewSite(t)
			s.Person("bob")
			script := strings.Replace(signInScript, `mcp.on("state"`, `window.subjects = [];
	mcp.on("subject", (event) => subjects.push(event));
	mcp.on("state"`, 1)
			page := chrome.NewProfile(t).InWindows().Open(site.Page("/app", script) + "#" +
				url.PathEscape(`{"url":`+chrome.JS(s.URL)+`,"how":`+
					asPrincipal(host, "ada", `,"scopes":["openid","tools"]`)+`}`))
			page.WaitFor(`window.opened && subjects.length > 0`)
			s.Expire()
			who := chrome.Script[[]string](page, `
				const pay = async () => (await mcp.callTool("pay", {}).result).content[0].text;
				return [await pay(), await pay(), ...subjects.map(({ subject, issuer }) => subject + " of " + issuer)];`)
			if want := []string{"bob", "bob", "bob of " + s.Issuer}; !slices.Equal(who, want) {
				t.Errorf("got %q, not %q", who, want)
			}
		})
	}
}

// TestFault715_TwoClientsAtOneAddress: two parts of an app sign in at one address, each as a client of its
// own. Neither has the other's sign-in, and signing out of one leaves the other.
func TestFault715_TwoClientsAtOneAddress(t *testing.T) {
	t.Parallel()
	for _, host := range signInHosts {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site := oauthserver.Start(t), chrome.NewSite(t)
			two := appScript + `
window.ready = true;
const auths = ["one", "two"].map((clientName) => holdfast.oauth({ redirectUrl: location.origin + "/app", clientName }));
window.signIns = [];
auths.forEach((auth, at) => (auth.onchange = (signIn) => (signIns[at] = signIn)));
window.clients = [];
(async () => {
	for (const auth of auths) {
		const mcp = await holdfast.connect(` + chrome.JS(s.URL) + `, { auth, host: "` + host + `", principal: "ada" });
		await mcp.callTool("pay", {}).result;
		clients.push(mcp);
	}
	window.opened = true;
})().catch((error) => (window.failed = String(error)));`
			s.Person("ada")
			page := chrome.NewProfile(t).InWindows().Open(site.Page("/app", two))
			page.WaitFor(`window.opened || window.failed`)
			if n := s.Requests("POST /token authorization_code"); n != 2 {
				t.Errorf("%d sign-ins", n)
			}
			s.Person("")
			got := chrome.Script[[]string](page, `
				await signIns[0].signOut();
				return [(await clients[1].callTool("pay", {}).result).content[0].text, signIns[0].state, signIns[1].state];`)
			if want := []string{"ada", "signed-out", "signed-in"}; !slices.Equal(got, want) {
				t.Errorf("got %q, not %q", got, want)
			}
		})
	}
}
