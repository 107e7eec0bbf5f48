//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// killWorker kills the one shared worker of a profile.
func killWorker(t *testing.T, profile *chrome.Profile) {
	t.Helper()
	workers := profile.SharedWorkers()
	if len(workers) != 1 {
		t.Fatalf("%d shared workers", len(workers))
	}
	workers[0].Kill()
}

// TestFault370_WorkerKilledWhileSomebodySignsIn: the worker that has the sign-in dies while a person is at
// the authorization server: for connect, or for a call that waits. The next worker takes the answer of the
// flow that the first one began.
func TestFault370_WorkerKilledWhileSomebodySignsIn(t *testing.T) {
	long(t)
	t.Parallel()
	for _, storage := range []string{"persistent", "memory"} {
		t.Run("connect, "+storage, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, profile := oauthserver.Start(t), chrome.NewProfile(t).InWindows()
			page := signingIn(profile, chrome.NewSite(t), s, `{"host":"shared","storage":"`+storage+`"}`)
			page.WaitFor(`window.signIn?.state === "authorizing"`)
			eventually(t, "a window to be opened", func() bool { return s.Requests("GET /auth") > 0 })
			killWorker(t, profile)
			s.Person("ada")
			page.WaitFor(`window.opened || window.failed`)
			got := chrome.Script[[]string](page, `
				if (window.failed) return [String(failed), String(failed.cause)];
				const { content } = await mcp.callTool("pay", {}).result;
				return [content[0].text, signIn.state, mcp.state, mcp.host];`)
			if !slices.Equal(got, []string{"ada", "signed-in", "open", "shared"}) {
				t.Errorf("got %q", got)
			}
		})
		t.Run("a call, "+storage, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, profile := oauthserver.Start(t), chrome.NewProfile(t).InWindows()
			s.Person("ada")
			page := signingIn(profile, chrome.NewSite(t), s, `{"host":"shared","storage":"`+storage+`"}`)
			page.WaitFor(`window.opened`)
			s.Revoke()
			s.Person("")
			before := s.Requests("GET /auth")
			chrome.Script[chrome.Void](page,
				`watch(mcp.callTool("pay", {}, { key: "bill", ack: "manual" }));`)
			page.WaitFor(`seen.done || seen.status.at(-1) === "awaiting_authorization"`)
			if ended := chrome.Eval[bool](page, `seen.done`); ended {
				t.Fatalf("the call does not wait: %s", chrome.Eval[string](page, `JSON.stringify(seen)`))
			}
			eventually(t, "a window to be opened", func() bool { return s.Requests("GET /auth") > before })
			chrome.Script[chrome.Void](page, `await mcp.stored();`)
			killWorker(t, profile)
			s.Person("ada")
			page.WaitFor(`mcp.state === "open" || mcp.state === "failed"`)
			who := chrome.Script[[]string](page, `
				const calls = await mcp.calls();
				return [mcp.state, ...await Promise.all(calls.map((call) => call.result.then(({ content }) => call.key + " " + content[0].text, ({ code }) => code)))];`)
			if ran := s.Ran(); !slices.Equal(who, []string{"open", "bill ada"}) ||
				!slices.Equal(ran, []string{"pay ada"}) {
				t.Errorf("%q, and ran %q", who, ran)
			}
		})
	}
	t.Run("the page itself is there", func(t *testing.T) {
		row(t)
		t.Parallel()
		s, site, profile := oauthserver.Start(t), chrome.NewSite(t), chrome.NewProfile(t).InWindows()
		s.Person("ada")
		page := signingIn(profile, site, s, `{"interaction":"redirect","host":"shared","storage":"memory"}`)
		page.WaitFor(`window.opened`)
		s.Revoke()
		s.Person("")
		chrome.Script[chrome.Void](page, `
			window.goneBefore = true;
			watch(mcp.callTool("pay", {}, { key: "bill", ack: "manual" }));`)
		page.WaitFor(`location.origin !== ` + chrome.JS(site.URL))
		killWorker(t, profile)
		s.Person("ada")
		page.WaitFor(`(window.opened || window.failed) && !window.goneBefore`)
		who := chrome.Script[[]string](page, `
			const calls = await mcp.calls();
			return Promise.all(calls.map((call) => call.result.then(({ content }) => call.key + " " + content[0].text, ({ code }) => code)));`)
		if ran := s.Ran(); !slices.Equal(who, []string{"bill ada"}) ||
			!slices.Equal(ran, []string{"pay ada"}) {
			t.Errorf("%q, and ran %q", who, ran)
		}
	})
}

// TestFault371_SaidNoToTheNextWorker: the worker dies while a call waits for somebody to sign in, and whoever
// is asked by the next one says no. The client does not fail by that: it waits, as in the page, until the app
// has somebody sign in.
func TestFault371_SaidNoToTheNextWorker(t *testing.T) {
	long(t)
	t.Parallel()
	for _, storage := range []string{"persistent", "memory"} {
		t.Run(storage, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, profile := oauthserver.Start(t), chrome.NewProfile(t).InWindows()
			s.Person("ada")
			page := signingIn(profile, chrome.NewSite(t), s, `{"host":"shared","storage":"`+storage+`"}`)
			page.WaitFor(`window.opened`)
			s.Revoke()
			s.Person("")
			chrome.Script[chrome.Void](page,
				`watch(mcp.callTool("pay", {}, { key: "bill", ack: "manual" }));`)
			page.WaitFor(`seen.status.at(-1) === "awaiting_authorization"`)
			chrome.Script[chrome.Void](page, `await mcp.stored();`)
			before := s.Requests("GET /auth")
			killWorker(t, profile)
			eventually(t, "the next worker to ask somebody",
				func() bool { return s.Requests("GET /auth") > before })
			s.Person("nobody")
			page.WaitFor(`signIn.failure?.code === "oauth_denied"`)
			s.Person("ada")
			chrome.Script[chrome.Void](page, `await signIn.signIn();`)
			page.WaitFor(`mcp.state === "open" || mcp.state === "failed"`)
			who := chrome.Script[[]string](page, `
				const calls = await mcp.calls().catch(() => []);
				return [mcp.state, ...await Promise.all(calls.map((call) => call.result.then(({ content }) => call.key + " " + content[0].text, ({ code }) => code)))];`)
			if ran := s.Ran(); !slices.Equal(who, []string{"open", "bill ada"}) ||
				!slices.Equal(ran, []string{"pay ada"}) {
				t.Errorf("%q, and ran %q", who, ran)
			}
		})
	}
}
