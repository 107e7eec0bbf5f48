//go:build !js

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// testServerStory is what an app's unit test does with the server of holdfast/testing: a call goes on after a
// cut, an outage and a reload, a server that was started again loses it, and a question is asked and
// answered.
const testServerStory = `(async () => {
  const { connect } = await import("holdfast");
  const { testServer } = await import("holdfast/testing");
  let open;
  const gate = () => new Promise((resolve) => (open = resolve));
  const server = testServer({ tools: {
    count: { run: async ({ n }, { progress }) => {
      for (let i = 1; i <= n; i++) { await gate(); progress(i, n); }
      return "counted to " + n;
    } },
    ask: { run: async (_, { ask }) => (await ask("elicitation/create", { message: "Name?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } })).content.name },
  } });
  const options = { fetch: server.fetch, principal: "test", handlers: { elicitation: async () => ({ action: "accept", content: { name: "Ada" } }) } };
  const until = async (what, predicate) => {
    for (const end = Date.now() + 30_000; !predicate(); ) {
      if (Date.now() > end) throw new Error("in vain: " + what);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const said = {};
  const before = await connect(server.url, options);
  const changed = new Promise((resolve) => before.on("changed", ({ what }) => resolve(what)));
  const call = before.callTool("count", { n: 4 }, { key: "a", ack: "manual" });
  const had = [];
  (async () => { for await (const event of call) if (event.type === "progress") had.push(event.progress); })().catch(() => {});
  await until("begun", () => open);
  open(); await until("1", () => had.length === 1);
  server.cut();
  open(); await until("2, after a cut", () => had.length === 2);
  server.down(); open(); server.up();
  await until("3, after an outage", () => had.length === 3);
  said.asked = (await before.callTool("ask").result).content[0].text;
  server.setTool("more", { run: () => "more" });
  said.changed = await changed;
  await server.reload(before);
  const after = await connect(server.url, options);
  const [found] = await after.calls();
  said.key = found.key;
  open();
  said.result = (await found.result).content[0].text;
  await found.ack();
  said.had = had.join();
  said.ran = server.calls.filter(({ tool }) => tool === "count").length;
  const lost = after.callTool("count", { n: 9 }, { rerun: "never" });
  lost.result.catch(() => {});
  await until("another", () => server.calls.length === 3);
  server.loseSession();
  said.lost = await lost.result.then(() => "", ({ code }) => code);
  said.works = (await after.callTool("more").result).content[0].text;
  await after.close();
  return said;
})()`

// TestStoryTestServer: the server of holdfast/testing, in Chrome, by the published files.
func TestStoryTestServer(t *testing.T) {
	t.Parallel()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(root, "web", "dist", "holdfast-testing.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	site := chrome.NewSite(t)
	site.File("/holdfast-testing.mjs", string(script))
	site.File("/test.html", `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" `+
		`href="data:,"><title>test</title>`+
		`<script type="importmap">{ "imports": { "holdfast": "/holdfast.mjs",`+
		` "holdfast/testing": "/holdfast-testing.mjs" } }</script></html>`)
	page := chrome.Open(t, site.URL+"/test.html")
	said := chrome.Eval[map[string]any](page, testServerStory)
	for name, want := range map[string]any{
		"asked": "Ada", "changed": "tools", "key": "a", "result": "counted to 4", "had": "1,2,3", "ran": 1.0,
		"lost": "lost", "works": "more",
	} {
		if said[name] != want {
			t.Errorf("%s is %v, want %v", name, said[name], want)
		}
	}
}
