//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault656_FrameWithoutAnAddress: a frame of srcdoc has the origin of the page around it, and no address
// of its own. Its runtime is in the worker of that page, and a relative URL is one of that page's.
func TestFault656_FrameWithoutAnAddress(t *testing.T) {
	t.Parallel()
	site := sdkSite(t)
	site.File("/frame.mjs", `
		import { connect } from "/holdfast.mjs";
		const mcp = await connect("mcp", { host: "shared" });
		parent.said.push(location.href, mcp.host, mcp.url, (await mcp.callTool("add", { a: 20, b: 22 }).result).structuredContent.sum);`)
	page := chrome.Open(t, site.Page("/around", `
		window.said = [];
		const frame = document.createElement("iframe");
		frame.srcdoc = "<script type=module src=/frame.mjs></scr" + "ipt>";
		document.body.append(frame);`))
	page.WaitFor(`said.length >= 4`)
	got := chrome.Eval[[]any](page, `said`)
	if want := []any{"about:srcdoc", "shared", site.URL + "/mcp", 42.0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestFault657_PageWithABase: what an app gives as a relative URL is relative to the page's base, as with
// fetch: at whatever route of a single-page app the page is loaded, it is the same server, and the same
// calls.
func TestFault657_PageWithABase(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"shared", "page"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			site := sdkSite(t)
			page := chrome.Open(t, site.Page("/app/items/5", `
				document.head.insertAdjacentHTML("afterbegin", '<base href="/">');
				const { connect } = await import("/holdfast.mjs");
				const mcp = await connect("mcp", { host: `+chrome.JS(host)+`, wasm: "holdfast.wasm", worker: "holdfast-worker.mjs", validator: "holdfast-validate.mjs" });
				window.said = [mcp.host, mcp.url, (await mcp.callTool("add", { a: 20, b: 22 }).result).structuredContent.sum];`))
			page.WaitFor(`window.said`)
			got := chrome.Eval[[]any](page, `said`)
			if want := []any{host, site.URL + "/mcp", 42.0}; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
