//go:build !js

package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// handlersOfAll answer everything that a server may ask.
const handlersOfAll = `{ handlers: {
	elicitation: () => ({ action: "accept", content: { name: "Ada" } }),
	sampling: ({ maxTokens }) => ({ role: "assistant", content: { type: "text", text: "Paris in " + maxTokens }, model: "m" }),
	roots: () => [{ uri: "file:///p", name: "P" }],
} }`

// asks checks what a furnished tool says that the client answered.
func asks(t *testing.T, page *chrome.Page, tool, want string) {
	t.Helper()
	got := chrome.Script[string](page, `return (await mcp.callTool(`+chrome.JS(tool)+
		`).result).content[0].text;`)
	if !strings.Contains(got, want) {
		t.Errorf("%s: %s, want %s", tool, got, want)
	}
}

// TestStorySamplingAndRoots: one set of handlers, for requests of the server's
// own and for input that a result asks for.
func TestStorySamplingAndRoots(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, handlersOfAll,
		func(t *testing.T, _ *peer.Peer, page *chrome.Page, _ string) {
			asks(t, page, "ask_model", `Paris in 100`)
			asks(t, page, "ask_roots", `"roots":[{"uri":"file:///p","name":"P"}]`)
		})
}

// TestStoryElicitation: the same for forms.
func TestStoryElicitation(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20250618, handlersOfAll,
		func(t *testing.T, _ *peer.Peer, page *chrome.Page, _ string) {
			asks(t, page, "ask_name", `"content":{"name":"Ada"}`)
		})
}

// TestStoryServerPings: a server that asks for a sign of life gets it, and what
// nobody handles is refused; since 2026-07-28 neither is a message at all.
func TestStoryServerPings(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			modern := revision == peer.Revision20260728
			script := peer.Script{peer.Ask(`"p-1"`, "ping", ""), peer.Ask(`7`, "roots/list", "")}
			if !modern {
				script = append(script, peer.Reply(`"p-1"`), peer.Reply(`7`))
			}
			p.Tool("asks", append(script, peer.Text("done")))
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("asks"))`)
			outcome(t, page, "")
			var answers []string
			for _, r := range p.Of("RESPONSE") {
				var answer struct {
					ID     json.RawMessage
					Result json.RawMessage
					Error  struct{ Code int }
				}
				if err := json.Unmarshal(r.Body, &answer); err != nil {
					t.Fatal(err)
				}
				outcome := string(answer.Result)
				if outcome == "" {
					outcome = strconv.Itoa(answer.Error.Code)
				}
				answers = append(answers, string(answer.ID)+" "+outcome)
			}
			want := []string{`"p-1" {}`, `7 -32601`}
			if modern {
				want = nil
			}
			slices.Sort(answers)
			if !slices.Equal(answers, want) {
				t.Errorf("answers %q", answers)
			}
		})
}

// TestStoryLogLevels: from the level on that was asked for, by logging/setLevel
// or, since 2026-07-28, by the request itself.
func TestStoryLogLevels(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, _ *peer.Peer, page *chrome.Page, revision string) {
			call := `mcp.callTool("chatty")`
			if revision == peer.Revision20260728 {
				call = `mcp.callTool("chatty", {}, { meta: { "io.modelcontextprotocol/logLevel": "error" } })`
			} else {
				chrome.Script[chrome.Void](page, `await mcp.setLoggingLevel("error");`)
			}
			chrome.Eval[chrome.Void](page, `void (window.said = [])`)
			chrome.Eval[chrome.Void](page, `void (mcp.on("log", ({ level }) => said.push(level)), watch(`+
				call+
				`))`)
			outcome(t, page, "")
			const levels = `[...said, ...seen.events.filter((e) => e.type === "log").map((e) => e.level)]`
			page.WaitFor(levels + `.length === 4`)
			if got := chrome.Eval[[]string](page, levels); !slices.Equal(
				got, []string{"error", "critical", "alert", "emergency"}) {
				t.Errorf("got %q", got)
			}
		})
}

// TestStoryListsChange: what the server says of its lists unasked, on whichever
// stream it has for that.
func TestStoryListsChange(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			chrome.Eval[chrome.Void](page,
				`void ((window.told = []), mcp.on("changed", ({ what }) => told.push(what)))`)
			eventually(t, "the stream", func() bool {
				return p.OpenStreams() == 1 && (revision != peer.Revision20260728 || p.Listeners() == 1)
			})
			for _, list := range []string{"tools", "prompts", "resources"} {
				p.Push("notifications/"+list+"/list_changed", "")
			}
			page.WaitFor(`told.join() === "tools,prompts,resources"`)
		})
}

// TestStoryResourceUpdates: a resource that is watched, and no other.
func TestStoryResourceUpdates(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "", func(t *testing.T, p *peer.Peer, page *chrome.Page, _ string) {
		chrome.Script[chrome.Void](page, `window.told = [];
			mcp.on("notification", ({ method, params }) => method === "notifications/resources/updated" && told.push(params.uri));
			await mcp.subscribeResource("file:///notes.txt");`)
		eventually(t, "the stream", func() bool { return p.Watched("file:///notes.txt") })
		p.Updated("file:///logo.png")
		p.Updated("file:///notes.txt")
		page.WaitFor(`told.length > 0`)
		chrome.Script[chrome.Void](page,
			`await mcp.unsubscribeResource("file:///notes.txt"); await mcp.listPrompts();`)
		if got := chrome.Eval[string](page, `told.join()`); got != "file:///notes.txt" {
			t.Errorf("told of %s", got)
		}
	})
}

// TestStoryMirrorsForALegacyServer: one that wants the fields of 2026-07-28 in
// an older session, which some do, gets them once it has said so.
func TestStoryMirrorsForALegacyServer(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Tool("routed", peer.Script{peer.Text("done")},
		peer.Schema(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`))
	p.AnswerFunc("tools/call", func(_ int, r peer.Request) *peer.Response {
		if r.Header.Get("Mcp-Param-Region") == "eu" {
			return nil
		}
		return &peer.Response{Status: http.StatusBadRequest,
			Body: `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32020,"message":"missing Mcp-Param-Region ` +
				`header"}}`}
	})
	page := app(t, p.URL(), "")
	for range 2 {
		if got := chrome.Script[string](page,
			`return (await mcp.callTool("routed", { region: "eu" }).result).content[0].text;`); got !=
			"done" {
			t.Errorf("got %q", got)
		}
	}
	if n := len(p.Of("tools/call")); n != 3 {
		t.Errorf("%d requests for two calls", n)
	}
}

// TestStoryResumesOrSays: a cut stream goes on where it stopped, up to
// 2025-11-25; where nothing can be resumed, in the oldest and the newest
// revision, the call says that nobody knows. The tool ran once.
func TestStoryResumesOrSays(t *testing.T) {
	t.Parallel()
	eachRevision(t, peer.Revision20241105, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			p.Tool("steps", peer.Script{
				peer.Prime(0), peer.Progress(1, 2, ""), peer.Gate("cut"), peer.Cut(peer.FIN),
				peer.Progress(2, 2, ""), peer.Text("done"),
			})
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
			page.WaitFor(`seen.progress.length === 1`)
			p.Release("cut")
			if revision == peer.Revision20241105 || revision == peer.Revision20260728 {
				outcome(t, page, "outcome_unknown")
			} else {
				outcome(t, page, "")
				counted(t, page, 2)
			}
			if n := p.Ran("steps"); n != 1 {
				t.Errorf("the tool ran %d times", n)
			}
		})
}
