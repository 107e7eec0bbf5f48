//go:build !js

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// The first pages of somebody new: what the guide has them copy, as it is written, but for the server's
// address.

// firstExample is the first block in a language of a page of the guide.
func firstExample(t *testing.T, page, language string) (file string) {
	t.Helper()
	return example(t, page, language, 0)
}

// example is a block in a language of a page of the guide, for a server at /mcp of the page's own origin. It
// is a file below the module's root, where esbuild finds what npm has installed.
func example(t *testing.T, page, language string, after int) (file string) {
	t.Helper()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(read(t, "../"+page), "```"+language+"\n")[1:]
	if len(blocks) <= after {
		t.Fatalf("%s has %d blocks in %s", page, len(blocks), language)
	}
	text, _, closed := strings.Cut(blocks[after], "```\n")
	if !closed {
		t.Fatalf("%s has a block in %s without an end", page, language)
	}
	folder, err := os.MkdirTemp(filepath.Join(root, "web", "build"), "start-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	file = filepath.Join(folder, "example."+language)
	text = strings.NewReplacer("http://localhost:3000/mcp", "/mcp", "https://example.com/mcp",
		"/mcp").Replace(text)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// started opens an app whose button counts to 40, reloads it in the middle, and waits until it shows that it
// has counted. early says that it shows five numbers or more.
func started(t *testing.T, script, early string) {
	t.Helper()
	server := gosdk.New(gosdk.Options{})
	t.Cleanup(server.Close)
	counted := &executions{server: server}
	site := chrome.NewSite(t)
	site.Handle("/mcp", counted)
	site.File("/app.js", script)
	site.File("/app.html",
		`<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Start</title>`+
			siteImports+
			`<body><div id="root"></div><script type="module" src="/app.js"></script>`)
	page := chrome.OpenWindow(t, site.URL+"/app.html")
	waits(page, `document.querySelector("button")?.textContent === "Count to 40"`)
	page.Click("button")
	waits(page, early)
	page.Reload()
	waits(page, early)
	waits(page, `document.querySelector("p, pre")?.textContent.includes("Counted to 40.")`)
	counted.once(t)
}

// TestStoryStart: the first page of docs/guide/start.md.
func TestStoryStart(t *testing.T) {
	t.Parallel()
	script := bundledReact(t, firstExample(t, "docs/guide/start.md", "ts")) // of React there is nothing in it
	started(t, script, `parseInt(document.querySelector("p").textContent) >= 5`)
}

// TestStoryStartReact: the first component of docs/guide/react.md.
func TestStoryStartReact(t *testing.T) {
	long(t)
	t.Parallel()
	app := firstExample(t, "docs/guide/react.md", "tsx")
	started(t, strictly(t, app, `import App from "./example.tsx";`, `<App />`),
		`document.querySelector("progress")?.value >= 5`)
}

// strictly returns the script of an app whose component is drawn in development, where StrictMode mounts it
// twice.
func strictly(t *testing.T, example, imports, component string) string {
	t.Helper()
	entry := filepath.Join(filepath.Dir(example), "main.tsx")
	if err := os.WriteFile(entry, []byte(`
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
`+imports+`
createRoot(document.getElementById("root")!).render(<StrictMode>`+component+`</StrictMode>);
`), 0o644); err != nil {
		t.Fatal(err)
	}
	return bundledReact(t, entry)
}

// TestStoryStartNext: the component of docs/bundlers.md for Next.js, as its dev server draws it: the first
// client is closed while it lists the tools, and nothing of that is an error in the console.
func TestStoryStartNext(t *testing.T) {
	t.Parallel()
	server := gosdk.New(gosdk.Options{})
	t.Cleanup(server.Close)
	site := chrome.NewSite(t)
	site.Handle("/mcp", server)
	site.File("/app.js", strictly(t, firstExample(t, "docs/bundlers.md", "tsx"),
		`import { Tools } from "./example.tsx";`, `<Tools url="/mcp" />`))
	site.File("/app.html",
		`<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Start</title>`+
			siteImports+
			`<body><div id="root"></div><script>
		window.wrong = [];
		addEventListener("unhandledrejection", ({ reason }) => wrong.push("unhandled: " + reason));
		console.error = (...said) => wrong.push(said.join(" "));
	</script><script type="module" src="/app.js"></script>`)
	page := chrome.Open(t, site.URL+"/app.html")
	waits(page, `document.querySelectorAll("li").length > 1`)
	if wrong := chrome.Eval[[]string](page, `wrong`); len(wrong) > 0 {
		t.Errorf("the console has %q", wrong)
	}
}
