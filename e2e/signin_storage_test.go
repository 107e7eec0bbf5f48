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

// TestStorySignInStorage: where tokens are kept, and what a reload does. In memory none of them rests
// anywhere, and the reload signs in anew; persistent ones are sealed, and the reload has them. In
// both the user's calls are there afterwards.
func TestStorySignInStorage(t *testing.T) {
	t.Parallel()
	for _, story := range []struct {
		how     string
		signIns int
		rests   bool
	}{
		{`{"watched":true,"storage":"memory","interaction":"popup"}`, 2, false},
		{`{"watched":true,"storage":"memory","interaction":"redirect"}`, 2, false},
		{`{"watched":true,"storage":"persistent","interaction":"redirect"}`, 1, true},
	} {
		t.Run(story.how, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site := oauthserver.Start(t), chrome.NewSite(t)
			s.Person("ada")
			script := candidScript + strings.TrimPrefix(signInScript, appScript)
			page := chrome.NewProfile(t).InWindows().Open(site.Page("/app", script) + "#" +
				url.PathEscape(`{"url":`+chrome.JS(s.URL)+`,"how":`+story.how+`}`))
			page.WaitFor(`window.opened`)
			chrome.Script[chrome.Void](page,
				`await mcp.callTool("pay", {}, { key: "bill", ack: "manual" }).result;`)
			tokens := secrets{}
			for i, token := range chrome.Eval[[]string](page, `tokens`) {
				tokens[[]string{"access", "refresh"}[i%2]] = token
			}
			if len(tokens) != 2 {
				t.Fatalf("the page has seen %d tokens", len(tokens))
			}
			rests := chrome.Eval[string](page, left)
			if found := tokens.in([]byte(rests)); len(found) > 0 {
				t.Errorf("in the clear: %q", found)
			}
			if got := strings.Contains(rests, "auth grant/"); got != story.rests {
				t.Errorf("a grant rests: %v", got)
			}
			chrome.Eval[chrome.Void](page, `void (window.before = true)`)
			page.Reload()
			page.WaitFor(`window.opened && !window.before`)
			if got := chrome.Script[[]string](page,
				`return (await mcp.calls()).map(({ key }) => key);`); !slices.Equal(got, []string{"bill"}) {
				t.Errorf("after the reload there is %q", got)
			}
			if n := s.Requests("POST /token authorization_code"); n != story.signIns {
				t.Errorf("%d sign-ins", n)
			}
		})
	}
}

// TestFault238_KilledBeforeTheTokenIsWritten: a call waits, since the authorization server is down. It is
// back and answers the refresh, and the browser is killed before it has written the new token. The old
// one is used up: somebody signs in once more, and the call runs once.
func TestFault238_KilledBeforeTheTokenIsWritten(t *testing.T) {
	long(t)
	t.Parallel()
	s, profile := oauthserver.Start(t), t.TempDir()
	s.Person("ada")
	page := chrome.NewSite(t).Page("/app", signInScript) + "#" +
		url.PathEscape(`{"url":`+chrome.JS(s.URL)+`,"how":{"watched":true}}`)
	browser := startBrowser(t, profile, page)
	ask[bool](browser, until(`window.opened`))
	s.Expire()
	s.Down()
	ask[chrome.Void](browser,
		`void (window.stalls = true, watch(mcp.callTool("pay", {}, { key: "bill", ack: "manual" })))`)
	ask[bool](browser, until(`seen.status.at(-1) === "awaiting_authorization"`))
	before := s.Requests("down")
	eventually(t, "the refresh to be tried again", func() bool { return s.Requests("down") >= before+2 })
	s.Up()
	ask[bool](browser, until(`window.stalled`))
	browser.kill()
	browser = startBrowser(t, profile, page)
	ask[bool](browser, until(`window.opened`))
	who := ask[[]string](browser,
		`mcp.calls().then(async ([call]) => [call.key, (await call.result).content[0].text])`)
	if ran := s.Ran(); !slices.Equal(who, []string{"bill", "ada"}) ||
		!slices.Equal(ran, []string{"pay ada"}) {
		t.Errorf("%q, and ran %q", who, ran)
	}
	if n := s.Requests("POST /token authorization_code"); n != 2 {
		t.Errorf("%d sign-ins", n)
	}
	browser.kill()
}

// TestFault239_ClockOffByTenMinutes: the clock of the machine is ten minutes off, and is then set to be
// wrong the other way. Tokens are bound to a key, and each proof says when it was made. Nobody signs in
// again, and each call runs once.
func TestFault239_ClockOffByTenMinutes(t *testing.T) {
	long(t)
	t.Parallel()
	for skew, refreshes := range map[string]int{"600000": 0, "-600000": 1} {
		t.Run(skew, func(t *testing.T) {
			row(t)
			t.Parallel()
			s := oauthserver.StartBound(t)
			s.Person("ada")
			page := signingIn(chrome.NewProfile(t).InWindows(), chrome.NewSite(t), s, `{"skew":`+skew+`}`)
			page.WaitFor(`window.opened || window.failed`)
			who := chrome.Script[[]string](page, `
				if (window.failed) return [String(failed), String(failed.cause)];
				const pay = async () => (await mcp.callTool("pay", {}).result).content[0].text;
				const first = await pay();
				window.skew = -window.skew;
				return [first, await pay(), signIn.state];`)
			if !slices.Equal(who, []string{"ada", "ada", "signed-in"}) {
				t.Errorf("got %q", who)
			}
			if ran := s.Ran(); !slices.Equal(ran, []string{"pay ada", "pay ada"}) {
				t.Errorf("ran %q", ran)
			}
			// A request without a nonce is refused, and sent again.
			if n, again := s.Requests("POST /token authorization_code"),
				s.Requests("POST /token refresh_token"); n > 2 || again > 2*refreshes || again < refreshes {
				t.Errorf("%d requests to sign in, %d refreshes", n, again)
			}
		})
	}
}

// TestTokensRestByDefault: an app names no storage. Somebody signs in, in whatever host, and a page of
// another host finds the tokens in the store: nobody is asked again.
func TestTokensRestByDefault(t *testing.T) {
	t.Parallel()
	for _, host := range signInHosts {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
			s.Person("ada")
			page := signingIn(profile, site, s, `{"host":"`+host+`"}`)
			page.WaitFor(`window.opened`)
			asked := s.Requests("GET /auth")
			other := signingIn(profile, site, s,
				`{"host":"`+map[bool]string{true: "worker", false: "page"}[host == "page"]+`"}`)
			other.WaitFor(`window.opened`)
			if who := chrome.Script[string](other, payOnce); who != "ada" ||
				s.Requests("GET /auth") != asked {
				t.Errorf("another page pays as %q, and somebody was asked %d times", who,
					s.Requests("GET /auth"))
			}
		})
	}
}

// TestTokensWithoutASharedWorker: an app names no host, and the browser has no shared worker. The client is
// in the page, and the page sends its tokens itself.
func TestTokensWithoutASharedWorker(t *testing.T) {
	t.Parallel()
	const overheard = `
		delete window.SharedWorker;
		window.shown = [];
		const sends = window.fetch;
		window.fetch = (...request) => {
			shown.push(new Headers(request[0].headers ?? request[1]?.headers).get("authorization"));
			return sends(...request);
		};`
	s, site := oauthserver.Start(t), chrome.NewSite(t)
	s.Person("ada")
	page := chrome.NewProfile(t).InWindows().Open(site.Page("/app", overheard+signInScript) + "#" +
		url.PathEscape(`{"url":`+chrome.JS(s.URL)+`,"how":{}}`))
	page.WaitFor(`window.opened`)
	if got := chrome.Eval[string](page,
		`mcp.host + " " + shown.some((one) => one?.startsWith("Bearer "))`); got != "page true" {
		t.Errorf("its host, and whether the page sends tokens: %s", got)
	}
}
