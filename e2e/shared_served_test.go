//go:build !js

package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestSharedServed: a page whose worker comes from elsewhere than beside its module, or under
// policies as docs/hosts.md names them, has it.
func TestSharedServed(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(t *testing.T, site *chrome.Site) (options string){
		"a file of one line, for that of a CDN": func(t *testing.T, site *chrome.Site) string {
			cdn := chrome.NewSite(t)
			cdn.Header(func(_ string, h http.Header) { h.Set("Access-Control-Allow-Origin", "*") })
			site.File("/own-worker.mjs", `import "`+cdn.URL+`/holdfast-worker.mjs";`)
			return `{ worker: "/own-worker.mjs" }`
		},
		"the least policies": func(_ *testing.T, site *chrome.Site) string {
			site.Header(func(path string, h http.Header) {
				policy := "default-src 'none'; script-src 'self'; worker-src 'self'"
				if strings.HasSuffix(path, "-worker.mjs") {
					policy = "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src http:"
				}
				h.Set("Content-Security-Policy", policy)
			})
			return `{}`
		},
		"script-src in the place of worker-src": func(_ *testing.T, site *chrome.Site) string {
			site.Header(func(path string, h http.Header) {
				if !strings.HasSuffix(path, "-worker.mjs") {
					h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'")
				}
			})
			return `{}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			p.Counting(nil)
			site := chrome.NewSite(t)
			options := serve(t, site)
			site.File("/page.html", `<!doctype html><link rel="icon" href="data:,`+
				`"><script type="module" src="/app.mjs"></script>`)
			site.File("/app.mjs", appScript)
			page := chrome.Open(t, site.URL+"/page.html")
			page.WaitFor(`window.holdfast`)
			got := chrome.Script[string](page, `
				const mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { ...`+options+`, host: "shared" });
				const result = await mcp.callTool("count", { call: "a", n: 2 }).result;
				return mcp.host + " " + result.structuredContent.n;`)
			if got != "shared 2" {
				t.Errorf("got %s", got)
			}
			blameless(t, p)
		})
	}
}
