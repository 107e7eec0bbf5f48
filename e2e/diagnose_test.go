//go:build !js

package e2e

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// diagnoses are servers with one mistake each, and what diagnose has to find of them in a browser.
// Units have every finding; here the browser's own rules judge.
var diagnoses = []struct {
	name    string
	server  func(t *testing.T) string // returns its address
	options string
	found   string // code: what the hint has, by semicolons
}{
	{"nothing is wrong", func(t *testing.T) string { return peer.New(t, peer.Options{}).URL() }, "", ""},
	{"the official server", func(t *testing.T) string {
		server := gosdk.New(gosdk.Options{})
		t.Cleanup(server.Close)
		site := chrome.NewSite(t)
		site.Handle("/mcp", server)
		return site.URL + "/mcp"
	}, "", ""},
	{"nobody is there", func(t *testing.T) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		return "http://" + listener.Addr().String() + "/mcp"
	}, "", "unreachable: Is the server running"},
	{"no CORS", ofRules(peer.CORS{Off: true}), "",
		"allow_origin: Access-Control-Allow-Origin: http://127.0.0.1:"},
	{"a list of 2025", ofRules(peer.CORS2025()), "", "allow_headers: Access-Control-Allow-Headers: " +
		"last-event-id, mcp-method, mcp-name; allow_methods: Access-Control-Allow-Methods: GET, POST, DELETE"},
	{"a field of the app's",
		ofRules(peer.CORS{Allow: append([]string{"Mcp-Method", "Mcp-Name"}, allowed2025...)}),
		`{ headers: { "x-tenant": "7" } }`,
		"allow_headers: Access-Control-Allow-Headers: x-tenant"},
	{"a session that nobody sees", ofRules(peer.CORS{Expose: []string{}}), "",
		"expose_session: Access-Control-Expose-Headers: Mcp-Session-Id"},
	{"cookies", ofRules(peer.CORS{}), `{ credentials: "include" }`,
		"allow_credentials: Access-Control-Allow-Credentials: true"},
	{"a wrong path", answersWith("/mcp", "text/html", ""), "", "no_endpoint: Many servers use /mcp"},
	// Most servers allow pages at their endpoint alone, and a page cannot read anything of the 404.
	{"a wrong path without CORS",
		func(t *testing.T) string { return peer.New(t, peer.Options{}).Origin() + "/mpc" }, "",
		"allow_origin: If its endpoint does, is the path right"},
	{"a web page", answersWith("/mpc", "text/html", "<!doctype html><title>Hello</title>"), "",
		"not_mcp: Is the path right"},
	{"a proxy that holds back", holding, `{ patience: 1000 }`,
		"buffered: A proxy has to pass event streams on as they come"},
}

func ofRules(rules peer.CORS) func(t *testing.T) string {
	return func(t *testing.T) string { return peer.New(t, peer.Options{CORS: rules}).URL() }
}

// answersWith is a server with CORS that answers everything at the path with the same. Its page asks for
// /mpc.
func answersWith(path, mime, body string) func(t *testing.T) string {
	return func(t *testing.T) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
			w.Header().Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
			w.Header().Set("Content-Type", mime)
			switch {
			case r.Method == http.MethodOptions:
			case r.URL.Path != path:
				w.WriteHeader(http.StatusNotFound)
			default:
				w.Write([]byte(body))
			}
		}))
		t.Cleanup(server.Close)
		return server.URL + "/mpc"
	}
}

// holding is a server behind a proxy that passes on what is whole: the stream of a GET never is.
func holding(t *testing.T) string {
	behind, err := url.Parse(peer.New(t, peer.Options{}).Origin())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	site := chrome.NewSite(t)
	site.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			<-r.Context().Done()
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	return site.URL + "/mcp"
}

// TestStoryDiagnose: what diagnose says of a server with a mistake is that mistake, in Chrome, and
// of one without nothing; and no session is left behind.
func TestStoryDiagnose(t *testing.T) {
	t.Parallel()
	site := chrome.NewSite(t)
	site.File("/doctor.html", `<!doctype html><link rel="icon" href="data:,"><script type="importmap">{ "imports": { "holdfast": "/holdfast.mjs" } }</script>
		<script type="module">window.diagnose = (await import("/holdfast-diagnose.mjs")).diagnose;</script>`)
	page := chrome.Open(t, site.URL+"/doctor.html")
	page.WaitFor(`window.diagnose`)
	began := time.Now()
	for _, test := range diagnoses {
		options := test.options
		if options == "" {
			options = "{}"
		}
		got := chrome.Script[[]struct {
			Code, Message, Hint string
			Lines               map[string]string
		}](page, `return (await diagnose(`+chrome.JS(test.server(t))+`, `+options+`)).findings`)
		var wants []string
		if test.found != "" {
			wants = strings.Split(test.found, "; ")
		}
		if len(got) != len(wants) {
			t.Errorf("%s: it finds %+v, want %q", test.name, got, wants)
			continue
		}
		for i, want := range wants {
			code, hint, _ := strings.Cut(want, ": ")
			if got[i].Code != code || !strings.Contains(got[i].Hint, hint) {
				t.Errorf("%s: it finds %+v, want %q", test.name, got[i], want)
			}
			if isCORS := strings.HasPrefix(code, "allow_") || code == "expose_session"; isCORS &&
				got[i].Lines["nginx"] == "" {
				t.Errorf("%s: no lines to add: %+v", test.name, got[i])
			}
		}
	}
	t.Logf("%d servers in %v", len(diagnoses), time.Since(began))
}
