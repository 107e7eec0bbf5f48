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

// TestStorySignInPolicy: the strictest policy that docs/auth.md names, for the page and for the worker, sees
// no violation in a sign-in's whole life: discovery, registration, the code, a refresh, a sign-out. So
// nothing goes to anybody but the two servers.
func TestStorySignInPolicy(t *testing.T) {
	t.Parallel()
	for _, how := range []string{
		`{"host":"page","interaction":"popup"}`,
		`{"host":"page","interaction":"redirect"}`,
		`{"host":"shared","interaction":"popup"}`,
		`{"host":"shared","interaction":"redirect"}`,
	} {
		t.Run(how, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site := oauthserver.Start(t), chrome.NewSite(t)
			s.Person("ada")
			server, err := url.Parse(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			server.Path = ""
			site.Header(func(_ string, h http.Header) {
				h.Set("Content-Security-Policy", "default-src 'none'; img-src data:; script-src 'self' "+
					"'wasm-unsafe-eval'; connect-src 'self' "+server.String()+" "+s.Issuer)
			})
			address := site.Page("/app", signInScript)
			// Listening before anything of the module runs.
			site.File("/first.js", `window.violations = []; addEventListener("securitypolicyviolation",`+
				` (e) => violations.push(e.violatedDirective + " " + e.blockedURI));`)
			site.File("/app", `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" `+
				`href="data:,"><title>strict</title><script src="/first.js"></script><script type="module" `+
				`src="/app.mjs"></script></html>`)
			page := chrome.NewProfile(t).InWindows().Open(address + "#" +
				url.PathEscape(`{"url":`+chrome.JS(s.URL)+`,"how":`+how+`}`))
			page.WaitFor(`window.opened || window.failed`)
			s.Expire()
			got := chrome.Script[[]string](page, `
				if (window.failed) return [String(failed), String(failed.cause)];
				const { content } = await mcp.callTool("pay", {}).result;
				const { host } = mcp;
				await mcp.forget();
				return [content[0].text, host, ...violations];`)
			if want := []string{"ada", strings.Split(how, `"`)[3]}; !slices.Equal(got, want) {
				t.Errorf("got %q", got)
			}
			if text := strings.Join(page.Console(), "\n"); strings.Contains(text, "Content Security Policy") {
				t.Error(text)
			}
			// And a violation would have been seen.
			chrome.Eval[chrome.Void](page, `void fetch("http://127.0.0.1:1/").catch(() => {})`)
			page.WaitFor(`violations.length === 1`)
		})
	}
}
