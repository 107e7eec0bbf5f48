//go:build !js

package e2e

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// TestFault320_SignInDoesNotLoad: what signs in does not come, in the module and beside the script. connect
// says which file and what helps; a call of before stays in the store, and runs once, when the next connect
// of the same page has it.
func TestFault320_SignInDoesNotLoad(t *testing.T) {
	t.Parallel()
	for _, build := range []string{"module", "script"} {
		t.Run(build, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site := oauthserver.Start(t), chrome.NewSite(t)
			s.Person("ada")
			path, hint := "/holdfast-oauth.mjs", "Serve the package's holdfast-oauth.mjs beside the script"
			load := `await new Promise((resolve) => {
				const script = document.createElement("script");
				Object.assign(script, { src: "/holdfast.js", onload: resolve });
				document.head.append(script);
			});`
			if build == "module" {
				path, hint, load = chunkPath(t, "opensignin"), "optimizeDeps",
					`window.holdfast = await import("/holdfast.mjs");`
			}
			var gone atomic.Bool
			file := read(t, filepath.Join("..", "web", "dist", path))
			site.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if gone.Load() {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", "text/javascript")
				w.Header().Set("Cache-Control", "no-store")
				_, _ = w.Write([]byte(file))
			}))
			app := `(async () => {
				` + load + `
				window.auth = holdfast.oauth({ redirectUrl: location.origin + "/app" });
				auth.onchange = (signIn) => (window.signIn = signIn);
				window.connect = async () => (window.mcp = await holdfast.connect(` + chrome.JS(s.URL) + `, { auth, host: "page" }));
				window.connect().then(() => (window.opened = true), (error) => (window.failed = error));
			})();`
			page := chrome.NewProfile(t).InWindows().Open(site.Page("/app", app))
			page.WaitFor(`window.opened`)
			s.Revoke()
			s.Person("")
			chrome.Script[chrome.Void](page, `
				window.before = mcp.callTool("pay", {}, { key: "bill-7", ack: "manual" });
				(async () => { for await (const event of before) if (event.type === "status") window.beforeIs = event.state; })();`)
			// not the listen stream alone, which can be refused before the call is
			page.WaitFor(`window.beforeIs === "awaiting_authorization"`)
			// the note that the server has refused it is there then (fault 513)
			chrome.Script[chrome.Void](page, `await mcp.stored();`)
			gone.Store(true)
			page.Reload()
			page.WaitFor(`!window.before && (window.failed || window.opened)`)
			got := chrome.Script[failure](page, `
				const { code, message, hint, retryable } = window.failed ?? {};
				return { code, message, hint, retryable };`)
			if got.Code != "load_failed" || !got.Retryable || !strings.Contains(got.Message, path) ||
				!strings.Contains(got.Hint, hint) {
				t.Errorf("without it: %+v", got)
			}
			gone.Store(false)
			s.Person("ada")
			text := chrome.Script[[]string](page, `
				await connect();
				const calls = await mcp.calls();
				const { content } = await calls[0].result;
				await calls[0].ack();
				return [String(calls.length), calls[0].key, content[0].text];`)
			if !slices.Equal(text, []string{"1", "bill-7", "ada"}) {
				t.Errorf("the next connect: %q", text)
			}
			if ran := s.Ran(); !slices.Equal(ran, []string{"pay ada"}) {
				t.Errorf("ran %q", ran)
			}
		})
	}
}

// TestFault320_SignInDoesNotLoadOnceInAWorker: what signs in does not come to the worker at first, as while a
// deploy is under way. The next connect of the same page, with the same auth, has it loaded again.
func TestFault320_SignInDoesNotLoadOnceInAWorker(t *testing.T) {
	t.Parallel()
	s, site := oauthserver.Start(t), chrome.NewSite(t)
	s.Person("ada")
	file := read(t, filepath.Join("..", "web", "dist", "holdfast-oauth.mjs"))
	var there atomic.Bool
	site.Handle("/holdfast-oauth.mjs", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !there.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write([]byte(file))
	}))
	page := signingIn(chrome.NewProfile(t).InWindows(), site, s, `{"host":"shared"}`)
	page.WaitFor(`window.failed`)
	there.Store(true)
	got := chrome.Script[[]string](page, `
		const again = () => holdfast.connect(JSON.parse(localStorage.getItem("app")).url, { auth, host: "shared" });
		const mcp = await again().catch(again); // a browser that has given up the address has it under another one the time after that
		return [failed.code, (await mcp.callTool("pay", {}).result).content[0].text, mcp.host];`)
	if want := []string{"load_failed", "ada", "shared"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
