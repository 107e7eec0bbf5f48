//go:build !js

package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault712_BothKindsForgetInMemory: a page without IndexedDB has a client of an MCP server and one of an
// agent in its own host, each of a chunk of its own. Either logs out, whichever was there first.
func TestFault712_BothKindsForgetInMemory(t *testing.T) {
	t.Parallel()
	agent := acpserver.Start(t, acpserver.Options{})
	const before = `Object.defineProperty(globalThis, "indexedDB", { value: undefined });`
	page := chrome.Open(t, sdkSite(t).Page("/app", before+withAgents(appScript)))
	page.WaitFor(`window.holdfast`)
	got := chrome.Script[[]string](page, `
		const options = { host: "page", principal: "ada" };
		const all = [await holdfast.connect("/mcp", options), await holdfast.connectAgent(`+chrome.JS(agent.URL())+`, options)];
		const kept = all.map((client) => client.durability);
		for (const client of all) kept.push(await client.forget().then(() => "forgotten", String));
		return kept;`)
	if want := "memory memory forgotten forgotten"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFault713_PolicyOfTheOtherKind: an MCP client runs in the wasm that an agent's client has loaded, or the
// other way round. Its chunk has loaded none itself, and names the policy that keeps it from its server all
// the same.
func TestFault713_PolicyOfTheOtherKind(t *testing.T) {
	t.Parallel()
	agent := acpserver.Start(t, acpserver.Options{})
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for name, test := range map[string]struct{ allowed, before, connect string }{
		"a server beside an agent": {agent.URL(), `await holdfast.connectAgent(` + chrome.JS(agent.URL()) +
			`, options);`, `connect`},
		"an agent beside a server": {"", `await holdfast.connect("/mcp", options);`, `connectAgent`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := sdkSite(t)
			site.Header(func(_ string, h http.Header) {
				h.Set("Content-Security-Policy", "default-src 'none'; img-src data:; script-src 'self' "+
					"'wasm-unsafe-eval'; connect-src 'self' "+test.allowed)
			})
			page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
			page.WaitFor(`window.holdfast`)
			got := chrome.Script[failure](page, `
				const options = { host: "page", wasm: "/holdfast-agents.wasm" };`+test.before+`
				return attempt(() => holdfast.`+test.connect+`(`+chrome.JS(server.URL+"/mcp")+`, options));`)
			if got.Code != "network_error" || !strings.HasSuffix(got.Hint, "lacks  connect-src "+server.URL) {
				t.Errorf("got %+v", got)
			}
		})
	}
}
