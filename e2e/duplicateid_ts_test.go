//go:build !js

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/tsserver"
)

// TestFault735_TypeScriptServer: the connection of a call dies before its answer, and Chrome sends the call
// again. The official TypeScript server makes one of its own for each request, and knows of no other: it
// refuses nothing, and runs the tool once more. The app has that run's result, and never an error of a call
// that ran.
func TestFault735_TypeScriptServer(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		for _, host := range []chrome.Host{chrome.PageHost, chrome.SharedHost} {
			t.Run(fmt.Sprint(revision, " ", host), func(t *testing.T) {
				row(t)
				t.Parallel()
				server := tsserver.Start(t, tsserver.Options{})
				target, err := url.Parse(server.URL)
				if err != nil {
					t.Fatal(err)
				}
				proxy := httputil.NewSingleHostReverseProxy(
					&url.URL{Scheme: target.Scheme, Host: target.Host})
				proxy.FlushInterval = -1
				var calls atomic.Int32
				site := chrome.NewSite(t)
				began := func(n int) bool {
					return strings.Contains(
						server.Output(), fmt.Sprint("write: run ", n))
				}
				site.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(bytes.NewReader(body))
					if bytes.Contains(body, []byte(`"tools/call"`)) && calls.Add(1) == 1 {
						first := r.Clone(t.Context())
						go func() {
							defer func() { _ = recover() }() // that the server is closed ends its answer
							proxy.ServeHTTP(httptest.NewRecorder(), first)
						}()
						eventually(t, "the first run", func() bool { return began(1) })
						panic(http.ErrAbortHandler)
					}
					proxy.ServeHTTP(w, r)
				}))
				page := appOn(t, site, "/mcp", `{ listen: false, revision: `+chrome.JS(revision)+`, host: `+
					chrome.JS(string(host))+` }`)
				chrome.Script[chrome.Void](page, `await mcp.listTools(); watch(mcp.callTool("write", {}));`)
				eventually(t, "the second copy", func() bool { return began(2) })
				server.Release()
				outcome(t, page, "")
				if got := chrome.Eval[string](page, `seen.result.content[0].text`); got != "written 2" ||
					began(3) || calls.Load() != 2 {
					t.Errorf("the app has %q, of %d requests", got, calls.Load())
				}
			})
		}
	}
}
