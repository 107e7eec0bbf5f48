//go:build !js

package wires

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// front is a server of HTTP/2 before another, that lets pages of every origin in with their cookies, and may
// refuse calls.
type front struct {
	*wire
	home     string                           // where the page is from
	refuses  atomic.Pointer[http.HandlerFunc] // what it answers to calls; nil where it passes them on
	streamed atomic.Bool                      // the last call that it has refused had no length
}

// newFront starts one; the page is from its own origin, or from another.
func newFront(t *testing.T, across bool) *front {
	t.Helper()
	f := &front{wire: newServer(t, peer.Options{})}
	target, _ := url.Parse(f.p.Origin())
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.Transport = &http.Transport{TLSClientConfig: authority.Own().Client(), ForceAttemptHTTP2: true}
	proxy.ModifyResponse = func(r *http.Response) error {
		letIn(r.Header, r.Request)
		return nil
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if refuse := f.refuses.Load(); refuse != nil && r.Method == "POST" &&
			strings.Contains(string(body), `"tools/call"`) {
			letIn(w.Header(), r)
			f.streamed.Store(r.ContentLength < 0)
			(*refuse)(w, r)
			return
		}
		r.ContentLength = int64(len(body))
		proxy.ServeHTTP(w, r)
	}))
	server.TLS, server.EnableHTTP2 = authority.Own().Server(), true
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	f.origin, f.home = server.URL, server.URL
	if across {
		home := newServer(t, peer.Options{})
		f.home, f.profile = home.origin, home.profile
	}
	return f
}

func letIn(h http.Header, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
	}
}

// opened opens the page, connected with those options.
func (f *front) opened(options string) *chrome.Page {
	page := f.profile.Open(f.home + "/app")
	f.begin(page, `listen: false, streamedBodies: true, principal: "ada", `+options)
	return page
}

// TestFault761_RefusedCalls: a token expires, a cookie does, a password is asked for, or a call is sent
// elsewhere, at the page's own origin and at another, with cookies and without. Nothing has run, and nobody
// is told that it may have; with another token it runs, once.
func TestFault761_RefusedCalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options string
		refuse  http.HandlerFunc
		want    string
	}{
		"a token": {`token: async () => "t" + (window.asked = (window.asked ?? 0) + 1)`,
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("WWW-Authenticate", "Bearer")
				w.WriteHeader(401)
			}, "unauthorized"},
		"a password": {``, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(401)
		}, "unauthorized"},
		"a cookie": {``, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) }, "unauthorized"},
		"a 307": {``, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", 307) },
			"http_error"},
	} {
		for _, across := range []bool{false, true} {
			for _, credentials := range []string{"omit", "include"} {
				f := newFront(t, across)
				page := f.opened(`credentials: "` + credentials + `", ` + c.options)
				f.counts(page, "before")
				f.refuses.Store(&c.refuse)
				chrome.Eval[chrome.Void](page, `call("sideeffect", "refused", {})`)
				page.WaitFor(`tracked.refused.done`)
				code, runs := chrome.Eval[string](page, `tracked.refused.code`), f.p.Oracle().Runs("refused")
				if code != c.want || runs != 0 {
					t.Errorf("%s, across %v, %s: it ended with %q, and ran %d times", name, across,
						credentials, code, runs)
				}
				// With cookies the browser would hide that a password is asked for.
				if streamed := f.streamed.Load(); streamed != (credentials == "omit") {
					t.Errorf("%s, across %v, %s: streamed is %v", name, across, credentials, streamed)
				}
				f.refuses.Store(nil)
				f.counts(page, "behind")
			}
		}
	}
}

// TestFault761_ATokenIsRefreshed: a token expires, and the next one is taken: each request leaves anew, and
// runs once.
func TestFault761_ATokenIsRefreshed(t *testing.T) {
	t.Parallel()
	for _, across := range []bool{false, true} {
		f := newFront(t, across)
		page := f.opened(`token: async () => "t" + (window.asked = (window.asked ?? 0) + 1)`)
		f.counts(page, "before")
		valid := atomic.Value{}
		valid.Store("t2")
		f.p.Unauthorized(func(token string) bool { return token != valid.Load() })
		f.counts(page, "one")
		valid.Store("t3")
		f.counts(page, "two")
	}
}

// TestFault761_AServiceWorkerPassesOn: a service worker of the app's passes each request on. Calls end with
// their results, and run once.
func TestFault761_AServiceWorkerPassesOn(t *testing.T) {
	t.Parallel()
	w := newServer(t, peer.Options{})
	w.site.File("/sw.js", `
		addEventListener("install", () => skipWaiting());
		addEventListener("activate", (event) => event.waitUntil(clients.claim()));
		addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));`)
	page := w.profile.Open(w.origin + "/app")
	chrome.Script[chrome.Void](page, `
		navigator.serviceWorker.register("/sw.js");
		await navigator.serviceWorker.ready;
		if (!navigator.serviceWorker.controller) await new Promise((resolve) => (navigator.serviceWorker.oncontrollerchange = resolve));`)
	w.begin(page, `listen: false, streamedBodies: true`)
	for _, label := range labels(3) {
		w.counts(page, label)
	}
}
