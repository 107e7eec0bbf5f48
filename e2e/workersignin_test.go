//go:build !js

package e2e

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault310_SignInInAWorker: the runtime is in a worker, which opens no window: the page does, and the
// worker has the tokens. A person signs in there, and connect goes on.
func TestFault310_SignInInAWorker(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"shared", "worker"} {
		for _, how := range []string{"popup", "redirect", "manual", "memory"} {
			t.Run(host+", "+how, func(t *testing.T) {
				row(t)
				t.Parallel()
				s := oauthserver.Start(t)
				options := `{"interaction":"` + how + `","host":"` + host + `"}`
				switch how {
				case "redirect":
					s.Person("ada")
				case "memory":
					options = `{"storage":"memory","host":"` + host + `"}`
				}
				page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s, options)
				if how != "redirect" {
					page.WaitFor(`window.signIn?.state === "authorizing"`)
				}
				if how == "manual" {
					page.WaitFor(`signIn.address`)
					if n := s.Requests("GET /auth"); n != 0 {
						t.Errorf("before anybody has clicked, %d windows have gone there", n)
					}
					chrome.Script[chrome.Void](page, `signIn.signIn().catch(() => {});`)
				}
				s.Person("ada")
				page.WaitFor(`window.opened || window.failed`)
				got := chrome.Script[[]string](page, `
					if (window.failed) return [String(failed), String(failed.cause)];
					const { content } = await mcp.callTool("pay", {}).result;
					return [content[0].text, signIn.state, mcp.state, mcp.durability, mcp.host, location.search];`)
				if !slices.Equal(got, []string{"ada", "signed-in", "open", "indexeddb", host, ""}) {
					t.Errorf("got %q", got)
				}
				if n := s.Requests("POST /token"); n != 1 {
					t.Errorf("%d requests for tokens", n)
				}
				if n := chrome.Eval[int](page, signInChunks); n != 0 {
					t.Errorf("the page itself has loaded %d chunks to sign in with", n)
				}
			})
		}
	}
}

// TestFault310_ByItselfInTheSharedWorker: with auth a client is in the shared worker as any other. Where the
// app has a function of its own to sign in with, it is in the page and the app hears why; a worker that is
// named is refused.
func TestFault310_ByItselfInTheSharedWorker(t *testing.T) {
	t.Parallel()
	s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
	s.Person("ada")
	for how, want := range map[string][]string{
		`{"host":"auto"}`:                {"ada", "shared"},
		`{"host":"auto","watched":true}`: {"ada", "page", "page: page_code"},
	} {
		page := signingIn(profile, site, s, how)
		page.WaitFor(`window.opened || window.failed`)
		got := chrome.Script[[]string](page, `
			if (window.failed) return [String(failed), String(failed.cause)];
			const { content } = await mcp.callTool("pay", {}).result;
			return [content[0].text, mcp.host, ...told];`)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q", how, got)
		}
		for _, host := range []string{"shared", "worker"} {
			got := chrome.Script[failure](page, `
				const auth = holdfast.oauth({ credentials: () => undefined });
				return await attempt(async () => (await holdfast.connect(`+chrome.JS(s.URL)+`, { auth, host: "`+host+`" }), 0));`)
			if got.Code != "host_unavailable" || !strings.Contains(got.Message, "credentials") {
				t.Errorf("%s: got %q: %s", host, got.Code, got.Message)
			}
		}
	}
	if n := s.Requests("POST /token authorization_code"); n != 1 {
		t.Errorf("%d sign-ins: the page and the worker have the same one", n)
	}
}

// TestFault310_CallsWaitInAWorker: the page goes away to sign in, while a call waits in the shared worker.
// The call did not run before, is not sent again by the page that comes back, and runs once.
func TestFault310_CallsWaitInAWorker(t *testing.T) {
	long(t)
	t.Parallel()
	s, site := oauthserver.Start(t), chrome.NewSite(t)
	s.Person("ada")
	page := signingIn(chrome.NewProfile(t).InWindows(), site, s, `{"interaction":"redirect","host":"shared"}`)
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

// TestFault311_MemoryOfTheWorker: tokens in the memory of the shared worker are there after a reload, and in
// another tab: nobody signs in twice, and one request refreshes them for all.
func TestFault311_MemoryOfTheWorker(t *testing.T) {
	long(t)
	t.Parallel()
	s, site := oauthserver.Start(t), chrome.NewSite(t)
	s.Person("ada")
	profile := chrome.NewProfile(t).InWindows()
	how := `{"storage":"memory","host":"shared"}`
	page := signingIn(profile, site, s, how)
	page.WaitFor(`window.opened`)
	chrome.Eval[chrome.Void](page, `void (window.before = true)`)
	page.Reload()
	page.WaitFor(`window.opened && !window.before`)
	other := signingIn(profile, site, s, how)
	other.WaitFor(`window.opened`)
	s.Expire()
	for _, tab := range []*chrome.Page{page, other} {
		chrome.Script[chrome.Void](tab,
			`window.paid = Promise.all([1, 2].map(() => mcp.callTool("pay", {}).result));`)
	}
	for _, tab := range []*chrome.Page{page, other} {
		if n := chrome.Script[int](tab, `return (await paid).length;`); n != 2 {
			t.Errorf("%d results", n)
		}
	}
	if signed, refreshed := s.Requests("POST /token authorization_code"),
		s.Requests("POST /token refresh_token"); signed != 1 || refreshed != 1 {
		t.Errorf("%d sign-ins, %d refreshes", signed, refreshed)
	}
	if ran := s.Ran(); len(ran) != 4 {
		t.Errorf("ran %q", ran)
	}
}

// TestFault230_RefreshedOnceByBothHosts: one page has its own runtime, the other one's is in the shared
// worker, and the token of both is over at the same moment. One of the two refreshes it, under a lock of the
// origin, and the other takes what it has got.
func TestFault230_RefreshedOnceByBothHosts(t *testing.T) {
	long(t)
	t.Parallel()
	s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
	s.Person("ada")
	var tabs []*chrome.Page
	for _, host := range []string{"page", "shared"} {
		page := signingIn(profile, site, s, `{"host":"`+host+`"}`)
		page.WaitFor(`window.opened`)
		tabs = append(tabs, page)
	}
	s.Expire()
	for _, tab := range tabs {
		chrome.Script[chrome.Void](tab,
			`window.paid = Promise.all([1, 2].map(() => mcp.callTool("pay", {}).result));`)
	}
	for _, tab := range tabs {
		if n := chrome.Script[int](tab, `return (await paid).length;`); n != 2 {
			t.Errorf("%d results", n)
		}
	}
	if signed, refreshed := s.Requests("POST /token authorization_code"),
		s.Requests("POST /token refresh_token"); signed != 1 || refreshed != 1 {
		t.Errorf("%d sign-ins, %d refreshes", signed, refreshed)
	}
	if ran := s.Ran(); len(ran) != 4 {
		t.Errorf("ran %q", ran)
	}
}

// TestFault312_ThePageThatShowsItGoes: a call waits for somebody to sign in, in a window that one tab has
// opened. That tab is closed: the other one, whose call it is, is asked to show the address, and the call
// runs once.
func TestFault312_ThePageThatShowsItGoes(t *testing.T) {
	long(t)
	t.Parallel()
	s, site := oauthserver.Start(t), chrome.NewSite(t)
	s.Person("ada")
	profile := chrome.NewProfile(t).InWindows()
	page := signingIn(profile, site, s, `{"host":"shared"}`)
	page.WaitFor(`window.opened`)
	newest := signingIn(profile, site, s, `{"host":"shared"}`)
	newest.WaitFor(`window.opened`)
	s.Revoke()
	s.Person("")
	before := s.Requests("GET /auth")
	chrome.Script[chrome.Void](page, `watch(mcp.callTool("pay", {}, { key: "bill" }));`)
	eventually(t, "a window to be opened", func() bool { return s.Requests("GET /auth") == before+1 })
	page.WaitFor(`seen.status.at(-1) === "awaiting_authorization"`)
	first := profile.Popup(s.Issuer)
	newest.Close()
	// whoever signs in does so in one window: this server mistakes one's answer for the other's
	first.CloseWindow()
	eventually(t, "the other tab to open one", func() bool { return s.Requests("GET /auth") == before+2 })
	s.Person("ada")
	outcome(t, page, "")
	if ran := s.Ran(); !slices.Equal(ran, []string{"pay ada"}) {
		t.Errorf("ran %q", ran)
	}
}

// TestFault314_TheWorkerCannotLoadIt: what signs in is not beside the worker. Where the app has named that,
// the error says so; by itself the client is in the page.
func TestFault314_TheWorkerCannotLoadIt(t *testing.T) {
	long(t)
	t.Parallel()
	s, site := oauthserver.Start(t), chrome.NewSite(t)
	site.Handle("/holdfast-oauth.mjs", http.NotFoundHandler())
	profile := chrome.NewProfile(t).InWindows()
	for _, host := range []string{"shared", "worker"} {
		page := signingIn(profile, site, s, `{"host":"`+host+`"}`)
		page.WaitFor(`window.opened || window.failed`)
		if got := chrome.Eval[failure](page,
			`({ code: failed?.code, hint: failed?.hint, message: String(failed) })`); got.Code !=
			"load_failed" || got.Hint == "" {
			t.Errorf("%s: got %+v", host, got)
		}
	}
	s.Person("ada")
	page := signingIn(profile, site, s, `{"host":"auto"}`)
	page.WaitFor(`window.opened || window.failed`)
	got := chrome.Script[[]string](page,
		`return [(await mcp.callTool("pay", {}).result).content[0].text, mcp.host, ...told];`)
	if !slices.Equal(got, []string{"ada", "page", "page: load_failed"}) {
		t.Errorf("got %q", got)
	}
}

// TestFault315_TwoUsersAtOnce: two users at two tabs of one browser, with tokens in the memory of workers.
// Each has a worker of their own: neither pays as the other, nor sees a call of the other's.
func TestFault315_TwoUsersAtOnce(t *testing.T) {
	long(t)
	t.Parallel()
	s, site := oauthserver.Start(t), chrome.NewSite(t)
	profile := chrome.NewProfile(t).InWindows()
	users := []string{"ada", "bob"}
	tabs := map[string]*chrome.Page{}
	for _, user := range users {
		s.Person(user)
		page := signingIn(profile, site, s, `{"storage":"memory","host":"shared","principal":"`+user+`"}`)
		page.WaitFor(`window.opened`)
		tabs[user] = page
	}
	for range 2 {
		for _, user := range users {
			who := chrome.Script[string](tabs[user],
				`return (await mcp.callTool("pay", {}, { ack: "manual" }).result).content[0].text;`)
			if who != user {
				t.Errorf("%s pays as %q", user, who)
			}
		}
	}
	for _, user := range users {
		if n := chrome.Script[int](tabs[user], `return (await mcp.calls()).length;`); n != 2 {
			t.Errorf("%s sees %d calls", user, n)
		}
	}
	if n := s.Requests("POST /token authorization_code"); n != 2 {
		t.Errorf("%d sign-ins", n)
	}
}

// TestFault316_SignedOutElsewhere: somebody signs out in one tab, or wipes. The tokens of the worker are
// revoked, the other tab hears of it, and its next call waits for somebody.
func TestFault316_SignedOutElsewhere(t *testing.T) {
	t.Parallel()
	for _, how := range []string{`"persistent"`, `"memory"`} {
		for _, out := range []string{`mcp.forget()`, `holdfast.wipe()`, `signIn.signOut()`} {
			t.Run(how+", "+out, func(t *testing.T) {
				row(t)
				t.Parallel()
				s, site := oauthserver.Start(t), chrome.NewSite(t)
				s.Person("ada")
				profile := chrome.NewProfile(t).InWindows()
				page := signingIn(profile, site, s, `{"host":"shared","storage":`+how+`}`)
				page.WaitFor(`window.opened`)
				other := signingIn(profile, site, s, `{"host":"shared","storage":`+how+`}`)
				other.WaitFor(`window.opened && signIn.state === "signed-in"`)
				s.Person("")
				chrome.Script[chrome.Void](page, `await `+out+`;`)
				other.WaitFor(`signIn.state === "signed-out"`)
				eventually(t, "both tokens to be revoked",
					func() bool { return s.Requests("POST /token/revocation") == 2 })
				next := signingIn(profile, site, s, `{"host":"shared","storage":`+how+`}`)
				next.WaitFor(`window.signIn?.failure?.code === "sign_in_required"`)
				if n := s.Requests("POST /token authorization_code"); n != 1 {
					t.Errorf("%d sign-ins", n)
				}
			})
		}
	}
}

// portListeningScript notes what crosses between the page and its worker, in both directions.
const portListeningScript = `
window.sent = [];
window.got = [];
{
	const inText = (data) => JSON.stringify(data, (_, value) => ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : value);
	const post = MessagePort.prototype.postMessage;
	MessagePort.prototype.postMessage = function (data, ...more) {
		sent.push(inText(data));
		return post.call(this, data, ...more);
	};
	const { set, ...listening } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
	Object.defineProperty(MessagePort.prototype, "onmessage", { ...listening, set(listener) {
		set.call(this, listener && ((event) => { got.push(inText(event.data)); listener(event); }));
	} });
}
`

// TestFault317_CanariesBetweenPageAndWorker: of tokens, codes, verifiers, nonces and proofs none crosses to a
// page. The one thing that crosses to the worker is the answer that a page has come back with. With storage
// "memory" none is in the database.
func TestFault317_CanariesBetweenPageAndWorker(t *testing.T) {
	t.Parallel()
	for _, how := range []string{
		`{"host":"shared","interaction":"popup"}`,
		`{"host":"shared","interaction":"redirect","storage":"memory"}`,
	} {
		t.Run(how, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site := oauthserver.StartSecretive(t), chrome.NewSite(t)
			s.Person("ada")
			shown := map[string]string{}
			// At the end of each page, before it goes.
			look := func(when string, page *chrome.Page) {
				t.Helper()
				for where, text := range chrome.Eval[map[string]string](page, `surfaces()`) {
					shown[when+": "+where] = text
				}
				// What the browser says of how this page was come to, nobody can change: there a code stays
				// that is used.
				shown[when+": addresses"] = chrome.Eval[string](page,
					`[location.href, document.referrer].join("\n")`)
				shown[when+": sent"] = chrome.Eval[string](page,
					`sent.map((text) => text.replace(/"answer":\{[^}]*\}/, "")).join("\n")`)
				shown[when+": got"] = chrome.Eval[string](page, `got.join("\n")`)
			}
			address := site.Page("/signed-in", portListeningScript+candidSignInScript)
			page := chrome.NewProfile(t).InWindows().Open(address + "#" +
				url.PathEscape(`{"url":`+chrome.JS(s.URL)+`,"how":`+
					strings.Replace(how, "{", `{"redirectUrl":`+chrome.JS(address)+`,`, 1)+`}`))
			page.WaitFor(`window.opened || window.failed`)
			if strings.Contains(how, "redirect") {
				if n := chrome.Eval[int](page,
					`sent.filter((text) => /"answer":\{[^}]*"code":/.test(text)).length`); n != 1 {
					t.Errorf("the answer has crossed %d times: the search is blind", n)
				}
			}
			chrome.Script[chrome.Void](page,
				`await mcp.callTool("pay", {}, { key: "bill", ack: "manual" }).result;`)
			s.Expire()
			chrome.Script[chrome.Void](page, `await mcp.callTool("pay", {}).result;`)
			look("refreshed", page)
			s.Revoke()
			s.Person("nobody")
			chrome.Eval[chrome.Void](page,
				`void (window.before = true, watch(mcp.callTool("pay", {}, { key: "other" })))`)
			page.WaitFor(`window.signIn?.failure || (window.opened && !window.before)`)
			page.WaitFor(`window.signIn?.failure?.code === "oauth_denied"`)
			chrome.Eval[chrome.Void](page, `confess(signIn.failure)`)
			look("after a no", page)
			known := signInSecrets(t, s)
			for where, text := range shown {
				if found := known.in([]byte(text)); len(found) > 0 {
					t.Errorf("%s shows %q", where, found)
				}
			}
			for _, where := range []string{"refreshed: sent", "refreshed: got", "after a no: got",
				"after a no: errors"} {
				if shown[where] == "" {
					t.Errorf("nothing of %s was looked at", where)
				}
			}
		})
	}
}
