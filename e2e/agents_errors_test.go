//go:build !js

package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestAgentErrors: what is wrong with an address, or with what its host allows a
// page, is named in the error.
func TestAgentErrors(t *testing.T) {
	t.Parallel()
	site := chrome.NewSite(t)
	page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
	page.WaitFor(`window.holdfast`)
	agent := acppeer.New(t, acppeer.Options{})
	down := nobody(t)
	elsewhere := chrome.NewSite(t)
	elsewhere.Handle("/hello", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "*")
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<h1>hello</h1>"))
	}))
	cors := func(c acppeer.CORS) string { return acppeer.New(t, acppeer.Options{CORS: c}).URL() }
	for name, test := range map[string]struct{ url, code, hint string }{
		"another path of the page's own host": {site.URL + "/nothing", "http_error", "/acp"},
		"not an agent":                        {elsewhere.URL + "/hello", "protocol_error", "/acp"},
		"nobody is there":                     {"http://" + down + "/acp", "network_error", "running"},
		"nobody is there for a WebSocket":     {"ws://" + down + "/acp", "network_error", "WebSocket"},
		"no CORS at all":                      {cors(acppeer.CORSNone), "cors_blocked", "Access-Control-Allow"},
		"CORS that does not expose the header": {cors(acppeer.CORSHidden), "cors_blocked",
			"Access-Control-Expose-Headers: Acp-Connection-Id"},
		"CORS that does not allow the header": {cors(acppeer.CORSNoConnection), "cors_blocked",
			"Access-Control-Allow-Headers: acp-connection-id"},
		"no address": {"http://", "bad_argument", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := chrome.Script[failure](page, `return attempt(() => holdfast.connectAgent(`+
				chrome.JS(test.url)+`));`)
			if got.Code != test.code || !strings.Contains(strings.ToLower(got.Hint),
				strings.ToLower(test.hint)) {
				t.Errorf("%s: %+v", test.url, got)
			}
		})
	}
	// A session is made without its header, and cannot be heard.
	got := chrome.Script[failure](page, `return attempt(async () => {
		const agent = await holdfast.connectAgent(`+chrome.JS(cors(acppeer.CORSNoSession))+`);
		const session = await agent.newSession({ cwd: "/w" });
		await session.prompt("hi");
	});`)
	if got.Code != "cors_blocked" ||
		!strings.HasSuffix(got.Hint, "Access-Control-Allow-Headers: acp-session-id") {
		t.Errorf("CORS that does not allow the session's header: %+v", got)
	}
	for name, c := range map[string]acppeer.CORS{"any": acppeer.CORSAny,
		"the reference server's": acppeer.CORSRust, "credentials": acppeer.CORSCredentials} {
		if got := chrome.Script[failure](page, `return attempt(() => holdfast.connectAgent(`+
			chrome.JS(cors(c))+`));`); got.Code != "" {
			t.Errorf("CORS %s: %+v", name, got)
		}
	}
	if got := chrome.Script[failure](page, `return attempt(() => holdfast.connectAgent(`+
		chrome.JS(agent.URL())+`));`); got.Code != "" {
		t.Errorf("an agent as it should be: %+v", got)
	}
}
