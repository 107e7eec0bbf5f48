//go:build !js

package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

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
	dead := "http://" + nobody(t) + "/mcp"
	const hint = "Is the server running, and are host and port right?"
	for _, test := range []struct {
		name, head, connect string
		most                int // errors of requests; -1 for any number
		code, hint          string
	}{
		{"refused", "", `connect(` + chrome.JS(dead) + `)`, 2, "network_error", hint},
		{"no such name", "", `connect("http://nobody.invalid/mcp")`, 2, "network_error", hint},
		{"its revision is known", "", `connect(` + chrome.JS(dead) + `, { revision: "2025-11-25" })`, 1,
			"network_error", hint},
		{"an agent", "", `connectAgent(` + chrome.JS(dead) + `)`, 1, "network_error", hint},
		{"no room for a worker", strict, `connect(` + chrome.JS(dead) + `)`, 3, "network_error", hint},
		{"a server that gives nothing without CORS", "", `connect(` + chrome.JS(hidden.URL+"/mcp") + `)`, -1,
			"cors_blocked", "Access-Control-Allow-Headers: content-type"},
	} {
		site.File("/app.html", start+test.head+`<script type="module">`+withAgents(appScript)+`</script>`)
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
			t.Errorf("%s: %d errors in the console, %d at most\n%s", test.name, len(errors), test.most,
				strings.Join(page.Console(), "\n"))
		}
		t.Logf("%s: %d errors", test.name, len(errors))
		page.Close()
	}
}
