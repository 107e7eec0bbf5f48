//go:build !js

package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// secureSite serves a site over TLS as well, and returns the address of a page there.
func secureSite(t *testing.T, site *chrome.Site, path string) string {
	t.Helper()
	secure := httptest.NewUnstartedServer(site)
	secure.TLS = authority.Own().Server()
	secure.StartTLS()
	t.Cleanup(secure.Close)
	t.Cleanup(secure.CloseClientConnections)
	return secure.URL + path
}

// insecurely has a browser take any certificate, and find a server on this machine under a name of elsewhere.
var insecurely = []chromedp.ExecAllocatorOption{
	chromedp.Flag("host-resolver-rules", "MAP holdfast.test 127.0.0.1"),
	chromedp.Flag("ignore-certificate-errors", true),
}

// secureApp is an app whose clients choose their own hosts.
var secureApp = strings.ReplaceAll(withAgents(appScript), `.mjs";`, `.mjs?built";`) + `window.ready = true;`

// elsewhereOf is the peer's address under a name that is no loopback one.
func elsewhereOf(t *testing.T, p *peer.Peer) string {
	t.Helper()
	address, err := url.Parse(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	address.Host = "holdfast.test:" + address.Port()
	return address.String()
}

// TestFault740_PlainHTTPFromASecurePage: what a browser forbids a page, a worker does not do for it.
func TestFault740_PlainHTTPFromASecurePage(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	site := chrome.NewSite(t)
	site.Page("/app", secureApp)
	b := startBrowser(t, t.TempDir(), secureSite(t, site, "/app"), insecurely...)
	for _, connect := range []string{"connect", "connectAgent"} {
		for _, row := range []struct{ options, want string }{
			{`{ host: "page" }`, "network_error"},
			{`{}`, "network_error"},
			{`{ host: "shared" }`, "host_unavailable"},
			{`{ host: "worker" }`, "host_unavailable"},
			{`{ token: () => "secret" }`, "bad_argument"},
			{`{ headers: { "X-Key": "secret" } }`, "bad_argument"},
			{`{ credentials: "include" }`, "bad_argument"},
			{`{ auth: holdfast.oauth() }`, "bad_argument"},
		} {
			got := ask[failure](b, `attempt(() => holdfast.`+connect+`(`+chrome.JS(elsewhereOf(t, p))+`, `+
				row.options+`))`)
			if got.Code != row.want || !strings.Contains(got.Message+got.Hint, "https") {
				t.Errorf("%s %s: %+v, want %s", connect, row.options, got, row.want)
			}
		}
	}
	if n := len(p.Requests()); n != 0 {
		t.Errorf("%d requests left in plain", n)
	}
	// This machine is as good as https, in each host.
	here := strings.Replace(p.URL(), "127.0.0.1", "localhost", 1)
	for _, host := range []string{"page", "worker", "shared"} {
		if got := ask[string](b, `holdfast.connect(`+chrome.JS(here)+`, { host: "`+host+
			`", token: () => "t", principal: "ada" }).then((mcp) => mcp.host)`); got != host {
			t.Errorf("localhost: %s, want %s", got, host)
		}
	}
}

// TestFault740_TheBrowserDecides: a page whose policy upgrades requests speaks https, in the page.
func TestFault740_TheBrowserDecides(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming(), TLS: authority.Own().Server()})
	site := chrome.NewSite(t)
	var keptBack atomic.Bool
	site.Header(func(_ string, header http.Header) {
		if !keptBack.Load() {
			header.Set("Content-Security-Policy", "upgrade-insecure-requests")
		}
	})
	site.Page("/app", secureApp)
	b := startBrowser(t, t.TempDir(), secureSite(t, site, "/app"), insecurely...)
	plain := strings.Replace(elsewhereOf(t, p), "https:", "http:", 1)
	if got := ask[string](b, `holdfast.connect(`+chrome.JS(plain)+
		`).then((mcp) => mcp.host + " " + mcp.state)`); got != "page open" {
		t.Errorf("it is %s", got)
	}
	// A stored session is no connection where the browser keeps the requests back.
	keptBack.Store(true)
	b.reload()
	if got := ask[failure](b, `attempt(() => holdfast.connect(`+chrome.JS(plain)+`))`); got.Code !=
		"network_error" {
		t.Errorf("the next page: %+v", got)
	}
}
