//go:build !js

package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// fetched are the chunks that the page has asked for.
const fetched = `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => name.includes("diagnosis"))`

// diagnosisChunk is the path of the chunk that looks for the cause of a failure.
func diagnosisChunk(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "web", "dist", "holdfast-diagnosis-*.mjs"))
	if err != nil || len(found) != 1 {
		t.Fatalf("web/dist has the chunks %v, %v: run make build", found, err)
	}
	return "/" + filepath.Base(found[0])
}

// TestStoryChunks: a page whose connection works fetches no chunk; one that fails
// does, and where the chunk is not to be had the error comes without its hint.
func TestStoryChunks(t *testing.T) {
	t.Parallel()
	fail := `return attempt(() => holdfast.connect("/nothing"));`
	t.Run("works", func(t *testing.T) {
		page := chrome.Open(t, sdkSite(t).URL+"/")
		if sum := chrome.Script[float64](page, `const { connect } = await import("/holdfast.mjs");`+addScript); sum != 42 {
			t.Errorf("sum %v", sum)
		}
		if got := chrome.Eval[[]string](page, fetched); len(got) > 0 {
			t.Errorf("fetched %v", got)
		}
	})
	t.Run("fails", func(t *testing.T) {
		site := sdkSite(t)
		page := chrome.Open(t, site.Page("/app", appScript))
		page.WaitFor(`window.holdfast`)
		if got := chrome.Script[failure](page, fail); got.Code != "http_error" || !strings.Contains(got.Hint, "There is no MCP endpoint") {
			t.Errorf("connect ended with %+v", got)
		}
		if got := chrome.Eval[[]string](page, fetched); len(got) != 1 || got[0] != site.URL+diagnosisChunk(t) {
			t.Errorf("fetched %v", got)
		}
	})
	t.Run("gone", func(t *testing.T) {
		site := sdkSite(t)
		site.Handle(diagnosisChunk(t), http.NotFoundHandler())
		page := chrome.Open(t, site.Page("/app", appScript))
		page.WaitFor(`window.holdfast`)
		if got := chrome.Script[failure](page, fail); got.Code != "http_error" || got.Hint != "" {
			t.Errorf("connect ended with %+v", got)
		}
		if sum := chrome.Script[float64](page, `const { connect } = holdfast;`+addScript); sum != 42 {
			t.Errorf("the next connection: sum %v", sum)
		}
	})
	t.Run("script tag", func(t *testing.T) {
		site := sdkSite(t)
		site.Handle(diagnosisChunk(t), http.NotFoundHandler())
		site.File("/page.html", `<!doctype html><link rel="icon" href="data:,"><script src="holdfast.js"></script>`)
		page := chrome.Open(t, site.URL+"/page.html")
		if hint := chrome.Script[string](page, `return holdfast.connect("/nothing").catch((error) => error.hint);`); !strings.Contains(hint, "There is no MCP endpoint") {
			t.Errorf("hint %q", hint)
		}
	})
}

// TestStoryBundled: an app's bundler takes the package as it is, with code
// splitting and without; the wasm is what it has to lay beside the bundle.
func TestStoryBundled(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"in one file": nil,
		"in chunks":   {"--splitting"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			app := filepath.Join(folder, "app.ts")
			if err := os.WriteFile(app, []byte(`export { connect } from "holdfast";`), 0o644); err != nil {
				t.Fatal(err)
			}
			dist, err := filepath.Abs(filepath.Join("..", "web", "dist"))
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(folder, "out")
			build := exec.Command("go", append([]string{"tool", "esbuild", app, "--bundle", "--minify", "--format=esm",
				"--log-level=warning", "--alias:holdfast=" + filepath.Join(dist, "holdfast.mjs"), "--outdir=" + out}, flags...)...)
			if text, err := build.CombinedOutput(); err != nil || len(text) > 0 {
				t.Fatalf("esbuild: %v\n%s", err, text)
			}
			site := sdkSite(t)
			files, err := filepath.Glob(filepath.Join(out, "*.js"))
			if err != nil {
				t.Fatal(err)
			}
			if split := len(flags) > 0; split != (len(files) > 1) {
				t.Errorf("the bundle is in %d files", len(files))
			}
			for _, file := range append(files, filepath.Join(dist, "holdfast.wasm")) {
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				site.File("/assets/"+filepath.Base(file), string(content))
			}
			page := chrome.Open(t, site.URL+"/")
			if sum := chrome.Script[float64](page, `const { connect } = await import("/assets/app.js");`+addScript); sum != 42 {
				t.Errorf("sum %v", sum)
			}
			hint := chrome.Script[string](page, `
				const { connect } = await import("/assets/app.js");
				return connect("/nothing").catch((error) => error.hint);`)
			if !strings.Contains(hint, "There is no MCP endpoint") {
				t.Errorf("hint %q", hint)
			}
		})
	}
}
