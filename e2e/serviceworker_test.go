//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// serviceWorkerApp is an app in a service worker, as that of a browser extension: it does what a page tells
// it, and tells the page what comes.
const serviceWorkerApp = `
const start = Math.random();
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
self.addEventListener("message", (event) => {
	const tell = (told) => event.source.postMessage(told);
	event.waitUntil((async () => {
		try {
			const mcp = await holdfast.connect(event.data.url);
			const [again] = await mcp.calls();
			const call = again ?? mcp.callTool("count", event.data.args);
			for await (const { type, progress } of call.events({ from: "start" })) if (type === "progress") tell({ progress, start });
			tell({ host: mcp.host, result: (await call.result).structuredContent.n });
		} catch ({ code, hint, retryable }) {
			tell({ failed: [code, retryable, hint].join(" ") });
		}
	})());
});`

// inServiceWorker opens a page with that service worker: window.told is what it has said.
func inServiceWorker(t *testing.T, script, kind string) *chrome.Page {
	t.Helper()
	site := chrome.NewSite(t)
	site.File("/sw.mjs", script+serviceWorkerApp)
	page := chrome.Open(t, site.Page("/app", `
		window.told = [];
		navigator.serviceWorker.onmessage = ({ data }) => told.push(data);
		await navigator.serviceWorker.register("/sw.mjs", { type: `+chrome.JS(kind)+` });
		const { active } = await navigator.serviceWorker.ready;
		window.ask = (url, args) => active.postMessage({ url, args });`))
	page.WaitFor(`window.ask`)
	return page
}

// TestFault652_ServiceWorker: an app in a service worker, which its browser ends whenever it likes, calls a
// tool. The next start of the worker goes on with the call where the last one stopped.
func TestFault652_ServiceWorker(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := inServiceWorker(t, `importScripts("/holdfast.js");`, "classic")
	ask := func() {
		chrome.Eval[chrome.Void](page, `ask(`+chrome.JS(p.URL())+
			`, { n: 20, call: "a", gate: "go", retry_ms: 10 })`)
	}
	ask()
	passes(p, "go", 8)
	page.WaitFor(`told.length === 8`)
	rests(page, `"progress":8`)
	chrome.Call(page, serviceworker.Enable, cdp.Empty{})
	chrome.Call(page, serviceworker.StopAllWorkers, cdp.Empty{})
	chrome.Eval[chrome.Void](page, `void (window.before = told.splice(0))`)
	ask()
	p.Release("go")
	page.WaitFor(`told.at(-1)?.result`)
	want := `1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,page 20`
	if got := chrome.Eval[string](page,
		`told.map(({ progress, host, result }) => progress ?? host + " " + result).join()`); got != want {
		t.Errorf("the second start of the worker has told %s, want %s", got, want)
	}
	if chrome.Eval[bool](page, `told[0].start === before[0].start`) {
		t.Error("the worker was not stopped")
	}
	once(t, p, "a")
}

// TestFault652_ModuleInAServiceWorker: a service worker can import no part of the module, and the error says
// what does.
func TestFault652_ModuleInAServiceWorker(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	page := inServiceWorker(t, `import * as holdfast from "/holdfast.mjs?built";`, "module")
	chrome.Eval[chrome.Void](page, `ask(`+chrome.JS(p.URL())+`)`)
	page.WaitFor(`told.length`)
	if got := chrome.Eval[string](page, `told[0].failed ?? JSON.stringify(told[0])`); !strings.HasPrefix(
		got, "load_failed false") || !strings.Contains(got, "importScripts() holdfast.js") {
		t.Errorf("it has told %s", got)
	}
}
