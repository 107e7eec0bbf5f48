//go:build !js

package e2e

import (
	"net/http"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault178_AgentCannotBeReached: whichever part of connectAgent fails, what it
// had opened is closed: after ten failures nothing is open, and the next one works.
func TestFault178_AgentCannotBeReached(t *testing.T) {
	t.Parallel()
	agent := acppeer.New(t, acppeer.Options{})
	silent := acppeer.New(t, acppeer.Options{})
	silent.Rule(acppeer.Rule{Kind: "initialize", Gate: "never"})
	refused := acppeer.New(t, acppeer.Options{CORS: acppeer.CORSNone})
	halfway := acppeer.New(t, acppeer.Options{CORS: acppeer.CORSNoConnection})
	down := nobody(t)
	site := chrome.NewSite(t)
	site.Handle("/away", http.RedirectHandler("/away/", http.StatusTemporaryRedirect))
	site.Handle("/401",
		http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who?", http.StatusUnauthorized) }))
	for name, test := range map[string]struct{ url, options, code string }{
		"nobody is there":                 {"http://" + down + "/acp", `principal: "ada"`, "network_error"},
		"nobody is there for a WebSocket": {"ws://" + down + "/acp", `principal: "ada"`, "network_error"},
		"nobody knows who the user is":    {"ws://" + down + "/acp", ``, "network_error"},
		"no CORS":                         {refused.URL(), `principal: "ada"`, "cors_blocked"},
		"CORS for the handshake alone":    {halfway.URL(), `principal: "ada"`, "cors_blocked"},
		"no such path":                    {"/nothing", `principal: "ada"`, "http_error"},
		"a redirect to nothing":           {"/away", `principal: "ada"`, "http_error"},
		"no authorization":                {"/401", `principal: "ada"`, "unauthorized"},
		"a provider that throws": {agent.URL(), `token: () => { throw new Error("signed out"); }`,
			"unauthorized"},
		"given up, the agent is silent": {silent.URL(),
			`principal: "ada", signal: givenUp((end) => setTimeout(end, 20))`, "cancelled"},
		"given up at once": {silent.URL(), `principal: "ada", signal: givenUp(queueMicrotask)`, "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			page := chrome.Open(t, site.Page("/app", withAgents(openedScript)+givenUpScript))
			page.WaitFor(`window.holdfast`)
			tenFail(t, page, `holdfast.connectAgent(`+chrome.JS(test.url)+`, { `+test.options+` })`,
				test.code)
			nothingOpen(t, page)
			got := chrome.Script[opened](page, `
				window.agent = await holdfast.connectAgent(`+chrome.JS(agent.URL())+`, { principal: "ada" });
				return opened();`)
			if got.Channels != 1 || got.Databases != 1 || got.Locks == 0 {
				t.Errorf("one client has open: %+v", got)
			}
			chrome.Script[chrome.Void](page, `await agent.close();`)
			nothingOpen(t, page)
		})
	}
}

// TestFault178_GivenUpWhileOpening: the app gives up while the wasm or the token is
// still on its way, and it may never come. connect and connectAgent reject at once,
// and close what is open by then: other tabs need the connections that an agent's
// client has asked for.
func TestFault178_GivenUpWhileOpening(t *testing.T) {
	t.Parallel()
	agent := acppeer.New(t, acppeer.Options{})
	server := peer.New(t, peer.Options{})
	for name, test := range map[string]struct{ connect, options string }{
		"connect, the wasm":      {`holdfast.connect(` + chrome.JS(server.URL()), `principal: "ada"`},
		"connectAgent, the wasm": {`holdfast.connectAgent(` + chrome.JS(agent.URL()), `principal: "ada"`},
		"connect, the token": {`holdfast.connect(` + chrome.JS(server.URL()),
			`token: () => new Promise(() => {})`},
		"connectAgent, the token": {`holdfast.connectAgent(` + chrome.JS(agent.URL()),
			`token: () => new Promise(() => {})`},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			site := chrome.NewSite(t)
			release := make(chan struct{})
			t.Cleanup(sync.OnceFunc(func() { close(release) }))
			site.Handle("/holdfast.wasm", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-release:
				case <-r.Context().Done():
				}
			}))
			page := chrome.Open(t, site.Page("/app", withAgents(openedScript)+givenUpScript))
			page.WaitFor(`window.holdfast`)
			tenFail(t, page, test.connect+`, { `+test.options+
				`, signal: givenUp((end) => setTimeout(end, 5)) })`, "cancelled")
			nothingOpen(t, page)
		})
	}
}

// givenUpScript is a page's: a signal that is aborted when `later` calls what it is given.
const givenUpScript = `
window.givenUp = (later) => {
	const give = new AbortController();
	later(() => give.abort());
	return give.signal;
};
`

// tenFail tries ten times what has to fail with that code.
func tenFail(t *testing.T, page *chrome.Page, attempted, code string) {
	t.Helper()
	codes := chrome.Script[[]string](page, `
		const codes = [];
		for (let i = 0; i < 10; i++) codes.push((await attempt(() => `+attempted+`)).code);
		return codes;`)
	for _, got := range codes {
		if got != code {
			t.Errorf("connecting ended with %q, want %q", got, code)
		}
	}
}
