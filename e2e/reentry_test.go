//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault59_ListenersCallIn: an app calls in from whatever it is told by: a
// listener, a loop, an abort. Nothing deadlocks, and every call ends.
func TestFault59_ListenersCallIn(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Tool("odd", peer.Script{peer.Prime(10), peer.Raw("data: {not json}\n\ndata: {not json}\n\n"),
		peer.Progress(1, 2, ""), peer.Progress(2, 2, ""), peer.Text("done")})
	p.Tool("plain", peer.Script{peer.Text("plain")})
	page := app(t, p.URL(), "")
	got := chrome.Script[[]string](page, `
		const inner = [];
		const plain = () => inner.push(mcp.callTool("plain").result.then((r) => r.content[0].text, (e) => e.code));
		mcp.on("integrity", () => { plain(); const doomed = mcp.callTool("plain"); inner.push(doomed.result.then(() => "in time", (e) => e.code)); doomed.cancel(); });
		mcp.on("state", plain);
		const aborter = new AbortController();
		aborter.signal.addEventListener("abort", plain);
		const call = mcp.callTool("odd", {}, { signal: aborter.signal });
		for await (const event of call) if (event.type === "progress") { plain(); await mcp.ping(); }
		const { content } = await call.result;
		aborter.abort();
		return [content[0].text, ...(await Promise.all(inner))];`)
	want := map[string]int{"done": 1, "plain": 5, "cancelled": 2}
	count := map[string]int{}
	for _, text := range got {
		count[text]++
	}
	for text, n := range want {
		if count[text] != n {
			t.Errorf("%q ended %d calls, want %d: %q", text, count[text], n, got)
		}
	}
}
