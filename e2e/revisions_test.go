//go:build !js

package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// revisions are all that the module speaks, oldest first.
var revisions = []string{
	peer.Revision20241105, peer.Revision20250326, peer.Revision20250618, peer.Revision20251125,
	peer.Revision20260728,
}

// eachRevision runs a story against a furnished server of each revision from
// the first one on that has its subject. Subtests have the revision's name, by
// which docs/matrix.md refers to them. The server is found by asking.
func eachRevision(t *testing.T, first, options string,
	story func(*testing.T, *peer.Peer, *chrome.Page, string)) {
	t.Helper()
	for _, revision := range revisions[slices.Index(revisions, first):] {
		t.Run(revision, func(t *testing.T) {
			if revision < peer.Revision20251125 {
				long(t)
			}
			p := peer.New(t, peer.Options{Revision: revision, PageSize: 2})
			p.Furnish()
			page := app(t, p.URL(), options)
			if got := chrome.Eval[string](page, `mcp.revision`); got != revision {
				t.Fatalf("revision %s", got)
			}
			story(t, p, page, revision)
			blameless(t, p)
		})
	}
}

// TestStoryRevisionIsFound: the same connect finds each revision, says how, and
// gets along with a pin of it as well.
func TestStoryRevisionIsFound(t *testing.T) {
	t.Parallel()
	const probe = "server/discover 400 initialize"
	steps := map[string]string{
		peer.Revision20241105: "server/discover 405 initialize",
		peer.Revision20250326: probe, peer.Revision20250618: probe, peer.Revision20251125: probe,
		peer.Revision20260728: "server/discover 200 modern",
	}
	const tried = `mcp.negotiation.map((s) => s.method + " " + s.status + " " + s.then).join(", ")`
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			if got := chrome.Eval[string](page, tried); got != steps[revision] {
				t.Errorf("steps %q", got)
			}
			got := chrome.Script[string](page, `
			const pinned = await holdfast.connect(`+chrome.JS(p.URL())+`, { revision: `+chrome.JS(revision)+` });
			await pinned.listTools();
			return pinned.revision + " " + pinned.server.name;`)
			if got != revision+" scripted-peer" {
				t.Errorf("pinned: %s", got)
			}
		})
}

// TestStoryRequestHeaders: which header fields tell a server what a request is,
// after the handshake.
func TestStoryRequestHeaders(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			chrome.Script[chrome.Void](page, `await mcp.callTool("echo", { text: "hi" }).result;`)
			header := p.Of("tools/call")[0].Header
			want := map[string]bool{
				"Mcp-Protocol-Version": revision >= peer.Revision20250326,
				"Mcp-Session-Id":       revision >= peer.Revision20250326 && revision <= peer.Revision20251125,
				"Mcp-Method":           revision >= peer.Revision20260728,
				"Mcp-Name":             revision >= peer.Revision20260728,
			}
			for name, wanted := range want {
				if (header.Get(name) != "") != wanted {
					t.Errorf("%s: %q", name, header.Get(name))
				}
			}
			if got := header.Get(http.CanonicalHeaderKey("mcp-protocol-version")); got != "" &&
				got != revision {
				t.Errorf("the version header says %s", got)
			}
		})
}

// TestStoryPages: the four lists come whole, whatever their pages.
func TestStoryPages(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			p.Paging("tools/list", peer.EmptyCursor)
			got := chrome.Script[[]int](page, `return [(await mcp.listTools()).tools.length, (await mcp.listResources()).resources.length,
			(await mcp.listResourceTemplates()).resourceTemplates.length, (await mcp.listPrompts()).prompts.length,
			(await mcp.listPrompts({ cursor: undefined })).prompts.length];`)
			if got[0] < 10 || !slices.Equal(got[1:], []int{2, 1, 2, 2}) {
				t.Errorf("got %v", got)
			}
			if n := len(p.Of("tools/list")); n != (got[0]+1)/2 {
				t.Errorf("%d tools in %d pages of two", got[0], n)
			}
		})
}

// TestStoryCompletions: values for an argument.
func TestStoryCompletions(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "", func(t *testing.T, _ *peer.Peer, page *chrome.Page, _ string) {
		got := chrome.Script[[]string](page, `return (await mcp.complete({ type: "ref/prompt",`+
			` name: "greet" }, { name: "who", value: "kel" })).completion.values;`)
		if !slices.Equal(got, []string{"kelp", "kelvin"}) {
			t.Errorf("got %q", got)
		}
	})
}

// TestFault576_CompletionContext: completions that depend on what is chosen already, since 2025-06-18. An
// earlier revision has no place for it, and completes without.
func TestFault576_CompletionContext(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			p.Complete(
				func(c peer.Completion) []string { return []string{c.Context["owner"] + "/" + c.Value} })
			got := chrome.Script[[]string](page, `
			const options = { context: { arguments: { owner: "ada" } } };
			const { completion } = await mcp.complete({ type: "ref/resource", uri: "repo:///{owner}/{name}" }, { name: "name", value: "ho" }, options);
			return completion.values;`)
			want, sent := "ada/ho", `"context":{"arguments":{"owner":"ada"}}`
			if revision < peer.Revision20250618 {
				want = "/ho"
			}
			asked := p.Of("completion/complete")
			if !slices.Equal(got, []string{want}) || len(asked) != 1 ||
				strings.Contains(string(asked[0].Body), sent) != (want == "ada/ho") {
				t.Errorf("got %q, want %s; sent %s", got, want, asked[0].Body)
			}
		})
}

// TestStoryProgressAndCancel: progress comes while a call runs, and cancelling
// reaches the server.
func TestStoryProgressAndCancel(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "", func(t *testing.T, p *peer.Peer, page *chrome.Page, _ string) {
		p.Tool("steps", peer.Script{peer.Progress(1, 3, "one"), peer.Progress(2, 3, "two"), peer.Gate("go"),
			peer.Progress(3, 3, ""), peer.Text("done")})
		chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
		page.WaitFor(`seen.progress.length === 2`)
		p.Pass("go")
		outcome(t, page, "")
		counted(t, page, 3)
		p.Tool("endless", peer.Script{peer.Progress(1, 3, ""), peer.Silence()})
		chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("endless"))`)
		page.WaitFor(`seen.progress.length === 1`)
		chrome.Eval[chrome.Void](page, `call.cancel()`)
		outcome(t, page, "cancelled")
		eventually(t, "the cancellation", func() bool { return p.Cancelled("endless") == 1 })
	})
}

// TestStoryErrorCodes: a JSON-RPC error is the outcome of its call, under
// whatever status, and of nothing else: 404 with method-not-found is one, too.
func TestStoryErrorCodes(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			p.Tool("refuses", peer.Script{peer.ErrorData(-31999, "not today", `{"why":"tide"}`)})
			got := chrome.Script[[]string](page, `
			const failed = async (call) => call.result.then(() => "resolved", (e) => e.code + " " + e.rpc?.code + " " + JSON.stringify(e.rpc?.data));
			return [await failed(mcp.callTool("no such tool")), await failed(mcp.request("no/such")), await failed(mcp.callTool("refuses")), mcp.state];`)
			if !slices.Equal(got, []string{"rpc_error -32602 undefined", "rpc_error -32601 undefined",
				`rpc_error -31999 {"why":"tide"}`, "open"}) {
				t.Errorf("got %q", got)
			}
			if status := p.Of("no/such")[0].Status; revision == peer.Revision20260728 &&
				status != http.StatusNotFound {
				t.Errorf("status %d", status)
			}
			if n := len(p.Of("initialize")); n > 2 {
				t.Errorf("%d handshakes", n)
			}
		})
}

// TestStoryStructuredContent: what fits an output schema arrives as it was, any
// JSON since 2026-07-28, an object before.
func TestStoryStructuredContent(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20250618, "",
		func(t *testing.T, _ *peer.Peer, page *chrome.Page, revision string) {
			got := chrome.Script[[]string](page, `
			const { tools } = await mcp.listTools();
			const structured = async (name) => JSON.stringify((await mcp.callTool(name).result).structuredContent);
			return [tools.find((t) => t.name === "measure").outputSchema.required.join(), await structured("measure"), await structured("anything")];`)
			anything := `{"items":[1,"two",null]}`
			if revision == peer.Revision20260728 {
				anything = `[1,"two",null]`
			}
			if !slices.Equal(got, []string{"depth", `{"depth":12.5}`, anything}) {
				t.Errorf("got %q", got)
			}
		})
}

// TestStoryForgottenSession: a server that has restarted gets a new session by
// itself, where a revision has sessions.
func TestStoryForgottenSession(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			before := len(p.Of("initialize"))
			p.Expire()
			again := func() bool { return len(p.Of("initialize")) == before+1 }
			if revision == peer.Revision20241105 {
				// There the session is the stream, whose end is seen at once.
				eventually(t, "the handshake", again)
			}
			chrome.Script[chrome.Void](page, `await mcp.listTools();`)
			if revision != peer.Revision20260728 && !again() {
				t.Errorf("%d handshakes", len(p.Of("initialize")))
			}
			if got := chrome.Eval[string](page, `mcp.revision + " " + mcp.state`); !strings.HasPrefix(
				got, revision) {
				t.Errorf("got %s", got)
			}
		})
}

// TestStoryBatches: arrays of messages belong to 2025-03-26; elsewhere one is
// dropped and counted, and costs only itself.
func TestStoryBatches(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			p.Tool("steps", peer.Script{peer.Batch(peer.Progress(1, 2, ""), peer.Progress(2, 2, "")),
				peer.Text("done")})
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
			outcome(t, page, "")
			dropped := chrome.Eval[int](page, `mcp.counters.unreadableMessages`)
			if revision == peer.Revision20250326 {
				counted(t, page, 2)
			} else if dropped != 1 {
				t.Errorf("%d unreadable messages", dropped)
			}
		})
}
