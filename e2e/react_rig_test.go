//go:build !js

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// siteImports has a page's bundle take the module from the site, as an app does that bundles its own code
// alone.
const siteImports = `<script type="importmap">
	{ "imports": { "holdfast": "/holdfast.mjs", "holdfast/agent": "/holdfast-agent.mjs" } }</script>`

// bundledReact bundles an app with React's development build, in which StrictMode mounts each component
// twice, and with the hooks as they are published. The module itself stays a file of the site's.
func bundledReact(t *testing.T, entry string) string {
	t.Helper()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "app.js")
	dist := filepath.Join(root, "web", "dist")
	run(t, root, "go", "tool", "esbuild", entry, "--bundle", "--format=esm", "--jsx=automatic",
		"--target=es2022", "--log-level=warning",
		`--define:process.env.NODE_ENV="development"`, "--external:holdfast",
		"--alias:holdfast/agent/react="+filepath.Join(dist, "holdfast-agent-react.mjs"),
		"--alias:holdfast/agent/store="+filepath.Join(dist, "holdfast-agent-store.mjs"),
		"--alias:holdfast/react="+filepath.Join(dist, "holdfast-react.mjs"),
		"--alias:holdfast/store="+filepath.Join(dist, "holdfast-store.mjs"),
		"--alias:holdfast/ai="+filepath.Join(dist, "holdfast-ai.mjs"),
		"--alias:holdfast/testing="+filepath.Join(dist, "holdfast-testing.mjs"),
		"--outfile="+out)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reactApp is the bundle of e2e/testdata/react, made once.
var reactApp = struct {
	sync.Once
	script string
}{}

// reactPage is the address of that app, for an MCP server and, if it is named, an agent.
func reactPage(t *testing.T, mcp, acp string) string {
	t.Helper()
	reactApp.Do(func() { reactApp.script = bundledReact(t, "e2e/testdata/react/app.tsx") })
	servers := map[string]string{"mcp": mcp}
	if acp != "" {
		servers["acp"] = acp
	}
	return reactSite(t, reactApp.script, `globalThis.story = { servers: `+chrome.JS(servers)+` };`)
}

// reactSite serves an app at an origin of its own, behind a script of the story's.
func reactSite(t *testing.T, script, first string) string {
	t.Helper()
	site := chrome.NewSite(t)
	site.File("/app.js", script)
	site.File("/app.html", strings.Join([]string{
		`<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,` +
			`"><title>React</title>`, siteImports,
		`<script>` + first +
			`</script><div id="root"></div><script type="module" src="/app.js"></script></html>`,
	}, ""))
	return site.URL + "/app.html"
}

// element finds what the app shows by an attribute, with a value or with any.
func element(attribute, value string) string {
	if value != "" {
		attribute += "=" + chrome.JS(value)
	}
	return "document.querySelector(" + chrome.JS("["+attribute+"]") + ")"
}

// clicks presses what has that attribute, by script: nothing has to be in view.
func clicks(page *chrome.Page, attribute, value string) {
	chrome.Eval[chrome.Void](page, "void "+element(attribute, value)+".click()")
}

// connectedReact opens the app and waits until it is connected.
func connectedReact(t *testing.T, url string) *chrome.Page {
	t.Helper()
	page := chrome.OpenWindow(t, url)
	waits(page, element("data-state", "open")+` && `+element("data-calls", "ready"))
	return page
}

// shownCall waits until a call is shown so by both components, with so many events.
func shownCall(page *chrome.Page, state string, events int) {
	for _, name := range []string{"a", "again"} {
		call := element("data-call", name)
		waits(page, call+`?.dataset.state === `+chrome.JS(state)+` && `+call+`.dataset.events === "`+
			chrome.JS(events)+`"`)
	}
}

// callsCount has the app's client make the call a of the tool count.
func callsCount(page *chrome.Page, args map[string]any) {
	args["call"], args["retry_ms"] = "a", 10
	chrome.Eval[chrome.Void](page, `void story.client.callTool("count", `+chrome.JS(args)+`, { key: "a" })`)
}

// waits waits until something holds, or is there.
func waits(page *chrome.Page, predicate string) { page.WaitFor("!!(" + predicate + ")") }
