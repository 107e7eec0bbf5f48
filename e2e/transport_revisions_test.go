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

// TestStoryTransportModernServer: a server of 2026-07-28 asks in its results, and tells what has changed on a
// stream that is asked for. The official client hears all of it in the words of its handshake.
func TestStoryTransportModernServer(t *testing.T) {
	t.Parallel()
	for name, major := range officialMajors {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			server := tsserver.Start(t, tsserver.Options{})
			page := transportPage(t)
			got := chrome.Script[struct {
				Revision, Greeting, Slow string
				Progress                 []int
				Sum                      float64
			}](page, `
				await open2(`+major+`, `+chrome.JS(server.URL)+`, { host: "page" }, { capabilities: { elicitation: {} } }, (client, { answer, on }) => {
					answer(client, "elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
					on(client, "notifications/tools/list_changed", () => { told.push("tools"); });
					on(client, "notifications/resources/updated", ({ params }) => { told.push(params.uri); });
					on(client, "notifications/message", ({ params }) => { told.push(params.data); });
				});
				await client.listTools();
				await client.subscribeResource({ uri: "file:///notes.txt" });
				await client.setLoggingLevel("info");
				const progress = [];
				const greeting = await major.call(client, { name: "greet", arguments: {} });
				const slow = await major.call(client, { name: "slow", arguments: { steps: 3, delayMs: 1 } }, { onprogress: (p) => progress.push(p.progress) });
				const sum = await major.call(client, { name: "add", arguments: { a: 2, b: 40 } });
				return { revision: transport.mcp.revision, greeting: greeting.content[0].text, slow: slow.content[0].text, progress, sum: sum.structuredContent.sum };`)
			if got.Revision != "2026-07-28" || got.Greeting != "Hello, Ada!" ||
				got.Slow != "done after 3 steps" || got.Sum != 42 {
				t.Errorf("got %+v", got)
			}
			if !slices.Equal(got.Progress, []int{1, 2, 3}) {
				t.Errorf("progress %v", got.Progress)
			}
			page.WaitFor(`told.includes("3 steps")`)
			server.Announce("tools")
			page.WaitFor(`told.includes("tools")`)
			server.Updated("file:///notes.txt")
			page.WaitFor(`told.includes("file:///notes.txt")`)
			if errors := chrome.Eval[[]string](page, `errors`); len(errors) > 0 {
				t.Errorf("onerror heard %q", errors)
			}
		})
	}
}

// TestStoryTransportCancels: what the official client cancels ends at the server, and says nothing more.
func TestStoryTransportCancels(t *testing.T) {
	t.Parallel()
	for name, major := range officialMajors {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			said := make(chan string, 8)
			server := gosdk.New(gosdk.Options{Logf: func(format string, _ ...any) { said <- format }})
			site := chrome.NewSite(t)
			t.Cleanup(server.Close)
			site.Handle("/mcp", server)
			page := transportPage(t)
			chrome.Script[chrome.Void](page, `
				await open2(`+major+`, `+chrome.JS(site.URL+"/mcp")+`, { host: "page" });
				window.stop = new AbortController();
				begin({ name: "slow", arguments: { seconds: 600 } }, { signal: stop.signal });`)
			if first := <-said; !strings.HasPrefix(first, "slow: began") {
				t.Fatalf("the server says %q", first)
			}
			chrome.Eval[chrome.Void](page, `stop.abort("enough")`)
			page.WaitFor(`seen.done`)
			if second := <-said; !strings.HasPrefix(second, "slow: cancelled") {
				t.Errorf("the server says %q", second)
			}
			if n := chrome.Script[int](page, `await client.ping(); return errors.length;`); n != 0 {
				t.Errorf("onerror heard %q", chrome.Eval[[]string](page, `errors`))
			}
		})
	}
}

// TestStoryTransportResumptionToken: an app that stores the official resumption token, and gives it to the
// request that it makes after a reload, gets the call: whatever carries it.
func TestStoryTransportResumptionToken(t *testing.T) {
	t.Parallel()
	for name, major := range officialMajors {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			server, counted, url := countedServer(t)
			server.Gate().Hold()
			page := transportPage(t)
			opening := `await open2(` + major + `, ` + chrome.JS(url) + `, { host: "page" });`
			chrome.Script[chrome.Void](page, opening+`
				begin({ name: "count", arguments: { n: 6, delayMs: 1 } }, { onresumptiontoken: (token) => { localStorage.token = token; } });`)
			server.Gate().Pass(3)
			page.WaitFor(`seen.progress.length === 3 && localStorage.token`)
			page.Reload()
			page.WaitFor(`window.opened`)
			chrome.Script[chrome.Void](page, opening+`
				begin({ name: "count", arguments: { n: 6, delayMs: 1 } }, { resumptionToken: localStorage.token });`)
			server.Gate().Release()
			page.WaitFor(`seen.done`)
			if text := chrome.Eval[string](page,
				`seen.result?.content[0].text ?? JSON.stringify(seen.error)`); text != "Counted to 6." {
				t.Errorf("got %q", text)
			}
			counted.once(t)
			// It was handed out: the token names nothing any more, and nothing runs.
			chrome.Script[chrome.Void](page, `
				while ((await transport.calls()).length > 0) await new Promise((go) => setTimeout(go));
				begin({ name: "count", arguments: { n: 6, delayMs: 1 } }, { resumptionToken: localStorage.token });`)
			page.WaitFor(`seen.done`)
			if code := chrome.Eval[string](page, `seen.error?.below ?? ""`); code != "acknowledged" {
				t.Errorf("a token that is over ends with %q", code)
			}
			counted.once(t)
		})
	}
}
