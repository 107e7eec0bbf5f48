//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// app opens a page on an origin of its own that has imported the module and
// connected to url: window.mcp is the client, window.watch(call) gathers a
// call's events and outcome in window.seen.
func app(t *testing.T, url, options string) *chrome.Page {
	t.Helper()
	return appOn(t, chrome.NewSite(t), url, options)
}

func appOn(t *testing.T, site *chrome.Site, url, options string) *chrome.Page {
	t.Helper()
	return appIn(chrome.NewProfile(t), site, url, options)
}

// appIn is appOn in a tab of that profile.
func appIn(profile *chrome.Profile, site *chrome.Site, url, options string) *chrome.Page {
	page := appLoaded(profile, site)
	appConnects(page, url, options)
	return page
}

// appLoaded is a page with the app, which has not connected yet.
func appLoaded(profile *chrome.Profile, site *chrome.Site) *chrome.Page {
	page := profile.Open(site.Page("/app", appScript))
	page.WaitFor(`window.holdfast`)
	return page
}

// appConnects connects the app of that page.
func appConnects(page *chrome.Page, url, options string) {
	if options == "" {
		options = "{}"
	}
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(url)+`, `+options+`);
		mcp.on("state", ({ state }) => states.push(state));
		mcp.on("integrity", (e) => integrity.push(e.what));`)
}

const appScript = `
import * as holdfast from "/holdfast.mjs";
window.states = [];
window.integrity = [];
window.watch = (call) => {
	const seen = { events: [], progress: [], status: [], resumed: 0, done: false, result: null, error: null };
	window.seen = seen;
	window.call = call;
	(async () => {
		try {
			for await (const event of call) {
				seen.events.push(event);
				if (event.type === "progress") seen.progress.push(event.progress);
				if (event.type === "status") seen.status.push(event.state);
				if (event.type === "resumed") seen.resumed++;
			}
			seen.result = await call.result;
		} catch (error) {
			seen.error = error;
		}
		seen.done = true;
	})();
	return seen;
};
window.attempt = async (run) => {
	try {
		return { value: await run(), code: "" };
	} catch (error) {
		return { code: error.code ?? error.name, message: error.message, hint: error.hint ?? "", retryable: error.retryable ?? false };
	}
};
window.holdfast = holdfast;
`

// withAgents is a page's script that has the names of holdfast/agent as well, beside those of the module.
func withAgents(script string) string {
	const module = `import * as holdfast from "/holdfast.mjs";`
	return strings.Replace(script, module, `
import * as ofModule from "/holdfast.mjs";
import * as ofAgents from "/holdfast-agent.mjs";
const holdfast = { ...ofModule, ...ofAgents };`, 1)
}

// failure is what attempt says of an error.
type failure struct {
	Code, Message, Hint string
	Retryable           bool
}

// counted checks that progress came as 1, 2, ... n: nothing lost, nothing
// twice, nothing out of order.
func counted(t *testing.T, page *chrome.Page, n int) {
	t.Helper()
	got := chrome.Eval[[]int](page, `seen.progress`)
	if len(got) != n {
		t.Errorf("%d progress events, want %d: %v", len(got), n, got)
		return
	}
	for i, p := range got {
		if p != i+1 {
			t.Errorf("progress event %d is %d: %v", i+1, p, got)
			return
		}
	}
}

// outcome waits until the watched call has ended and checks how: with an error
// of that code, or with a result where code is empty.
func outcome(t *testing.T, page *chrome.Page, code string) {
	t.Helper()
	page.WaitFor(`seen.done`)
	got := chrome.Eval[failure](page,
		`seen.error ? { code: seen.error.code, message: seen.error.message } : { code: "" }`)
	if got.Code != code {
		t.Errorf("the call ended with %q (%s), want %q", got.Code, got.Message, code)
	}
}
