//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// ownWorker is a worker of the app's that has the client itself, and tells its page what comes.
const ownWorker = `
import { connect } from "holdfast";
(async () => {
	const mcp = await connect(SERVER, { ack: "manual" });
	const [call = mcp.callTool("count", { n: 5, call: "own", gate: "own", retry_ms: 10 })] = await mcp.calls();
	for await (const event of call) if (event.type === "progress") postMessage({ mark: event.message.split(" ")[0] });
	postMessage({ n: (await call.result).structuredContent.n });
})().catch((error) => postMessage({ failed: String(error) }));
`

const ownWorkerPage = `
window.marks = [];
const worker = new Worker(new URL("./work.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data: { mark, n, failed } }) => {
	if (mark) marks.push(mark);
	else window.ended = failed ?? n;
};
`

// TestStoryOwnWorker: an app that has workers of its own imports the module there, where there is no
// document, and its call survives a reload of the page, which ends the worker.
func TestStoryOwnWorker(t *testing.T) {
	t.Parallel()
	for _, each := range []stack{
		{name: "import", serve: func(p *project) string { return ownModules(p) }, short: true},
		{name: "Vite 8, dev server", tools: map[string]string{"vite": "vite"}, serve: viteServed},
		{name: "Vite 8, build", tools: map[string]string{"vite": "vite"}, serve: viteBuilt},
		{name: "Vite 7, dev server", tools: map[string]string{"vite": "vite7"}, serve: viteServed},
		{name: "Vite 5, build", tools: map[string]string{"vite": "vite5"}, serve: viteBuilt},
		{name: "webpack 5", tools: map[string]string{"webpack": "webpack"}, serve: webpackBuilt},
	} {
		if !each.short && !*bundlers {
			continue
		}
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			p.Counting(nil)
			files := map[string]string{"main.js": ownWorkerPage,
				"work.js": strings.ReplaceAll(ownWorker, "SERVER", chrome.JS(p.URL()))}
			page := chrome.NewProfile(t).Open(each.serve(newProject(t, files, each.tools)))
			passes(p, "own", 2)
			page.WaitFor(`window.ended || marks.length === 2`)
			page.Reload()
			passes(p, "own", 4)
			page.WaitFor(`window.ended`)
			if got := chrome.Eval[string](page,
				`ended + " " + marks.length + " " + new Set(marks).size`); got != "5 5 5" {
				t.Errorf("the worker's page has %s", got)
			}
			if runs := p.Oracle().Runs("own"); runs != 1 {
				t.Errorf("%d runs", runs)
			}
			blameless(t, p)
		})
	}
}

// ownModules serves the module as it is: a worker has no import map.
func ownModules(p *project) string {
	p.write("work.js", strings.ReplaceAll(read(p.t, p.path("work.js")), `"holdfast"`,
		`"/node_modules/holdfast/web/dist/holdfast.mjs"`))
	p.page("index.html", `type="module" src="main.js"`)
	return p.serve(".") + "/"
}
