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
window.open_ = { channels: 0, databases: 0 };
const { close } = BroadcastChannel.prototype;
window.BroadcastChannel = class extends BroadcastChannel {
	constructor(name) { super(name); open_.channels++; }
	close() { open_.channels--; close.call(this); }
};
IDBFactory.prototype.open = ((open) => function (...args) {
	const request = open.apply(this, args);
	request.addEventListener("success", () => open_.databases++);
	return request;
})(IDBFactory.prototype.open);
IDBDatabase.prototype.close = ((close) => function () { open_.databases--; close.call(this); })(IDBDatabase.prototype.close);
window.opened = async () => {
	const { held, pending } = await navigator.locks.query();
	return { ...open_, locks: held.length + pending.length };
};
` + appScript

// opened is what that says.
type opened struct{ Channels, Databases, Locks int }

// TestFault139_WasmFailsTenTimes: whichever part of connect fails, what it had
// opened is closed: after ten failures nothing is open, and the next one works.
func TestFault139_WasmFailsTenTimes(t *testing.T) {
	t.Parallel()
	wasm, err := os.ReadFile(filepath.Join("..", "web", "dist", "holdfast.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	for name, attempted := range map[string]string{
		"connect":      `holdfast.connect("/mcp")`,
		"connectAgent": `holdfast.connectAgent("/mcp", { principal: "ada" })`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := sdkSite(t)
			var there atomic.Bool
			site.Handle("/holdfast.wasm", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !there.Load() {
					http.Error(w, "not yet", http.StatusServiceUnavailable)
					return
				}
				w.Header().Set("Content-Type", "application/wasm")
				w.Write(wasm)
			}))
			page := chrome.Open(t, site.Page("/app", openedScript))
			page.WaitFor(`window.holdfast`)
			codes := chrome.Script[[]string](page, `
				const codes = [];
				for (let i = 0; i < 10; i++) codes.push((await attempt(() => `+attempted+`)).code);
				return codes;`)
			for _, code := range codes {
				if code != "load_failed" {
					t.Errorf("connect ended with %q", code)
				}
			}
			page.WaitFor(`JSON.stringify(await opened()) === '{"channels":0,"databases":0,"locks":0}'`)
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
			page.WaitFor(`JSON.stringify(await opened()) === '{"channels":0,"databases":0,"locks":0}'`)
		})
	}
}
