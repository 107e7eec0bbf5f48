//go:build !js

package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault192_SharedHostUnavailable: where a shared host cannot be had, a page that insists on it
// gets an error that says why, and one that does not works on in the page.
func TestFault192_SharedHostUnavailable(t *testing.T) {
	t.Parallel()
	policy := func(value string) func(t *testing.T, site *chrome.Site) string {
		return func(t *testing.T, site *chrome.Site) string {
			site.Header(func(_ string, h http.Header) {
				h.Set("Content-Security-Policy", value)
				h.Set("Access-Control-Allow-Origin", "*")
			})
			return `{}`
		}
	}
	for name, test := range map[string]struct {
		spoil  func(t *testing.T, site *chrome.Site) string // returns options of connect
		why    string                                       // words of the message
		reason string
	}{
		"no SharedWorker": {func(_ *testing.T, site *chrome.Site) string {
			site.File("/before.mjs", `delete globalThis.SharedWorker;`)
			return `{}`
		}, "SharedWorker", "unsupported"},
		"a worker of another origin": {func(t *testing.T, _ *chrome.Site) string {
			return `{ worker: ` + chrome.JS(chrome.NewSite(t).URL+"/holdfast-worker.mjs") + ` }`
		}, "origin", "other_origin"},
		"CSP":               {policy("worker-src 'none'"), "worker", "not_started"},
		"a sandboxed frame": {policy("sandbox allow-scripts"), "origin", "opaque_origin"},
		"no such file": {func(_ *testing.T, _ *chrome.Site) string {
			return `{ worker: "/nosuch/holdfast-worker.mjs" }`
		}, "not there", "not_started"},
		"a file that is something else": {func(_ *testing.T, site *chrome.Site) string {
			site.File("/other-worker.mjs",
				`onconnect = ({ ports: [port] }) => port.postMessage({ hello: "you" });`)
			return `{ worker: "/other-worker.mjs" }`
		}, "answer", "no_answer"},
		"a script that throws": {func(_ *testing.T, site *chrome.Site) string {
			site.File("/throws-worker.mjs", `throw new Error("at its start");`)
			return `{ worker: "/throws-worker.mjs" }`
		}, "", "not_started"},
		"wasm that cannot go to another thread": {func(_ *testing.T, _ *chrome.Site) string {
			return `{ wasm: await fetch("/holdfast.wasm") }`
		}, "wasm", "page_wasm"},
		"a function that the page has to run": {func(_ *testing.T, _ *chrome.Site) string {
			return `{ fetch: (...request) => fetch(...request) }`
		}, "fetch is a function", "page_code"},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			p.Counting(nil)
			site := chrome.NewSite(t)
			site.File("/before.mjs", ``)
			options := test.spoil(t, site)
			url := site.Page("/app", `import "/before.mjs";`+appScript)
			// A browser of its own each time: of a script that has failed, Chromium says nothing the second
			// time.
			open := func() *chrome.Page {
				page := chrome.Open(t, url)
				page.WaitFor(`window.holdfast`)
				return page
			}
			connect := func(host string) string {
				return `holdfast.connect(` + chrome.JS(p.URL()) + `, { ...` + options + `, host: "` + host +
					`" })`
			}
			got := chrome.Script[failure](open(), `return await attempt(async () => (await `+
				connect("shared")+`, 0));`)
			if got.Code != "host_unavailable" || !strings.Contains(got.Message, test.why) {
				t.Errorf("got %q: %s; want a message with %q", got.Code, got.Message, test.why)
			}
			told := chrome.Script[[]string](open(), `
				const said = [];
				const mcp = await `+connect("auto")+`;
				mcp.on("host", ({ host, why, error }) => said.push(host + ": " + why + ", " + error.message));
				const result = await mcp.callTool("count", { call: "a", n: 2 }).result;
				return [mcp.host, String(result.structuredContent.n), ...said];`)
			want := []string{"page", "2", "page: " + test.reason + ", " + got.Message}
			if !slices.Equal(told, want) {
				t.Errorf("what the page does by itself: %q, want %q", told, want)
			}
			blameless(t, p)
		})
	}
}

// TestFault222_AgentsWithoutAWorker: an agent's client that would be in the shared worker is in the page
// where there is none, and its app hears why, once.
func TestFault222_AgentsWithoutAWorker(t *testing.T) {
	long(t)
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	for name, test := range map[string]struct{ before, options, reason string }{
		"no SharedWorker": {`delete globalThis.SharedWorker;`, `{}`, "unsupported"},
		"no such file":    {``, `{ worker: "/nosuch/holdfast-worker.mjs" }`, "not_started"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := chrome.NewSite(t)
			site.File("/before.mjs", test.before)
			url := site.Page("/app", `import "/before.mjs";`+withAgents(appScript))
			connect := func(host string) string {
				return `holdfast.connectAgent(` + chrome.JS(server.URL()) + `, { ...` + test.options +
					`, host: "` + host + `" })`
			}
			// Of a script that has failed, Chromium says nothing the second time: each has a browser of its
			// own.
			open := func() *chrome.Page {
				page := chrome.Open(t, url)
				page.WaitFor(`window.holdfast`)
				return page
			}
			pinned := chrome.Script[failure](open(), `return await attempt(async () => (await `+
				connect("shared")+`, 0));`)
			if pinned.Code != "host_unavailable" || !strings.HasPrefix(pinned.Message, "connectAgent: ") {
				t.Errorf("got %q: %s", pinned.Code, pinned.Message)
			}
			told := chrome.Script[[]string](open(), `
				const said = [];
				const agent = await `+connect("auto")+`;
				agent.on("host", ({ host, why, error }) => said.push(host + ": " + why + ", " + error.message));
				const session = await agent.newSession({ cwd: "/w" });
				await session.prompt("count 2");
				const end = await session.settled();
				return [agent.host, String(end.stopReason), ...said];`)
			want := []string{"page", "end_turn", "page: " + test.reason + ", " + pinned.Message}
			if !slices.Equal(told, want) {
				t.Errorf("what the page does by itself: %q, want %q", told, want)
			}
		})
	}
}

// TestFault226_TrustedTypes: a page that asks for Trusted Types has the runtime in a worker like
// any other, where its policy of that name is not forbidden.
func TestFault226_TrustedTypes(t *testing.T) {
	t.Parallel()
	const asks = "require-trusted-types-for 'script'"
	for name, test := range map[string]struct{ policy, want string }{
		"any policy":            {asks, "shared 2, worker 2"},
		"the policy is named":   {asks + "; trusted-types holdfast", "shared 2, worker 2"},
		"another one is named":  {asks + "; trusted-types app", "host_unavailable, host_unavailable"},
		"a default of the page": {asks + "; trusted-types default", "shared 2, worker 2"},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			p.Counting(nil)
			site := chrome.NewSite(t)
			site.Header(func(_ string, h http.Header) { h.Set("Content-Security-Policy", test.policy) })
			before := ""
			if strings.Contains(test.policy, "default") {
				before = `trustedTypes.createPolicy("default", { createScriptURL: (url) => new ` +
					`URL(url).origin === location.origin ? url : undefined });`
			}
			site.File("/before.mjs", before)
			page := chrome.Open(t, site.Page("/app", `import "/before.mjs";`+appScript))
			page.WaitFor(`window.holdfast`)
			told := chrome.Script[string](page, `
				const said = [];
				for (const host of ["shared", "worker"]) {
					try {
						const mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { host });
						said.push(mcp.host + " " + (await mcp.callTool("count", { call: host, n: 2 }).result).structuredContent.n);
					} catch (error) { said.push(error.code); }
				}
				return said.join(", ");`)
			if told != test.want {
				t.Errorf("got %q, want %q", told, test.want)
			}
		})
	}
}
