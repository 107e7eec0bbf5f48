//go:build !js

package e2e

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/everything"
	"github.com/holdfast-mcp/holdfast/e2e/internal/requestbody"
)

// TestFault736_ServerEverythingAfterACut: the server that everybody tries first, as it is on npm, is out of
// reach for two tries. The resume brings what was missed; then it sends keep-alives, each 15 s, and nothing
// of the call more, though its tool goes on and ends. The call is resumed once more, and ends: in either
// host, over a reload too.
func TestFault736_ServerEverythingAfterACut(t *testing.T) {
	long(t)
	t.Parallel()
	for _, host := range []chrome.Host{chrome.PageHost, chrome.SharedHost} {
		for _, reloaded := range []bool{false, true} {
			name := string(host)
			if reloaded {
				name += " over a reload"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				target, err := url.Parse(everything.Start(t))
				if err != nil {
					t.Fatal(err)
				}
				proxy := httputil.NewSingleHostReverseProxy(
					&url.URL{Scheme: target.Scheme, Host: target.Host})
				proxy.FlushInterval = -1
				var resumes atomic.Int32
				site := chrome.NewSite(t)
				site.Handle("/mcp", requestbody.Whole(http.HandlerFunc(func(
					w http.ResponseWriter, r *http.Request) {
					if r.Method == "GET" && r.Header.Get("Last-Event-ID") != "" && resumes.Add(1) <= 2 {
						w.WriteHeader(http.StatusServiceUnavailable)
						return
					}
					proxy.ServeHTTP(w, r)
				})))
				options := `{ listen: false, host: ` + chrome.JS(string(host)) + `, principal: "ada" }`
				page := appOn(t, site, "/mcp", options)
				chrome.Eval[chrome.Void](page,
					`void watch(mcp.callTool("trigger-long-running-operation", { duration: 14, steps: 14 }))`)
				page.WaitFor(`seen.progress.length >= 3`)
				site.Cut()
				page.WaitFor(`seen.resumed >= 1 && seen.progress.length >= 4`)
				if reloaded {
					page.Reload()
					if n := connected(page, "/mcp", options); n != 1 {
						t.Fatalf("%d calls after the reload", n)
					}
				}
				outcome(t, page, "")
				counted(t, page, 14)
				if n := resumes.Load(); n < 4 || n > 8 {
					t.Errorf("resumed with %d requests", n)
				}
			})
		}
	}
}
