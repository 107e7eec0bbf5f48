//go:build !js

package e2e

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// What somebody new sees in the first hour, where something is not as it should be.

// TestFault625_HintInTheConsole: nobody catches what connect rejects with, as in the first example of
// docs/guide/start.md, or it is given to console.error. The console says what to do.
func TestFault625_HintInTheConsole(t *testing.T) {
	t.Parallel()
	site := chrome.NewSite(t)
	dead := chrome.JS("http://" + nobody(t) + "/mcp")
	for name, script := range map[string]string{
		"uncaught": `await connect(` + dead + `)`,
		"logged":   `await connect(` + dead + `).catch((error) => console.error(error))`,
	} {
		site.File("/app.html", `<!doctype html><link rel="icon" href="data:,"><script type="module">
			import { connect } from "/holdfast.mjs";
			addEventListener("unhandledrejection", () => (window.over = true));
			addEventListener("error", () => (window.over = true));
			`+script+`;
			window.over = true;
		</script>`)
		page := chrome.Open(t, site.URL+"/app.html")
		page.AllowExceptions("could not be reached")
		page.WaitFor(`window.over`)
		if said := strings.Join(append(page.Console(), page.Uncaught()...), "\n"); !strings.Contains(
			said, "Is the server running, and are host and port right?") {
			t.Errorf("%s: the console has no hint:\n%s", name, said)
		}
		page.Close()
	}
}

// TestFault628_PageOfAFile: somebody opens the page with a double click.
func TestFault628_PageOfAFile(t *testing.T) {
	t.Parallel()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	script := (&url.URL{Scheme: "file", Path: filepath.Join(root, "web", "dist", "holdfast.js")}).String()
	file := filepath.Join(t.TempDir(), "app.html")
	if err := os.WriteFile(file, []byte(`<!doctype html><script src="`+script+`"></script><script>
		holdfast.connect("https://server.test/mcp").catch(({ code, hint }) => (window.said = code + ": " + hint));
	</script>`), 0o644); err != nil {
		t.Fatal(err)
	}
	page := chrome.Open(t, (&url.URL{Scheme: "file", Path: file}).String())
	page.WaitFor(`window.said`)
	if said := chrome.Eval[string](page, `said`); !strings.HasPrefix(said, "load_failed: A page of file: ") {
		t.Errorf("it said %q", said)
	}
}

// TestFault629_WasmOfAnEarlierDeploy: the browser has kept the wasm of an earlier deploy, as its server
// allows, and the module is the new one. The first page connects, and with it the next.
func TestFault629_WasmOfAnEarlierDeploy(t *testing.T) {
	t.Parallel()
	now := []byte(read(t, "../web/dist/holdfast.wasm"))
	_, rest, _ := strings.Cut(read(t, "../package.json"), `"version": "`)
	version, _, _ := strings.Cut(rest, `"`)
	earlier := bytes.ReplaceAll(now, []byte(version), bytes.Repeat([]byte("0"), len(version)))
	if version == "" || bytes.Equal(now, earlier) {
		t.Fatalf("the wasm does not have its version, %q", version)
	}
	for _, host := range []string{"page", "shared"} {
		server := gosdk.New(gosdk.Options{})
		t.Cleanup(server.Close)
		site := chrome.NewSite(t)
		site.Handle("/mcp", server)
		var deployed, fetched atomic.Int32
		site.Handle("/holdfast.wasm", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/wasm")
			w.Header().Set("Cache-Control", "max-age=3600")
			if deployed.Load() == 0 {
				w.Write(earlier)
				return
			}
			fetched.Add(1)
			w.Write(now)
		}))
		page := chrome.Open(t, site.Page("/app", appScript))
		page.WaitFor(`window.holdfast`)
		chrome.Script[bool](page,
			`return fetch("/holdfast.wasm").then((response) => response.arrayBuffer()).then(() => true);`)
		deployed.Store(1)
		for range 2 {
			connected := chrome.Script[failure](page,
				`return attempt(() => holdfast.connect("/mcp", { host: `+chrome.JS(host)+` }));`)
			if connected.Code != "" {
				t.Errorf("%s: %+v", host, connected)
			}
			page.Reload()
			page.WaitFor(`window.holdfast`)
		}
		if n := fetched.Load(); n != 1 {
			t.Errorf("%s: the new wasm was fetched %d times", host, n)
		}
		page.Close()
	}
}

// TestStoryTestingGuide: the examples of docs/guide/testing.md that run, as they are written.
func TestStoryTestingGuide(t *testing.T) {
	t.Parallel()
	site := chrome.NewSite(t)
	for i, want := range []string{`[{"content":[{"type":"text","text":"rendered"}]}]`,
		`["a",{"content":[{"type":"text","text":"done"}]},1]`} {
		site.File("/app.js", bundledReact(t, example(t, "docs/guide/testing.md", "ts", i)))
		site.File("/app.html", `<!doctype html><link rel="icon" href="data:,">`+siteImports+`
			<script>window.show = (...given) => (window.shown = JSON.stringify(given));</script><script type="module" src="/app.js"></script>`)
		page := chrome.Open(t, site.URL+"/app.html")
		page.WaitFor(`window.shown`)
		if shown := chrome.Eval[string](page, `shown`); shown != want {
			t.Errorf("example %d shows %s, not %s", i+1, shown, want)
		}
		page.Close()
	}
}
