//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// captured is a page that has kept the WebAssembly instance, to break it.
func captured(t *testing.T) *chrome.Page {
	t.Helper()
	site := sdkSite(t)
	page := chrome.Open(t, site.Page("/app", `
		const real = WebAssembly.instantiateStreaming;
		WebAssembly.instantiateStreaming = async (...args) => {
			const loaded = await real(...args);
			window.wasm = loaded.instance.exports;
			window.go = args[1];
			return loaded;
		};`+appScript))
	page.WaitFor(`window.holdfast`)
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect("/mcp");`)
	return page
}

// TestStoryRuntimeExit: however the Go program ends, what is pending and not kept rejects
// with runtime_exited; the client starts a new one, which has the calls from the
// journal as the objects that they were, and the next connect has them too (faults 58, 802).
func TestStoryRuntimeExit(t *testing.T) {
	t.Parallel()
	for name, breakIt := range map[string]string{
		// A chunk (input 1) that is longer than the memory, a bounds error in Go: recovered at the border, the
		// machine is not used again.
		"panic": `wasm.input(1, 1, 1, 0, 0, 0x7fffffff, 0)`,
		// What go.run does with a panic that nobody recovered.
		"exit": `go.gojs["runtime.wasmExit"](exitFrame())`,
		// Memory that makes no sense: the next export traps.
		"trap": `new Uint8Array(wasm.mem.buffer).fill(0xff, 4096)`,
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			page := captured(t)
			page.AllowExceptions()
			got := chrome.Script[struct {
				Slow, After string
				Sum         float64
			}](page, `
				// runtime.wasmExit reads its code at sp + 8.
				const exitFrame = () => { const sp = wasm.mem.buffer.byteLength - 64; new DataView(wasm.mem.buffer).setInt32(sp + 8, 2, true); return sp; };
				window.kept = mcp.callTool("slow", { seconds: 60 });
				const slow = mcp.callTool("slow", { seconds: 60 }, { journal: false });
				for (const call of [kept, slow]) await call[Symbol.asyncIterator]().next(); // it has left
				const code = slow.result.then(() => "resolved", (e) => e.code);
				try { `+breakIt+`; } catch {}
				const after = (await attempt(() => mcp.ping())).code;
				const again = await holdfast.connect("/mcp");
				const { structuredContent } = await again.callTool("add", { a: 1, b: 2 }).result;
				return { slow: await code, after, sum: structuredContent.sum };`)
			if got.Slow != "runtime_exited" || got.After != "runtime_exited" || got.Sum != 3 {
				t.Errorf("got %+v", got)
			}
			page.WaitFor(`mcp.state === "open"`)
			page.WaitFor(`(await mcp.calls()).some((call) => call === kept)`)
		})
	}
}
