//go:build !js

package e2e

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// deadURL is an address of this machine's where nothing listens.
func deadURL(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String() + "/mcp"
}

// TestFault464_DeadServerInTheConsole: nothing listens there. The page's console has one
// error for each request that could have been answered, two at most: what looks for the
// cause adds none, but where the page's policy has no room for a worker. The hint is the same.
func TestFault464_DeadServerInTheConsole(t *testing.T) {
	t.Parallel()
	site := chrome.NewSite(t)
	const start = `<!doctype html><link rel="icon" href="data:,">`
	const strict = `<meta http-equiv="Content-Security-Policy" content="worker-src 'self'">`
	hidden := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin") // helmet's default
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}))
	t.Cleanup(hidden.Close)
	const nobody = "Is the server running, and are host and port right?"
	for _, test := range []struct {
		name, head, connect string
		most                int // errors of requests; -1 for any number
		code, hint          string
	}{
		{"refused", "", `connect(` + chrome.JS(deadURL(t)) + `)`, 2, "network_error", nobody},
		{"no such name", "", `connect("http://nobody.invalid/mcp")`, 2, "network_error", nobody},
		{"its revision is known", "", `connect(` + chrome.JS(deadURL(t)) + `, { revision: "2025-11-25" })`, 1, "network_error", nobody},
		{"an agent", "", `connectAgent(` + chrome.JS(deadURL(t)) + `)`, 1, "network_error", nobody},
		{"no room for a worker", strict, `connect(` + chrome.JS(deadURL(t)) + `)`, 3, "network_error", nobody},
		{"a server that gives nothing without CORS", "", `connect(` + chrome.JS(hidden.URL+"/mcp") + `)`, -1, "cors_blocked", "Access-Control-Allow-Headers: content-type"},
	} {
		site.File("/app.html", start+test.head+`<script type="module">`+appScript+`</script>`)
		page := chrome.Open(t, site.URL+"/app.html")
		page.WaitFor(`window.holdfast`)
		got := chrome.Script[failure](page, `return attempt(() => holdfast.`+test.connect+`);`)
		if got.Code != test.code || !strings.Contains(got.Hint, test.hint) {
			t.Errorf("%s: got %+v", test.name, got)
		}
		var errors []string
		for _, line := range page.Console() {
			if strings.Contains(line, "net::ERR_") {
				errors = append(errors, line)
			}
		}
		if test.most >= 0 && len(errors) > test.most {
			t.Errorf("%s: %d errors in the console, %d at most\n%s", test.name, len(errors), test.most, strings.Join(page.Console(), "\n"))
		}
		t.Logf("%s: %d errors", test.name, len(errors))
		page.Close()
	}
}
