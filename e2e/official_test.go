//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
	"github.com/holdfast-mcp/holdfast/e2e/tsserver"
)

// An official is a server of an official SDK that serves both eras on one
// endpoint.
type official struct {
	url      string
	announce func()
	// count is a call that reports five steps of progress.
	count string
}

// officials starts each of them, for one test.
var officials = map[string]func(*testing.T) official{
	"TypeScript SDK": func(t *testing.T) official {
		s := tsserver.Start(t, tsserver.Options{})
		return official{s.URL, func() { s.Announce("tools") },
			`mcp.callTool("slow", { steps: 5, delayMs: 1 })`}
	},
	"Go SDK": func(t *testing.T) official {
		server, url := statelessServer(t)
		return official{url, server.Announce, `mcp.callTool("count", { n: 5, delayMs: 1 })`}
	},
}

// statelessServer mounts the official Go SDK server without sessions, which is
// how it speaks 2026-07-28.
func statelessServer(t *testing.T) (*gosdk.Server, string) {
	t.Helper()
	server := gosdk.New(gosdk.Options{Stateless: true, Propagate: true})
	site := chrome.NewSite(t)
	t.Cleanup(server.Close)
	site.Handle("/mcp", server)
	return server, site.URL + "/mcp"
}

// TestStoryOfficialServers speaks to the official servers in each era: found by
// asking, and pinned. Lists, calls, structured results and progress are the same.
func TestStoryOfficialServers(t *testing.T) {
	t.Parallel()
	for name, start := range officials {
		server := start(t)
		for options, want := range map[string]struct {
			revision string
			steps    []string
		}{
			`{}`:                         {"2026-07-28", []string{"server/discover 200 modern"}},
			`{ revision: "2026-07-28" }`: {"2026-07-28", []string{"server/discover 200 modern"}},
			`{ revision: "2025-11-25" }`: {"2025-11-25", []string{}},
			`{ revision: "2025-06-18" }`: {"2025-06-18", []string{}},
			`{ revision: "2025-03-26" }`: {"2025-03-26", []string{}},
		} {
			t.Run(name+" "+options, func(t *testing.T) {
				row(t)
				page := app(t, server.url, options)
				got := chrome.Script[struct {
					Revision, Echo string
					Session        bool
					Tools, Steps   []string
					Sum            float64
				}](page, `
					const { tools } = await mcp.listTools();
					const echo = await mcp.callTool("echo", { text: "hi" }).result;
					const add = await mcp.callTool("add", { a: 2, b: 40 }).result;
					return { revision: mcp.revision, session: mcp.session, tools: tools.map((t) => t.name), echo: echo.content[0].text,
						sum: add.structuredContent.sum, steps: mcp.negotiation.map((s) => s.method + " " + s.status + " " + s.then) };`)
				if got.Revision != want.revision || got.Session || !slices.Contains(got.Tools, "add") ||
					got.Echo != "hi" || got.Sum != 42 {
					t.Errorf("got %+v", got)
				}
				if !slices.Equal(got.Steps, want.steps) {
					t.Errorf("steps %v, want %v", got.Steps, want.steps)
				}
				chrome.Eval[chrome.Void](page, `void watch(`+server.count+`)`)
				outcome(t, page, "")
				counted(t, page, 5)
			})
		}
	}
}

// TestStoryOfficialServersAsk: a call of 2026-07-28 that needs input gets it from
// the handler, in a second round.
func TestStoryOfficialServersAsk(t *testing.T) {
	t.Parallel()
	for name, start := range officials {
		t.Run(name, func(t *testing.T) {
			row(t)
			page := app(t, start(t).url, `{ handlers: { elicitation: (request) => {
				window.asked = request.message;
				return { action: "accept", content: { name: "Ada" } };
			} } }`)
			got := chrome.Script[string](page,
				`return (await mcp.callTool("greet").result).content[0].text + " " + asked;`)
			if got != "Hello, Ada! Who are you?" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestStoryGoSDKAsksInASession: the same question is a request of the server's
// own up to 2025-11-25, on the stream of the call.
func TestStoryGoSDKAsksInASession(t *testing.T) {
	t.Parallel()
	_, url := sdkServer(t)
	page := app(t, url,
		`{ handlers: { elicitation: () => ({ action: "accept", content: { name: "Ada" } }) } }`)
	got := chrome.Script[string](page,
		`return (await mcp.callTool("book_table", { place: "The Anchor" }).result).content[0].text;`)
	if got != "Booked at The Anchor: Ada, Friday, 2 guests, at the window." {
		t.Errorf("got %q", got)
	}
}

// TestStoryOfficialServersAnnounce: subscriptions/listen of 2026-07-28 brings
// what changed.
func TestStoryOfficialServersAnnounce(t *testing.T) {
	t.Parallel()
	for name, start := range officials {
		t.Run(name, func(t *testing.T) {
			server := start(t)
			page := app(t, server.url, "")
			chrome.Script[chrome.Void](page, `
				window.told = [];
				mcp.on("changed", ({ what }) => told.push(what));
				// Resolves once the server has acknowledged the stream.
				await mcp.subscribeResource("file:///notes.txt");`)
			server.announce()
			page.WaitFor(`told.includes("tools")`)
		})
	}
}

// TestStoryOfficialServersMirror: an argument that a header has to repeat is
// repeated, also by a call that comes before any list.
func TestStoryOfficialServersMirror(t *testing.T) {
	t.Parallel()
	for name, start := range officials {
		t.Run(name, func(t *testing.T) {
			page := app(t, start(t).url, "")
			for _, region := range []string{"eu", "Øresund ", "=?base64?eA==?="} {
				if got := chrome.Script[string](page, `return (await mcp.callTool("routed", { region: `+
					chrome.JS(region)+` }).result).content[0].text;`); got != "in "+region {
					t.Errorf("got %q", got)
				}
			}
		})
	}
}

// TestStoryOfficialServersCancel: leaving a call of 2026-07-28 ends it at the
// server.
func TestStoryOfficialServersCancel(t *testing.T) {
	t.Parallel()
	t.Run("Go SDK", func(t *testing.T) {
		row(t)
		server, url := statelessServer(t)
		page := app(t, url, `{ listen: false }`)
		chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 1000, delayMs: 50 }))`)
		page.WaitFor(`seen.progress.length > 0`)
		chrome.Eval[chrome.Void](page, `call.cancel()`)
		outcome(t, page, "cancelled")
		eventually(t, "the stream to end", func() bool { return server.OpenStreams() == 0 })
	})
	t.Run("TypeScript SDK", func(t *testing.T) {
		row(t)
		server := tsserver.Start(t, tsserver.Options{})
		page := app(t, server.URL, "")
		chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("slow", { steps: 1000, delayMs: 50 }))`)
		page.WaitFor(`seen.progress.length > 0`)
		chrome.Eval[chrome.Void](page, `call.cancel()`)
		outcome(t, page, "cancelled")
		eventually(t, "the tool to end",
			func() bool { return strings.Contains(server.Output(), "slow: cancelled at step") })
	})
}
