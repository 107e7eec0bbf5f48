//go:build !js

package e2e

import (
	"net/url"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// signInScript is a page that connects at once, and signs in where it has to. The options are
// oauth's; watched: whether the page has the tokens in window.tokens, and none is stored while
// window.stalls; skew: by how many ms its clock is wrong; and host, principal and listen, which are
// connect's.
const signInScript = appScript + `
window.ready = true;
window.tokens = [];
const fetching = async (url, init) => {
	const response = await fetch(url, init);
	const { access_token, refresh_token } = await response.clone().json().catch(() => ({}));
	if (access_token) tokens.push(access_token, refresh_token);
	window.stalled = access_token && window.stalls;
	return stalled ? new Promise(() => {}) : response;
};
const clock = Date.now;
window.open_ = async (url, { watched, skew = 0, host, principal, listen, ...how }) => {
	window.skew = skew;
	Date.now = () => clock() + window.skew;
	window.auth = holdfast.oauth({ redirectUrl: location.origin + "/app", ...(watched && { fetch: fetching }), ...how });
	window.signIns = [];
	auth.onchange = (signIn) => {
		window.signIn = signIn;
		signIns.push(signIn.state);
	};
	window.mcp = await holdfast.connect(url, { auth, ...(host && { host }), ...(principal && { principal }), ...(listen === false && { listen }) });
	mcp.on("state", ({ state }) => states.push(state));
	mcp.on("host", ({ host, why }) => told.push(host + ": " + why));
};
window.told = [];
// The window of a sign-in is a page of the app as any other: it connects, and so takes the answer.
if (location.hash.length > 1) localStorage.setItem("app", decodeURIComponent(location.hash.slice(1)));
const { url, how } = JSON.parse(localStorage.getItem("app"));
open_(url, how).then(() => (window.opened = true), (error) => (window.failed = error));
`

// signInChunks is how often the page has asked for the chunk that signs in.
const signInChunks = `performance.getEntriesByType("resource").filter(({ name }) => ` +
	`name.includes("opensignin") || name.includes("holdfast-oauth")).length`

// signingIn opens a page of the app, which connects at once, and signs in how the options say.
func signingIn(profile *chrome.Profile, site *chrome.Site, s *oauthserver.Server, how string) *chrome.Page {
	return profile.Open(site.Page("/app", signInScript) + "#" +
		url.PathEscape(`{"url":`+chrome.JS(s.URL)+`,"how":`+how+`}`))
}

// TestStorySignInByPopup: the server wants a token. A window opens, a person signs in there,
// the window closes, and connect goes on; the calls of that user are kept.
func TestStorySignInByPopup(t *testing.T) {
	t.Parallel()
	s := oauthserver.Start(t)
	profile := chrome.NewProfile(t).InWindows()
	page := signingIn(profile, chrome.NewSite(t), s, `{"interaction":"popup"}`)
	page.WaitFor(`window.signIn?.state === "authorizing"`)
	s.Person("ada")
	page.WaitFor(`window.opened || window.failed`)
	got := chrome.Script[[]string](page, `
		if (window.failed) return [String(failed), String(failed.cause)];
		const { content } = await mcp.callTool("pay", {}).result;
		return [content[0].text, signIn.state, mcp.state, mcp.durability];`)
	if !slices.Equal(got, []string{"ada", "signed-in", "open", "indexeddb"}) {
		t.Errorf("got %q", got)
	}
	if n := s.Requests("POST /token"); n != 1 {
		t.Errorf("%d requests for tokens", n)
	}
	if n := chrome.Eval[int](page, signInChunks); n != 1 && chrome.HostOf(t) == chrome.PageHost {
		t.Errorf("the page has loaded %d chunks to sign in with", n)
	}
}

// TestStorySignInByRedirect: the page goes away to sign in, and comes back with the call that
// waited for it. The call did not run before, and runs once.
func TestStorySignInByRedirect(t *testing.T) {
	t.Parallel()
	s, site := oauthserver.Start(t), chrome.NewSite(t)
	s.Person("ada")
	page := signingIn(chrome.NewProfile(t).InWindows(), site, s, `{"interaction":"redirect"}`)
	page.WaitFor(`window.opened`)
	s.Revoke()
	s.Person("")
	chrome.Script[chrome.Void](page, `
		window.goneBefore = true;
		watch(mcp.callTool("pay", {}, { key: "bill-7", ack: "manual" }));`)
	page.WaitFor(`location.origin !== ` + chrome.JS(site.URL))
	s.Person("ada")
	page.WaitFor(`window.opened && !window.goneBefore`)
	got := chrome.Script[[]string](page, `
		const calls = await mcp.calls();
		const { content } = await calls[0].result;
		await calls[0].ack();
		return [String(calls.length), calls[0].key, content[0].text, location.search, mcp.durability];`)
	if !slices.Equal(got, []string{"1", "bill-7", "ada", "", "indexeddb"}) {
		t.Errorf("got %q", got)
	}
	if ran := s.Ran(); !slices.Equal(ran, []string{"pay ada"}) {
		t.Errorf("ran %q", ran)
	}
}

// TestStorySignInScriptTag: the script-tag build loads the file beside it, once somebody has to sign in;
// where its client is in a worker, that does.
func TestStorySignInScriptTag(t *testing.T) {
	long(t)
	t.Parallel()
	for host, files := range map[string]int{"page": 1, "shared": 0} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site := oauthserver.Start(t), chrome.NewSite(t)
			s.Person("ada")
			connect := `holdfast.connect(` + chrome.JS(s.URL) + `, { auth: holdfast.oauth(), host: "` + host +
				`" })`
			page := chrome.NewProfile(t).InWindows().Open(site.Page("/app", `
				const script = document.createElement("script");
				script.src = "/holdfast.js";
				script.onload = () => (window.loaded = holdfast.oauth);
				document.head.append(script);
				if (location.search !== "") script.addEventListener("load", () => `+connect+`.catch(() => {}));`))
			page.WaitFor(`window.loaded`)
			if n := chrome.Eval[int](page, signInChunks); n != 0 {
				t.Errorf("the page has loaded %d files to sign in with", n)
			}
			who := chrome.Script[string](page, `
				const mcp = await `+connect+`;
				return (await mcp.callTool("pay", {}).result).content[0].text;`)
			if n := chrome.Eval[int](page, signInChunks); who != "ada" || n != files {
				t.Errorf("%q pays, with %d files to sign in with", who, n)
			}
		})
	}
}

// TestFault230_RefreshedOnceByFourTabs: the token of four tabs is over at the same moment. One
// of them refreshes it, the others take what it has got, and no call fails.
func TestFault230_RefreshedOnceByFourTabs(t *testing.T) {
	long(t)
	t.Parallel()
	s := oauthserver.Start(t)
	s.Person("ada")
	profile, site := chrome.NewProfile(t).InWindows(), chrome.NewSite(t)
	var tabs []*chrome.Page
	for range 4 {
		page := signingIn(profile, site, s, `{}`)
		page.WaitFor(`window.opened`)
		tabs = append(tabs, page)
	}
	if n := s.Requests("POST /token authorization_code"); n != 1 {
		t.Fatalf("%d people signed in", n)
	}
	s.Expire()
	for _, page := range tabs {
		chrome.Script[chrome.Void](page,
			`window.paid = Promise.all([1, 2, 3].map(() => mcp.callTool("pay", {}).result));`)
	}
	for _, page := range tabs {
		if n := chrome.Script[int](page, `return (await paid).length;`); n != 3 {
			t.Errorf("%d results", n)
		}
	}
	if n := s.Requests("POST /token refresh_token"); n != 1 {
		t.Errorf("%d refreshes", n)
	}
	if n := len(s.Ran()); n != 12 {
		t.Errorf("pay ran %d times", n)
	}
}

// TestFault231_MoreScopesAskAPerson: a tool wants a scope that nobody has granted. Its call waits
// while a person grants it, with all that was granted before, and is not merely
// sent again with a token that was refreshed.
func TestFault231_MoreScopesAskAPerson(t *testing.T) {
	t.Parallel()
	s := oauthserver.Start(t)
	s.Person("ada")
	page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s, `{}`)
	page.WaitFor(`window.opened`)
	s.Person("")
	chrome.Script[chrome.Void](page, `watch(mcp.callTool("admin", {}));`)
	page.WaitFor(`signIn.state === "step-up" && seen.status.at(-1) === "awaiting_authorization" && ` +
		`mcp.state === "awaiting_authorization"`)
	s.Person("ada")
	outcome(t, page, "")
	chrome.Script[chrome.Void](page,
		`await mcp.callTool("pay", {}).result; await mcp.callTool("admin", {}).result;`)
	if ran := s.Ran(); !slices.Equal(ran, []string{"admin ada", "pay ada", "admin ada"}) {
		t.Errorf("ran %q", ran)
	}
	if n, refreshes := s.Requests("POST /token authorization_code"),
		s.Requests("POST /token refresh_token"); n != 2 || refreshes != 0 {
		t.Errorf("%d sign-ins, %d refreshes", n, refreshes)
	}
	if got := chrome.Eval[[]string](page, `states`); !slices.Equal(
		got, []string{"awaiting_authorization", "open"}) {
		t.Errorf("states %q", got)
	}
}

// TestFault232_NobodySignsIn: whoever is asked says no. The call waits on and asks nobody
// again, until the app has somebody sign in after all.
func TestFault232_NobodySignsIn(t *testing.T) {
	long(t)
	t.Parallel()
	s := oauthserver.Start(t)
	s.Person("ada")
	page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s, `{}`)
	page.WaitFor(`window.opened`)
	s.Revoke()
	s.Person("nobody")
	chrome.Script[chrome.Void](page, `watch(mcp.callTool("pay", {}));`)
	page.WaitFor(`signIn.failure?.code === "oauth_denied"`)
	if done := chrome.Eval[bool](page, `seen.done || mcp.state !== "awaiting_authorization"`); done {
		t.Error("the call does not wait any more")
	}
	s.Person("ada")
	chrome.Script[chrome.Void](page, `await signIn.signIn();`)
	outcome(t, page, "")
	if ran := s.Ran(); !slices.Equal(ran, []string{"pay ada"}) {
		t.Errorf("ran %q", ran)
	}
}

// TestFault233_TwoUsersInTurn: one user signs out, and another signs in at the same page.
// Neither sees a trace of the other, and the tokens of the first are revoked.
func TestFault233_TwoUsersInTurn(t *testing.T) {
	t.Parallel()
	s := oauthserver.Start(t)
	profile, site := chrome.NewProfile(t).InWindows(), chrome.NewSite(t)
	calls := `return (await mcp.calls()).map((call) => call.key);`
	for _, user := range []string{"ada", "bob", "ada"} {
		s.Person(user)
		page := signingIn(profile, site, s, `{}`)
		signedInAgain(page)
		if got := chrome.Script[[]string](page, calls); len(got) != 0 {
			t.Errorf("%s sees %q", user, got)
		}
		who := chrome.Script[string](page, `return (await mcp.callTool("pay", {}, { key: `+chrome.JS(user)+
			`, ack: "manual" }).result).content[0].text;`)
		if who != user {
			t.Errorf("%s pays as %q", user, who)
		}
		if got := chrome.Script[[]string](page, calls); !slices.Equal(got, []string{user}) {
			t.Errorf("%s has %q", user, got)
		}
		if got := chrome.Script[string](page, `await mcp.forget(); return signIn.state;`); got !=
			"signed-out" {
			t.Errorf("%s is %s", user, got)
		}
		page.Close()
	}
	if n := s.Requests("POST /token/revocation"); n != 6 { // a refresh token and an access token each
		t.Errorf("%d tokens were revoked", n)
	}
}

// TestFault234_SignedOutByAWipe: wipe() ends the sign-in, too: the tokens are revoked before
// what is stored of them goes, and the next page asks nobody before somebody clicks (fault 717).
func TestFault234_SignedOutByAWipe(t *testing.T) {
	long(t)
	t.Parallel()
	s := oauthserver.Start(t)
	s.Person("ada")
	profile, site := chrome.NewProfile(t).InWindows(), chrome.NewSite(t)
	page := signingIn(profile, site, s, `{}`)
	page.WaitFor(`window.opened`)
	chrome.Script[chrome.Void](page, `await holdfast.wipe();`)
	if n := s.Requests("POST /token/revocation"); n != 2 {
		t.Errorf("%d tokens were revoked", n)
	}
	page.Close()
	s.Person("")
	next := signingIn(profile, site, s, `{}`)
	next.WaitFor(`window.signIn?.failure?.code === "sign_in_required"`)
}

// TestFault237_AuthorizationServerDown: the token is over, and the authorization server is down. The
// call waits until that is back, whatever it takes: nobody is signed out, and nobody is asked.
func TestFault237_AuthorizationServerDown(t *testing.T) {
	long(t)
	t.Parallel()
	s := oauthserver.Start(t)
	s.Person("ada")
	page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s, `{}`)
	page.WaitFor(`window.opened`)
	s.Expire()
	s.Down()
	chrome.Script[chrome.Void](page, `watch(mcp.callTool("pay", {}));`)
	eventually(t, "the refresh to be tried again", func() bool { return s.Requests("down") >= 6 })
	if got := chrome.Eval[[]any](page, `[seen.done, signIn.failure === undefined]`); got[0] != false ||
		got[1] != true {
		t.Errorf("done, and nobody asked: %v", got)
	}
	s.Up()
	outcome(t, page, "")
	if ran := s.Ran(); !slices.Equal(ran, []string{"pay ada"}) {
		t.Errorf("ran %q", ran)
	}
	if n := s.Requests("POST /token authorization_code"); n != 1 {
		t.Errorf("%d people signed in", n)
	}
}

// TestFault289_ReloadedWhileATokenIsOnItsWay: a call's token is refused, and the authorization server answers
// no refresh. The page is reloaded meanwhile. The call did not run, so the next page sends it; it may not
// run twice, and does not end as outcome_unknown.
func TestFault289_ReloadedWhileATokenIsOnItsWay(t *testing.T) {
	long(t)
	t.Parallel()
	reloadedWhileATokenIsOnItsWay(t, `{}`, func(page *chrome.Page, _ func() bool) {
		page.WaitFor(`seen.status.at(-1) === "awaiting_authorization"`)
	})
}

// TestFault401_ReloadedAsATokenIsRefused: the same, and the page is reloaded as soon as another token is
// asked for, when nothing has said yet that the call waits. Before that the sign-in writes to the store,
// behind which a page that is left may end without having stored that the call did not run: it is then of
// unknown outcome.
func TestFault401_ReloadedAsATokenIsRefused(t *testing.T) {
	t.Parallel()
	reloadedWhileATokenIsOnItsWay(t, `{"host":"page","listen":false}`,
		func(page *chrome.Page, isAsked func() bool) {
			page.WaitFor(`signIn.state === "refreshing"`) // and so it is the call that was refused
			eventually(t, "another token is asked for", isAsked)
		})
}

func reloadedWhileATokenIsOnItsWay(t *testing.T, how string,
	wait func(page *chrome.Page, isAsked func() bool)) {
	t.Helper()
	s := oauthserver.Start(t)
	s.Person("ada")
	page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s, how)
	page.WaitFor(`window.opened`)
	s.Expire()
	s.Stall()
	stalled := s.Requests("stalled")
	chrome.Script[chrome.Void](page, `
		window.before = true;
		watch(mcp.callTool("pay", {}, { key: "bill", ack: "manual" }));`)
	wait(page, func() bool { return s.Requests("stalled") > stalled })
	page.Reload()
	s.GoOn()
	page.WaitFor(`window.opened && !window.before`)
	who := chrome.Script[[]string](page, `
		const calls = await mcp.calls();
		return Promise.all(calls.map((call) => call.result.then(({ content }) => call.key + " " + content[0].text, ({ code }) => code)));`)
	if ran := s.Ran(); !slices.Equal(who, []string{"bill ada"}) || !slices.Equal(ran, []string{"pay ada"}) {
		t.Errorf("%q, and ran %q", who, ran)
	}
}

// TestStoryAgentSignIn: an agent's server wants a token, when the page connects and in the middle
// of a session. The prompt that is refused waits, with its session, and reaches the agent once.
func TestStoryAgentSignIn(t *testing.T) {
	long(t)
	t.Parallel()
	s, site := oauthserver.Start(t), chrome.NewSite(t)
	agent, metadata := site.URL+"/acp", "/.well-known/oauth-protected-resource/acp"
	p := acppeer.Mounted(acppeer.Options{})
	site.Handle("/acp", s.Guard(site.URL+metadata, p))
	site.Handle(metadata, s.Metadata(agent))
	s.Person("ada")
	page := chrome.NewProfile(t).InWindows().Open(chatPageAfter(`
		import { oauth } from "/holdfast.mjs";
		window.auth = oauth();
		auth.onchange = (signIn) => { window.signIn = signIn; };`, site, agent, `{ auth }`))
	page.WaitFor(`window.ready`)
	beginChat(page)
	say(page, "one")
	if end := ended(page); end != "end_turn" {
		t.Errorf("the first turn ends with %s", end)
	}
	s.Revoke()
	s.Person("")
	say(page, "two")
	page.WaitFor(`signIn.state === "authorizing" && agent.state === "awaiting_authorization" && ` +
		`chats.s1.status.includes("awaiting_authorization")`)
	s.Person("ada")
	page.WaitFor(`agent.state === "open"`)
	if end := ended(page); end != "end_turn" {
		t.Errorf("the second turn ends with %s", end)
	}
	if got := p.Prompts(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("the agent has %q", got)
	}
	showChats(t, page)
}
