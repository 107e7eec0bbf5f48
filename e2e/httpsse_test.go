//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryHTTPSSE: a server of 2024-11-05 is found behind the same call of
// connect. Its stream cannot be resumed: what was under way is said to be of
// unknown outcome, and the connection is made again.
func TestStoryHTTPSSE(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20241105})
	p.Tool("steps", peer.Script{peer.Progress(1, 2, ""), peer.Gate("go"), peer.Progress(2, 2, ""),
		peer.Text("done")})
	page := app(t, p.URL(), "")
	if revision := chrome.Eval[string](page, `mcp.revision`); revision != peer.Revision20241105 {
		t.Errorf("revision %s", revision)
	}
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 1`)
	p.Pass("go")
	outcome(t, page, "")
	counted(t, page, 2)
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 1`)
	p.CutStreams(peer.FIN)
	outcome(t, page, "outcome_unknown")
	if sum := chrome.Script[float64](page,
		`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`); sum != 3 {
		t.Errorf("sum %v", sum)
	}
	blameless(t, p)
}

// TestStoryHTTPSSEHostile: an endpoint of another origin, or none, is no
// connection, and nothing is sent there.
func TestStoryHTTPSSEHostile(t *testing.T) {
	t.Parallel()
	canary := peer.NewCanary(t)
	for name, h := range map[string]peer.HTTPSSE{
		"another origin": {Endpoint: canary.URL + "/messages?s=$SESSION"},
	} {
		t.Run(name, func(t *testing.T) {
			p := peer.New(t, peer.Options{Revision: peer.Revision20241105, HTTPSSE: h})
			page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
			page.WaitFor(`window.holdfast`)
			got := chrome.Script[failure](page, `return attempt(() => holdfast.connect(`+chrome.JS(p.URL())+
				`));`)
			if got.Code == "" || strings.Contains(got.Message, "runtime") {
				t.Errorf("got %+v", got)
			}
			if n := canary.Hits(); n != 0 {
				t.Errorf("%d requests to the other origin", n)
			}
		})
	}
}

// TestStoryImpostors: servers that answer every probe with nonsense end in a
// typed error, or in the revision that they really speak, and nothing is
// fetched that should not be.
func TestStoryImpostors(t *testing.T) {
	t.Parallel()
	for _, impostor := range peer.Impostors() {
		t.Run(impostor.Name, func(t *testing.T) {
			row(t)
			t.Parallel()
			canary := peer.NewCanary(t)
			url := impostor.Start(t, canary).URL()
			page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
			page.WaitFor(`window.holdfast`)
			got := chrome.Script[struct{ Code, Revision string }](page, `
				const got = await attempt(async () => {
					const mcp = await holdfast.connect(`+chrome.JS(url)+`, { timeouts: { answer: 5_000 } });
					await mcp.listTools().catch(() => undefined);
					return mcp.revision;
				});
				return { code: got.code, revision: got.value ?? "" };`)
			if impostor.Era == "" && got.Code == "" || impostor.Era != "" && got.Revision == "" {
				t.Errorf("era %q: got %+v", impostor.Era, got)
			}
			if n := canary.Hits(); n != 0 {
				t.Errorf("%d requests went where none should", n)
			}
		})
	}
}

// TestStoryEventSource: streams that need no header field are the browser's
// EventSource, others are fetched; after a cut the core opens another.
func TestStoryEventSource(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		server  peer.Options
		options string
		least   int // event sources; with a cursor to send, a reconnect is a fetch
	}{
		"HTTP+SSE": {peer.Options{Revision: peer.Revision20241105}, `{}`, 2},
		"HTTP+SSE with a header": {peer.Options{Revision: peer.Revision20241105},
			`{ headers: { "x-tenant": "7" } }`, 0},
		"sessionless 2025-03-26": {peer.Options{Revision: peer.Revision20250326, Sessionless: true}, `{}`, 1},
		"2025-11-25":             {peer.Options{}, `{}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, test.server)
			page := chrome.Open(t, chrome.NewSite(t).Page("/app", `
				window.sources = 0;
				const Real = EventSource;
				globalThis.EventSource = class extends Real { constructor(...args) { super(...args); window.sources++; } };`+appScript))
			page.WaitFor(`window.holdfast`)
			chrome.Script[chrome.Void](page, `
				window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, `+test.options+`);
				window.told = 0;
				mcp.on("notification", () => told++);`)
			eventually(t, "the stream", func() bool { return p.OpenStreams() == 1 })
			p.Push("notifications/tools/list_changed", "")
			page.WaitFor(`told === 1`)
			p.CutStreams(peer.FIN)
			eventually(t, "the stream again",
				func() bool { return p.OpenStreams() == 1 && len(p.Of("GET")) >= 2 })
			page.WaitFor(`mcp.state === "open"`)
			if used := chrome.Eval[int](page, `sources`); used < test.least ||
				(used == 0) != (test.least == 0) {
				t.Errorf("%d event sources", used)
			}
		})
	}
}
