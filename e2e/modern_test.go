//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
	"github.com/holdfast-mcp/holdfast/e2e/tsserver"
)

// TestStoryModernServers connects to servers of 2026-07-28 that others wrote:
// the revision is found, not told.
func TestStoryModernServers(t *testing.T) {
	long(t)
	t.Parallel()
	for name, start := range map[string]func(*testing.T) string{
		"TypeScript SDK": func(t *testing.T) string { return tsserver.Start(t, tsserver.Options{}).URL },
		"Go SDK, stateless": func(t *testing.T) string {
			server := gosdk.New(gosdk.Options{Stateless: true})
			t.Cleanup(server.Close)
			site := chrome.NewSite(t)
			site.Handle("/mcp", server)
			return site.URL + "/mcp"
		},
	} {
		t.Run(name, func(t *testing.T) {
			page := app(t, start(t), "")
			got := chrome.Script[struct {
				Revision, Server string
				Session          bool
				Tools            int
				Steps            []string
				Echo             string
			}](page, `
				const { tools } = await mcp.listTools();
				const echo = await mcp.callTool("echo", { text: "hi", message: "hi" }).result;
				return { revision: mcp.revision, server: mcp.server.name, session: mcp.session, tools: tools.length,
					steps: mcp.negotiation.map((s) => s.method + " " + s.status + " " + s.then), echo: JSON.stringify(echo.content) };`)
			if got.Revision != "2026-07-28" || got.Server == "" || got.Session || got.Tools == 0 {
				t.Errorf("got %+v", got)
			}
			if !slices.Equal(got.Steps, []string{"server/discover 200 modern"}) {
				t.Errorf("steps %v", got.Steps)
			}
		})
	}
}

// TestStoryModernCancel: closing the stream is the cancellation.
func TestStoryModernCancel(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Tool("steps", peer.Script{peer.Progress(1, 2, ""), peer.Silence()})
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 1`)
	chrome.Eval[chrome.Void](page, `call.cancel()`)
	outcome(t, page, "cancelled")
	eventually(t, "the server to see the stream closed", func() bool { return p.Cancelled("steps") == 1 })
	blameless(t, p)
}

// TestStoryModernInput: a call asks for input twice; the handler answers, the
// state comes back as it was, and the defaults of the form are filled in.
func TestStoryModernInput(t *testing.T) {
	t.Parallel()
	for name, revision := range map[string]string{"in a result": peer.Revision20260728,
		"by a request": peer.Revision20251125} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{Revision: revision})
			p.Furnish()
			page := app(t, p.URL(), `{ handlers: { elicitation: async (request) => {
				window.asked = (window.asked ?? 0) + 1;
				window.message = request.message;
				return { action: "accept", content: { name: "Ada" } };
			} } }`)
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("ask_name"))`)
			outcome(t, page, "")
			if asked := chrome.Eval[int](page, `asked`); asked != 1 {
				t.Errorf("asked %d times", asked)
			}
			t.Log(chrome.Eval[string](page, `JSON.stringify(seen.result)`))
			blameless(t, p)
		})
	}
}

// TestStoryModernUnhandledInput: what nobody handles ends the call, by name.
func TestStoryModernUnhandledInput(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Tool("asks", peer.Script{peer.InputRequired(`{"k":{"method":"elicitation/create",`+
		`"params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`, "s")})
	page := app(t, p.URL(), "")
	got := chrome.Script[failure](page, `return attempt(() => mcp.callTool("asks").result);`)
	if got.Code != "protocol_error" {
		t.Errorf("got %+v", got)
	}
}

// TestStoryModernSubscriptions: what changes reaches the app, also after the
// listen stream was cut, which is said.
func TestStoryModernSubscriptions(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Furnish()
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void ((window.told = []), mcp.on("notification",`+
		` (n) => told.push(n.method)), (window.listening = []), mcp.on("listen", (e) => listening.push(e)))`)
	eventually(t, "a listener", func() bool { return p.Listeners() == 1 })
	p.Push("notifications/tools/list_changed", "{}")
	page.WaitFor(`told.includes("notifications/tools/list_changed")`)
	p.CutStreams(peer.FIN)
	page.WaitFor(`listening.some((e) => e.state === "open" && e.missed)`)
	chrome.Script[chrome.Void](page, `await mcp.subscribeResource("file:///notes.txt");`)
	p.Updated("file:///notes.txt")
	page.WaitFor(`told.includes("notifications/resources/updated")`)
	blameless(t, p)
}

// TestStoryPoisonedTools: tools whose header annotations cannot be honoured are
// left out, with a reason; a good one is called with its fields.
func TestStoryPoisonedTools(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Furnish()
	bad := p.Poison()
	page := app(t, p.URL(), "")
	names := chrome.Script[[]string](page, `return (await mcp.listTools()).tools.map((t) => t.name);`)
	for _, name := range bad {
		if slices.Contains(names, name) {
			t.Errorf("%s was not dropped", name)
		}
	}
	if n := chrome.Eval[int](page, `integrity.filter((w) => w === "invalid_tool").length`); n != len(bad) {
		t.Errorf("%d of %d were told of", n, len(bad))
	}
	blameless(t, p)
}

// TestStoryResourcesAndPrompts: the other client methods, in both eras.
func TestStoryResourcesAndPrompts(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{peer.Revision20260728, peer.Revision20251125} {
		t.Run(revision, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{Revision: revision})
			p.Furnish()
			page := app(t, p.URL(), "")
			got := chrome.Script[struct {
				Resources, Templates, Prompts int
				Text, Said                    string
			}](page, `
				const { resources } = await mcp.listResources();
				const { resourceTemplates } = await mcp.listResourceTemplates();
				const { prompts } = await mcp.listPrompts();
				const read = await mcp.readResource("file:///notes.txt");
				const prompt = await mcp.getPrompt("greet", { name: "Ada" });
				await mcp.complete({ type: "ref/prompt", name: "greet" }, { name: "name", value: "A" });
				return { resources: resources.length, templates: resourceTemplates.length, prompts: prompts.length,
					text: read.contents[0].text, said: JSON.stringify(prompt.messages) };`)
			if got.Resources == 0 || got.Templates == 0 || got.Prompts == 0 || got.Text == "" ||
				got.Said == "" {
				t.Errorf("got %+v", got)
			}
			blameless(t, p)
		})
	}
}
