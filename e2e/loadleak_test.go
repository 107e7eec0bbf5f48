//go:build !js

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// openedScript counts what a page has open: channels to other pages, databases,
// and Web Locks, those included that it waits for.
const openedScript = `
const channels = new Set(), databases = new Set();
const { close } = BroadcastChannel.prototype;
window.BroadcastChannel = class extends BroadcastChannel {
	constructor(name) { super(name); channels.add(this); }
	close() { channels.delete(this); close.call(this); }
};
IDBFactory.prototype.open = ((open) => function (...args) {
	const request = open.apply(this, args);
	request.addEventListener("success", () => databases.add(request.result));
	return request;
})(IDBFactory.prototype.open);
// What is closed already may be closed again.
IDBDatabase.prototype.close = ((close) => function () { databases.delete(this); close.call(this); })(IDBDatabase.prototype.close);
window.opened = async () => {
	const { held, pending } = await navigator.locks.query();
	// One for the connections of an origin comes and goes with the locks of those.
	const beside = [...channels].filter(({ name }) => name.startsWith("holdfast.stream.")).length;
	const locks = held.length + pending.length + beside;
	return { channels: channels.size - beside, databases: databases.size, locks };
};
` + appScript

// opened is what that says.
type opened struct{ Channels, Databases, Locks int }

// nothingOpen waits until the page has nothing open.
func nothingOpen(t *testing.T, page *chrome.Page) {
	t.Helper()
	var last opened
	defer func() {
		if t.Failed() {
			t.Logf("open at last: %+v", last)
		}
	}()
	eventually(t, "the page to have nothing open", func() bool {
		last = chrome.Eval[opened](page, `opened()`)
		return last == opened{}
	})
}

// TestFault139_WasmFailsTenTimes: whichever part of connect fails, what it had
// opened is closed: after ten failures nothing is open, and the next one works.
func TestFault139_WasmFailsTenTimes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, attempted string }{
		"connect":      {"holdfast.wasm", `holdfast.connect("/mcp")`},
		"connectAgent": {"holdfast-agents.wasm", `holdfast.connectAgent("/mcp", { principal: "ada" })`},
	} {
		wasm, err := os.ReadFile(filepath.Join("..", "web", "dist", test.file))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			site := sdkSite(t)
			var there atomic.Bool
			site.Handle("/"+test.file, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !there.Load() {
					http.Error(w, "not yet", http.StatusServiceUnavailable)
					return
				}
				w.Header().Set("Content-Type", "application/wasm")
				w.Write(wasm)
			}))
			page := chrome.Open(t, site.Page("/app", withAgents(openedScript)))
			page.WaitFor(`window.holdfast`)
			codes := chrome.Script[[]string](page, `
				const codes = [];
				for (let i = 0; i < 10; i++) codes.push((await attempt(() => `+test.attempted+`)).code);
				return codes;`)
			for _, code := range codes {
				if code != "load_failed" {
					t.Errorf("connect ended with %q", code)
				}
			}
			nothingOpen(t, page)
			there.Store(true)
			if name != "connect" {
				return
			}
			got := chrome.Script[opened](page, `
				window.mcp = await holdfast.connect("/mcp");
				return opened();`)
			if got.Channels != 1 || got.Databases != 1 || got.Locks == 0 {
				t.Errorf("one client has open: %+v", got)
			}
			chrome.Eval[chrome.Void](page, `mcp.close()`)
			nothingOpen(t, page)
		})
	}
}
