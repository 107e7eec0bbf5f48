//go:build !js

package engines

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// signInScript is a page that signs in by going away and coming back.
const signInScript = `
import "/witness.mjs";
import * as holdfast from "/holdfast.mjs";
window.holdfast = holdfast;
window.auth = holdfast.oauth({ redirectUrl: location.origin + location.pathname, interaction: "redirect" });
auth.onchange = (signIn) => { window.signIn = signIn; };
window.pay = () => mcp.callTool("pay", {}).result.then(({ content }) => content[0].text);
holdfast.connect(SERVER, { auth, ...OPTIONS }).then((mcp) => Object.assign(window, { mcp, ready: true }), (error) => { window.refused = error; });
`

// signsIn is the address of such a page. Each has a path of its own, which an app would have one of.
func (s *scene) signsIn(path string, server *oauthserver.Server, options string) string {
	s.Helper()
	s.own().File("/witness.mjs", witness)
	return s.own().Page(path, strings.NewReplacer("SERVER", chrome.JS(server.URL), "OPTIONS",
		options).Replace(signInScript))
}

// as are the options of a page whose app names its user, in a host.
func as(user, host string) string {
	return fmt.Sprintf(`{ principal: %q, host: %q, ack: "manual" }`, user, host)
}

// pays checks as whom a page pays.
func (p *page) pays(user string) {
	p.s.Helper()
	p.waitFor(`window.ready`)
	if who := eval[string](p, `pay()`); who != user {
		p.s.Errorf("%s pays as %q", user, who)
	}
}

// signIn sends a person to the authorization server, who comes back; a reload needs no second time.
func signIn(s *scene) {
	server := oauthserver.Start(s.T)
	server.Person("ada")
	page := s.open(s.signsIn("/app", server, `{}`))
	for range 2 {
		page.pays("ada")
		page.reload()
		page.waitFor(`window.ready`)
	}
	if n := server.Requests("POST /token authorization_code"); n != 1 {
		s.Errorf("the person has signed in %d times", n)
	}
}

// inEach tells a story of each host, at an origin of its own: a logout leaves a mark at its origin.
func inEach(tell func(s *scene, host string), hosts ...string) func(*scene) {
	return func(s *scene) {
		for _, host := range hosts {
			s.site = nil
			tell(s, host)
		}
	}
}

// principals has ada sign in; her page goes, bob's comes in its tab, and carl's in a second one. Each signs
// in for themselves and pays as who they are, and ada, back again, needs no second time. What signs in is in
// view: else it waits.
func principals(s *scene, host string) {
	server := oauthserver.Start(s.T)
	address := func(user string) string { return s.signsIn("/"+host+"/"+user, server, as(user, host)) }
	server.Person("ada")
	one := s.open(address("ada"))
	one.pays("ada")
	server.Person("bob")
	one.navigate(address("bob"))
	one.pays("bob")
	server.Person("carl")
	two := s.open(address("carl"))
	two.pays("carl")
	one.pays("bob")
	server.Person("")
	two.navigate(address("ada"))
	two.pays("ada")
	if n := server.Requests("POST /token authorization_code"); n != 3 {
		s.Errorf("%s: %d sign-ins", host, n)
	}
	want := []string{"pay ada", "pay bob", "pay carl", "pay bob", "pay ada"}
	if ran := server.Ran(); !slices.Equal(ran, want) {
		s.Errorf("%s: ran %q", host, ran)
	}
}

// logout has ada signed in in two tabs, and all wiped in the first, while the authorization server knows her.
// Nobody is signed in again by a call or a reload of the second, nor by a third tab; from a click somebody
// signs in.
func logout(s *scene, host string) {
	server := oauthserver.Start(s.T)
	server.Person("ada")
	address := s.signsIn("/"+host, server, as("ada", host))
	leaver := s.open(address)
	leaver.pays("ada")
	other := s.open(address)
	other.pays("ada")
	eval[void](leaver, `holdfast.wipe()`)
	requests := func() []int { return []int{server.Requests("GET /auth"), server.Requests("POST /token")} }
	before := requests()
	const refused = `window.signIn?.failure?.code === "sign_in_required"`
	eval[void](other, `void mcp.callTool("pay", {}).result.catch(() => {})`)
	other.reload()
	other.waitFor(refused)
	third := s.open(address)
	third.waitFor(refused)
	if after := requests(); !slices.Equal(before, after) {
		s.Errorf("%s: behind the logout there were %v requests, and before it %v", host, after, before)
	}
	eval[void](third, `void signIn.signIn().catch(() => {})`)
	third.pays("ada")
}

// waiting has ada make six calls, three of which wait for a connection, when all is wiped in another tab,
// where bob goes on. What waited ends unsent, and runs in nobody's name; what is under way ends with its
// result.
func waiting(s *scene, host string) {
	p := peer.New(s.T, peer.Options{})
	p.SideEffects()
	page := s.openKeeper(p.URL(), as("ada", host))
	leaver := s.openKeeper(p.URL(), as("ada", host))
	call := func(label string) string {
		return fmt.Sprintf(`follow(mcp.callTool("sideeffect", { call: %[1]q, gate: %[1]q, opened: true }))`,
			label)
	}
	all := []string{"c0", "c1", "c2", "c3", "c4", "c5"}
	for i, label := range all {
		eval[void](page, call(label))
		if i < 3 {
			p.Waiting(label)
		}
	}
	eval[void](leaver, `holdfast.wipe()`)
	eval[void](leaver, `begin(`+chrome.JS(p.URL())+`, `+as("bob", host)+`)`)
	for _, label := range append(all, "bob's") {
		p.Release(label)
	}
	eval[void](leaver, call("bob's"))
	leaver.waitFor(`trails["bob's"].outcome === "result"`)
	for i, label := range all {
		page.waitFor(`trails.` + label + `.outcome`)
		want, runs := "result", 1
		if i >= 3 {
			want, runs = "unsent", 0
		}
		got := eval[trail](page, `trails.`+label)
		if ran := p.Oracle().Runs(label); got.Outcome != want || ran != runs {
			s.Errorf("%s: %s ran %d times, and ended with %q (%s)", host, label, ran, got.Outcome, got.Why)
		}
	}
	s.blameless(p)
}
