// Package browser has the story of the cluster in a real Chrome, with the built module.
package browser

import (
	"fmt"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

func TestMain(m *testing.M) {
	if rig.IsChild() {
		rig.Main(m)
	}
	chrome.Main(m, "web/dist/holdfast.wasm", "web/dist/holdfast.mjs")
}

const pageScript = `
import * as holdfast from "/holdfast.mjs";
window.holdfast = holdfast;
window.watch = (call) => {
	const seen = { progress: [], resumed: [], text: "", error: "" };
	window.seen = seen;
	(async () => {
		try {
			for await (const event of call) {
				if (event.type === "progress") seen.progress.push(event.progress);
				if (event.type === "resumed") seen.resumed.push(event.outcome);
			}
			seen.text = (await call.result).content[0].text;
		} catch (error) {
			seen.error = error.code + ": " + error.message;
		}
	})();
};`

// TestStoryCluster: a page calls a tool of a server on three nodes. The node that runs it is killed, the page
// is reloaded, and the other nodes are restarted: the page has every step once, and the tool has run once.
func TestStoryCluster(t *testing.T) {
	const steps = 9
	c := rig.Start(t, rig.Options{})
	site := chrome.NewSite(t)
	page := chrome.NewProfile(t).Open(site.Page("/app", pageScript))
	connect := func() {
		page.WaitFor(`window.holdfast`)
		chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(c.URL)+
			`, { revision: "2025-11-25", host: "page" });`)
	}
	connect()
	c.World.Hold("a", 4)
	chrome.Script[chrome.Void](page, `watch(mcp.callTool("count", { label: "a", n: `+fmt.Sprint(steps)+
		` }, { key: "a" }));`)
	page.WaitFor(`seen.progress.length === 3`)
	c.World.Await("a")
	victim := c.Running("a")
	victim.Kill()
	page.Reload()
	connect()
	chrome.Script[chrome.Void](page, `const [call] = await mcp.calls(); watch(call);`)
	c.World.Hold("a", 7)
	c.World.Await("a")
	page.WaitFor(`seen.progress.length === 6`)
	victim.Start()
	for _, p := range c.Nodes {
		if p != victim {
			p.Leave()
			p.Start()
		}
	}
	c.World.Release("a")
	page.WaitFor(`seen.text || seen.error`)
	got := chrome.Eval[struct {
		Progress    []int
		Text, Error string
	}](page, `seen`)
	want := make([]int, steps)
	for i := range want {
		want[i] = i + 1
	}
	if got.Error != "" || got.Text != fmt.Sprintf("a: %d steps", steps) || !slices.Equal(got.Progress, want) {
		t.Errorf("got %+v", got)
	}
	if d := c.World.Of("a"); d.Began != 1 || len(d.Steps) != steps {
		t.Errorf("the world: %+v", d)
	}
}
