//go:build !js

package e2e

import (
	"flag"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// bundlers has TestStoryBundlers use the package in every way that docs/bundlers.md has: `make bundlers`.
var bundlers = flag.Bool("bundlers", false, "all ways to use the package, and not the three that make test has")

// A stack is a way in which people have packages in their apps.
type stack struct {
	name string
	// tools are what it is built with, as newProject has them.
	tools map[string]string
	// serve builds the app of main.js, and returns the address of its page.
	serve func(p *project) string
	// script is what main.js has, where that is not the usual.
	script func(usual string) string
	// pageOnly: there is no worker at hand.
	pageOnly bool
	// next: what it is built with are the packages of nextapp.
	next bool
	// short: make test has it.
	short bool
}

// bundledPage is a page that has its script beside it, whatever kind of script that is.
const bundledPage = `<!doctype html><link rel="icon" href="data:,"><script SCRIPT></script>`

// page puts a page into the project.
func (p *project) page(name, script string) {
	p.t.Helper()
	p.write(name, strings.Replace(bundledPage, "SCRIPT", script, 1))
}

const viteServes = `
import { createServer } from "vite";
const server = await createServer({ root: import.meta.dirname, configFile: false, logLevel: "error", server: { port: 0, host: "127.0.0.1" } });
await server.listen();
console.log(server.resolvedUrls.local[0]);
`

const viteBuilds = `
import { build } from "vite";
await build({ root: import.meta.dirname, configFile: false, logLevel: "error", worker: { format: "es" } });
`

// What webpack says of what it has been given is an error here, but for the size of the wasm.
const webpackBuilds = `
import webpack from "webpack";
const { dirname } = import.meta;
webpack({ mode: "production", context: dirname, entry: "./main.js", output: { path: dirname + "/out", filename: "main.js" }, performance: false }, (error, stats) => {
	const said = error ?? stats.toString({ all: false, errors: true, warnings: true });
	if (error || said) throw new Error(said);
});
`

func viteServed(p *project) string {
	p.page("index.html", `type="module" src="./main.js"`)
	return p.serves(viteServes)
}

func viteBuilt(p *project) string {
	p.page("index.html", `type="module" src="./main.js"`)
	p.node(viteBuilds)
	return p.serve("dist") + "/"
}

func webpackBuilt(p *project) string {
	p.node(webpackBuilds)
	p.page("out/index.html", `defer src="main.js"`)
	return p.serve("out") + "/"
}

// Everything is an entry point of its own: nothing is copied by hand.
func esbuildModules(p *project) string {
	p.esbuild("main.js", "holdfast/holdfast.wasm", "holdfast/holdfast-agents.wasm", "holdfast/holdfast-worker.mjs", "holdfast/holdfast-validate.mjs",
		"--format=esm", "--splitting", "--loader:.wasm=copy", "--entry-names=[name]", "--out-extension:.js=.mjs", "--outdir=out")
	p.page("out/index.html", `type="module" src="main.mjs"`)
	return p.serve("out") + "/"
}

func esbuildScript(p *project) string {
	p.esbuild("main.js", "holdfast/holdfast.wasm", "holdfast/holdfast-agents.wasm", "--loader:.wasm=copy", "--entry-names=[name]", "--minify", "--outdir=out")
	p.page("out/index.html", `src="main.js"`)
	return p.serve("out") + "/"
}

func importMap(p *project) string {
	p.write("index.html", `<!doctype html><link rel="icon" href="data:,">
		<script type="importmap">{ "imports": { "holdfast": "/node_modules/holdfast/web/dist/holdfast.mjs",
			"holdfast/agent": "/node_modules/holdfast/web/dist/holdfast-agent.mjs" } }</script>
		<script type="module" src="main.js"></script>`)
	return p.serve(".") + "/"
}

// scriptTag serves a page whose script is at the origin of the package's files, or at that of the page.
func scriptTag(elsewhere bool) func(p *project) string {
	return func(p *project) string {
		from := ""
		if elsewhere {
			from = p.serve("node_modules/holdfast/web/dist") + "/"
		} else {
			from = "node_modules/holdfast/web/dist/"
		}
		p.write("index.html", `<!doctype html><link rel="icon" href="data:,"><script src="`+from+`holdfast.js"></script><script src="main.js"></script>`)
		return p.serve(".") + "/"
	}
}

// ofTheGlobal has a script use the global, which another import or script has made.
func ofTheGlobal(imports string) func(string) string {
	return func(usual string) string {
		return strings.NewReplacer(bothModules, imports, "window.holdfast = holdfast;", "").Replace(usual)
	}
}

// bothModules has all names of the module and of that for agents.
const bothModules = `import * as ofModule from "holdfast";
import * as ofAgents from "holdfast/agent";
const holdfast = { ...ofModule, ...ofAgents };`

// stacks are the rows of docs/bundlers.md.
var stacks = []stack{
	{name: "Vite 8, dev server", tools: map[string]string{"vite": "vite"}, serve: viteServed, short: true},
	{name: "Vite 8, build", tools: map[string]string{"vite": "vite"}, serve: viteBuilt},
	{name: "Vite 7, dev server", tools: map[string]string{"vite": "vite7"}, serve: viteServed},
	{name: "Vite 7, build", tools: map[string]string{"vite": "vite7"}, serve: viteBuilt},
	{name: "Vite 5, dev server", tools: map[string]string{"vite": "vite5"}, serve: viteServed},
	{name: "Vite 5, build", tools: map[string]string{"vite": "vite5"}, serve: viteBuilt},
	{name: "webpack 5", tools: map[string]string{"webpack": "webpack"}, serve: webpackBuilt, short: true},
	{name: "esbuild, modules", serve: esbuildModules, short: true},
	{name: "esbuild, one script", serve: esbuildScript, pageOnly: true},
	{name: "Next.js 16, dev server", serve: nextServed, next: true},
	{name: "Next.js 16, build", serve: nextBuilt(), next: true},
	{name: "Next.js 16, build with webpack", serve: nextBuilt("--webpack"), next: true},
	{name: "import map", serve: importMap},
	{name: "script tag", serve: scriptTag(false), script: ofTheGlobal("")},
	{name: "script tag, CDN", serve: scriptTag(true), script: ofTheGlobal(""), pageOnly: true},
	{name: "holdfast/global", serve: esbuildModules, script: ofTheGlobal(`import "holdfast/global";`)},
}

// bundledScript is the app: keeperScript as a classic script could have it as well, in the host that the address names.
// A result that does not fit its schema shows that the validator is there, and a client of an agent that its wasm is.
func bundledScript(server, agent string) string {
	body := strings.NewReplacer(`import * as holdfast from "/holdfast.mjs";`, "", "SERVER", chrome.JS(server),
		"OPTIONS", `{ host: new URLSearchParams(location.search).get("host"), ack: "manual" }`).Replace(keeperScript)
	return bothModules + `
(async () => {` + body + `
	await mcp.listTools();
	window.agent = await holdfast.connectAgent(` + chrome.JS(agent) + `, { host: mcp.host });
	window.unfit = await mcp.callTool("mismeasure", {}, { journal: false }).result.then(() => "delivered", (error) => error.code);
})().catch((error) => (window.failed = [error.message, error.hint, String(error.cause)].join("\n")));
`
}

// TestStoryBundlers: the package, packed and unpacked in a fresh project, is built and served as people do it, and runs
// in Chrome through a call and a reload in the middle of it, in the page and in the shared worker.
func TestStoryBundlers(t *testing.T) {
	t.Parallel()
	for _, each := range stacks {
		if !each.short && !*bundlers {
			continue
		}
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			p.Furnish()
			p.Counting(nil)
			script := bundledScript(p.URL(), acppeer.New(t, acppeer.Options{}).URL())
			if each.script != nil {
				script = each.script(script)
			}
			app := newProject(t, map[string]string{"main.js": script}, each.tools)
			if each.next {
				app.nextApp()
			}
			url := each.serve(app)
			hosts := []string{"page", "shared"}
			if each.pageOnly {
				hosts = hosts[:1]
			}
			for _, host := range hosts {
				v := &visits{t: t, p: p, profile: chrome.NewProfile(t).InWindows()}
				page := v.profile.Open(url + "?host=" + host)
				begun(t, page, host)
				v.count(page, host, 7, 3)
				page.Reload()
				begun(t, page, host)
				v.has(page, host, 3)
				passes(p, host, 5)
				v.outcome(page, host, "result")
			}
			blameless(t, p)
		})
	}
}

// begun waits until the app has begun, in the host that it is to have, with all its parts.
func begun(t *testing.T, page *chrome.Page, host string) {
	t.Helper()
	page.WaitFor(`window.unfit || window.failed`)
	got := chrome.Eval[string](page, `window.failed ?? [mcp.host, agent.host, agent.state, unfit].join(" ")`)
	if want := host + " " + host + " open invalid_structured_content"; got != want {
		t.Fatalf("the app says %q, want %q", got, want)
	}
}
