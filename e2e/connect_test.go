//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// TestStoryConnectListAndCall is the first thing a newcomer does, against the
// official Go SDK server.
func TestStoryConnectListAndCall(t *testing.T) {
	site := chrome.NewSite(t)
	server := gosdk.New(gosdk.Options{})
	t.Cleanup(server.Close)
	site.Handle("/mcp", server)
	page := chrome.Open(t, site.Page("/app", `export {};`))
	got := chrome.Script[map[string]any](page, `
		const { connect } = await import("/holdfast.mjs");
		const mcp = await connect("/mcp");
		const { tools } = await mcp.listTools();
		const result = await mcp.callTool("add", { a: 2, b: 40 }).result;
		const call = mcp.callTool("count", { n: 5, delayMs: 5 });
		const events = [];
		for await (const event of call) events.push(event);
		const out = { revision: mcp.revision, session: mcp.session, server: mcp.server.name,
			tools: tools.map((t) => t.name), sum: result.structuredContent, events, counters: mcp.counters, count: await call.result };
		await mcp.close();
		return { ...out, state: mcp.state };`)
	t.Logf("%v", got)
}
