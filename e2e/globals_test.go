//go:build !js

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// globalsModule lists what a program finds on its global object, and what is on the
// prototypes of the classes there. changed names what a later list has more, has not
// any more, or has with another value. Each value is read twice: what is another one
// each time tells nothing.
const globalsModule = `
export function globals() {
	const found = new Map();
	for (const name of Reflect.ownKeys(globalThis)) {
		if (name === "event") continue;
		const value = globalThis[name];
		found.set(String(name), Object.is(value, globalThis[name]) ? value : undefined);
		if (typeof value !== "function" || typeof value.prototype !== "object" || value.prototype === null) continue;
		for (const key of Reflect.ownKeys(value.prototype)) {
			const { value: method, get } = Object.getOwnPropertyDescriptor(value.prototype, key);
			found.set(String(name) + "#" + String(key), method ?? get);
		}
	}
	return found;
}

export function changed(before, after = globals()) {
	const names = new Set([...before.keys(), ...after.keys()]);
	return [...names].filter((name) => before.has(name) !== after.has(name) || !Object.is(before.get(name), after.get(name))).sort().join();
}
`

// globalsSite is an origin with the module, a server, and the lists of globals.
func globalsSite(t *testing.T) *chrome.Site {
	t.Helper()
	site := sdkSite(t)
	site.File("/globals.mjs", globalsModule)
	return site
}

// useScript uses what the module has in chunks and in Go: a call whose result is
// validated, a connection that fails and is diagnosed, an agent that is not there.
const useScript = `
	const mcp = await holdfast.connect("/mcp");
	await mcp.listTools();
	const { structuredContent } = await mcp.callTool("add", { a: 20, b: 22 }).result;
	await holdfast.connect("/nothing").then(() => { throw new Error("connected to nothing"); }, () => {});
	await holdfast.connectAgent("/nothing").then(() => { throw new Error("connected to nobody"); }, () => {});
	await mcp.close();
	steps.push("used " + changed(before), "sum: " + structuredContent.sum);`

// stepsUnchanged is what a story finds changed at each step: nothing.
const stepsUnchanged = "imported  | used  | sum: 42"

// TestStoryGlobals: neither the module nor its use changes a global of the page. Go's
// glue defines fs, process, path and Go where it finds none: a library that then asks
// process.env for NODE_ENV throws.
func TestStoryGlobals(t *testing.T) {
	t.Parallel()
	const list = `const { globals, changed } = await import("/globals.mjs");
		const steps = [], before = globals();`
	t.Run("module", func(t *testing.T) {
		row(t)
		page := chrome.Open(t, globalsSite(t).URL+"/")
		got := chrome.Script[[]string](page, list+`
			const holdfast = { ...await import("/holdfast.mjs"), ...await import("/holdfast-agent.mjs") };
			steps.push("imported " + changed(before));`+useScript+`
			return steps;`)
		if text := strings.Join(got, " | "); text != stepsUnchanged {
			t.Errorf("changed globals: %s", text)
		}
		if got := chrome.Eval[int](page, `performance.getEntriesByType("resource").filter((e) => /validate|`+
			`diagnosis/.test(e.name)).length`); got != 2 {
			t.Errorf("%d chunks were used, want the validator and the diagnosis", got)
		}
	})
	t.Run("script tag", func(t *testing.T) {
		row(t)
		page := chrome.Open(t, globalsSite(t).URL+"/")
		got := chrome.Script[[]string](page, list+`
			const script = document.createElement("script");
			script.src = "/holdfast.js";
			const loaded = new Promise((resolve) => { script.onload = resolve; });
			document.head.append(script);
			await loaded;
			steps.push("imported " + changed(before));
			before.set("holdfast", holdfast);`+useScript+`
			return steps;`)
		if text, want := strings.Join(got, " | "),
			strings.Replace(stepsUnchanged, "imported ", "imported holdfast", 1); text != want {
			t.Errorf("changed globals: %s", text)
		}
	})
	t.Run("names of the page", func(t *testing.T) {
		row(t)
		// An element is a global by its id; these names are the ones that Go's glue looks for.
		site := globalsSite(t)
		site.File("/form.html", `<!doctype html><link rel="icon" href="data:,`+
			`"><form id="fs"></form><p id="process"></p><p id="path"></p><p id="Go"></p>`)
		page := chrome.Open(t, site.URL+"/form.html")
		got := chrome.Script[[]string](page, list+`
			const holdfast = { ...await import("/holdfast.mjs"), ...await import("/holdfast-agent.mjs") };
			steps.push("imported " + changed(before));`+useScript+`
			return [...steps, fs.tagName, process.tagName, path.tagName, Go.tagName];`)
		if text := strings.Join(got, " | "); text != stepsUnchanged+" | FORM | P | P | P" {
			t.Errorf("changed globals: %s", text)
		}
	})
	t.Run("two builds", func(t *testing.T) {
		row(t)
		site := globalsSite(t)
		site.Handle("/other/", http.StripPrefix("/other/",
			http.FileServer(http.Dir(filepath.Join("..", "web", "dist")))))
		page := chrome.Open(t, site.URL+"/")
		got := chrome.Script[[]string](page, list+`
			const builds = [];
			for (const at of ["/", "/other/"]) {
				builds.push({ ...await import(at + "holdfast.mjs"), ...await import(at + "holdfast-agent.mjs") });
			}
			steps.push("imported " + changed(before));
			for (const holdfast of builds) {`+useScript+`}
			return [...steps, String(builds[0].connect === builds[1].connect)];`)
		if text := strings.Join(got, " | "); text != stepsUnchanged+" | used  | sum: 42 | false" {
			t.Errorf("changed globals: %s", text)
		}
	})
}

// TestStoryGlobalsOfWorker: the same in a worker, whichever way it loads the module.
func TestStoryGlobalsOfWorker(t *testing.T) {
	t.Parallel()
	for name, worker := range map[string]struct{ kind, load, changed string }{
		"module": {"module", `const holdfast = await import("/holdfast.mjs");`, ""},
		"script": {"classic", `importScripts("/holdfast.js");`, "holdfast"},
	} {
		t.Run(name, func(t *testing.T) {
			site := globalsSite(t)
			site.File("/worker.js", `(async () => {
				const { globals, changed } = await import("/globals.mjs");
				const before = globals();
				`+worker.load+`
				postMessage([changed(before), typeof holdfast.connect]);
			})().catch((error) => postMessage([String(error)]));`)
			page := chrome.Open(t, site.URL+"/")
			got := chrome.Script[[]string](page, `
				const worker = new Worker("/worker.js", { type: `+chrome.JS(worker.kind)+` });
				try {
					return await new Promise((resolve, reject) => {
						worker.onmessage = ({ data }) => resolve(data);
						worker.onerror = ({ message }) => reject(new Error(message));
					});
				} finally {
					worker.terminate();
				}`)
			if text, want := strings.Join(got, " | "), worker.changed+" | function"; text != want {
				t.Errorf("the worker tells %q, want %q", text, want)
			}
		})
	}
}

// TestGlobalsOfServer: what renders pages on a server imports the module and has no
// DOM; Node has a process of its own, other hosts have none.
func TestGlobalsOfServer(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs(filepath.Join("..", "web", "dist", "holdfast.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for name, prepare := range map[string]string{
		"Node":            ``,
		"without process": `const { exit } = process; delete globalThis.process;`,
		"without crypto":  `delete globalThis.crypto; delete globalThis.performance;`,
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for file, content := range map[string]string{
				"globals.mjs": globalsModule,
				"server.mjs": `
					import { globals, changed } from "./globals.mjs";
					import { pathToFileURL } from "node:url";
					const address = pathToFileURL(` + chrome.JS(module) + `);
					globals(); // Node defines some of its own only when they are read
					` + prepare + `
					const before = globals();
					const { connect } = await import(address);
					console.log(JSON.stringify([changed(before), typeof connect]));`,
			} {
				if err := os.WriteFile(filepath.Join(folder, file), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			run := exec.Command("node", filepath.Join(folder, "server.mjs"))
			var complaints strings.Builder
			run.Stderr = &complaints
			out, err := run.Output()
			if err != nil {
				t.Fatalf("node: %v\n%s", err, complaints.String())
			}
			var got []string
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if text := strings.Join(got, " | "); text != " | function" {
				t.Errorf("the import tells %q", text)
			}
		})
	}
}

// TestFault172_TwoBuildsOnOnePage: two builds share the browser's connections as two
// tabs do. The browser knows both by one name, and neither may take the other's
// connections for its own: it would wait for them for ever.
func TestFault172_TwoBuildsOnOnePage(t *testing.T) {
	t.Parallel()
	site := globalsSite(t)
	site.Handle("/other/", http.StripPrefix("/other/",
		http.FileServer(http.Dir(filepath.Join("..", "web", "dist")))))
	asked := make(chan struct{})
	site.Handle("/silent", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
	}))
	page := chrome.Open(t, site.URL+"/")
	chrome.Script[chrome.Void](page, `
		const builds = await Promise.all(["/", "/other/"].map((at) => import(at + "holdfast-agent.mjs")));
		window.over = new AbortController();
		builds[0].connectAgent("/silent", { signal: over.signal }).catch(() => {});
		window.other = builds[1];`)
	<-asked // the first build has all the connections that sessions may have
	got := chrome.Script[string](page, `
		return other.connectAgent("/nothing").then(() => "connected to nobody", ({ code }) => code).finally(() => over.abort());`)
	if got != "http_error" {
		t.Errorf("the other build's connection ended with %s", got)
	}
}
