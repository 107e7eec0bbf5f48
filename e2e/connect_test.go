//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// sdkServer mounts the official Go SDK server on an origin of its own.
func sdkServer(t *testing.T) (*gosdk.Server, string) {
	t.Helper()
	server := gosdk.New(gosdk.Options{})
	site := chrome.NewSite(t)
	t.Cleanup(server.Close)
	site.Handle("/mcp", server)
	return server, site.URL + "/mcp"
}

// TestStoryConnectListAndCall is the first thing a newcomer does.
func TestStoryConnectListAndCall(t *testing.T) {
	t.Parallel()
	_, url := sdkServer(t)
	page := app(t, url, `{ client: { name: "story", version: "1" } }`)
	got := chrome.Script[struct {
		State, Revision, Server string
		Session                 bool
		Tools                   []string
		Sum                     float64
		Failed                  bool
	}](page, `
		const { tools } = await mcp.listTools();
		const sum = await mcp.callTool("add", { a: 2, b: 40 }).result;
		const failed = await mcp.callTool("fail").result;
		await mcp.ping();
		return { state: mcp.state, revision: mcp.revision, server: mcp.server.name, session: mcp.session,
			tools: tools.map((t) => t.name), sum: sum.structuredContent.sum, failed: failed.isError };`)
	if got.State != "open" || got.Revision != "2025-11-25" || got.Server != "holdfast-go-sdk-demo" ||
		!got.Session {
		t.Errorf("connected as %+v", got)
	}
	if !slices.Contains(got.Tools, "count") || got.Sum != 42 || !got.Failed {
		t.Errorf("tools %v, sum %v, failed %v", got.Tools, got.Sum, got.Failed)
	}
}

// TestStoryUnknownTool: a JSON-RPC error keeps its code.
func TestStoryUnknownTool(t *testing.T) {
	t.Parallel()
	_, url := sdkServer(t)
	page := app(t, url, "")
	got := chrome.Script[struct {
		Code string
		RPC  struct{ Code int }
	}](page,
		`return mcp.callTool("no such tool").result.then(() => null, (e) => ({ code: e.code, rpc: e.rpc }));`)
	if got.Code != "rpc_error" || got.RPC.Code != -32602 {
		t.Errorf("got %+v", got)
	}
}

// TestStoryListChanged: what the server says unasked reaches the app on the GET
// stream.
func TestStoryListChanged(t *testing.T) {
	t.Parallel()
	server, url := sdkServer(t)
	page := app(t, url, "")
	chrome.Script[chrome.Void](page, `mcp.on("notification", (n) => (window.notified = n.method));
		mcp.on("listen", (e) => (window.listening = e.state));`)
	server.Announce()
	page.WaitFor(`window.notified === "notifications/tools/list_changed"`)
}

// TestStoryClose: close deletes the session at the server, and rejects what was
// in flight.
func TestStoryClose(t *testing.T) {
	t.Parallel()
	_, url := sdkServer(t)
	page := app(t, url, "")
	got := chrome.Script[[]string](page, `
		const call = mcp.callTool("slow", { seconds: 60 });
		const code = call.result.then(() => "resolved", (e) => e.code);
		await mcp.close();
		const after = await attempt(() => mcp.ping());
		return [await code, mcp.state, after.code];`)
	if !slices.Equal(got, []string{"closed", "closed", "closed"}) {
		t.Errorf("got %v", got)
	}
}
