//go:build !js

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// sdkSite is an origin with the module and the official Go SDK server.
func sdkSite(t *testing.T) *chrome.Site {
	t.Helper()
	server := gosdk.New(gosdk.Options{})
	t.Cleanup(server.Close)
	site := chrome.NewSite(t)
	site.Handle("/mcp", server)
	return site
}

const addScript = `
	const mcp = await connect("/mcp");
	const { structuredContent } = await mcp.callTool("add", { a: 20, b: 22 }).result;
	await mcp.close();
	return structuredContent.sum;`

// TestStoryScriptTag: one script element gives a global, and finds the wasm
// beside its own script, wherever the page is.
func TestStoryScriptTag(t *testing.T) {
	t.Parallel()
	site := sdkSite(t)
	site.File("/deep/page.html",
		`<!doctype html><link rel="icon" href="data:,"><script src="../holdfast.js"></script>`)
	page := chrome.Open(t, site.URL+"/deep/page.html")
	if sum := chrome.Script[float64](page, `const { connect } = holdfast;`+addScript); sum != 42 {
		t.Errorf("sum %v", sum)
	}
	const want = "ElicitationRequest,HoldfastError,IDEMPOTENCY_KEY,PermissionRequest,connect,connectAgent,isA,oauth," +
		"oauthProgram,preload,preloadAgent,version,wipe"
	if names := chrome.Eval[string](page, `Object.keys(holdfast).sort().join()`); names != want {
		t.Errorf("the global has %s", names)
	}
}

func TestStoryESModule(t *testing.T) {
	t.Parallel()
	site := sdkSite(t)
	page := chrome.Open(t, site.URL+"/")
	if sum := chrome.Script[float64](page, `const { connect } = await import("/holdfast.mjs");`+
		addScript); sum != 42 {
		t.Errorf("sum %v", sum)
	}
	if left := chrome.Eval[string](page, `String(globalThis.__holdfast)`); left != "undefined" {
		t.Error("loading leaves a global behind")
	}
}

// TestStoryWasmSources: an app may say where the wasm is, or hand it over.
func TestStoryWasmSources(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"string":   `"/holdfast.wasm"`,
		"URL":      `new URL("/holdfast.wasm", location.href)`,
		"Response": `await fetch("/holdfast.wasm")`,
		"bytes":    `await (await fetch("/holdfast.wasm")).arrayBuffer()`,
		"module":   `await WebAssembly.compileStreaming(fetch("/holdfast.wasm"))`,
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			site := sdkSite(t)
			page := chrome.Open(t, site.URL+"/")
			sum := chrome.Script[float64](page, `
				const holdfast = await import("/holdfast.mjs");
				const wasm = `+source+`;
				const connect = (url) => holdfast.connect(url, { wasm });`+addScript)
			if sum != 42 {
				t.Errorf("sum %v", sum)
			}
		})
	}
}

// TestStoryWrongType: servers that do not know .wasm still work.
func TestStoryWrongType(t *testing.T) {
	t.Parallel()
	site := sdkSite(t)
	site.Header(func(path string, h http.Header) {
		if strings.HasSuffix(path, ".wasm") {
			h.Set("Content-Type", "application/octet-stream")
		}
	})
	page := chrome.Open(t, site.URL+"/")
	if sum := chrome.Script[float64](page, `const { connect } = await import("/holdfast.mjs");`+
		addScript); sum != 42 {
		t.Errorf("sum %v", sum)
	}
}

// TestStoryLoadedOnce: two connects at a time load one runtime; a failed load
// is forgotten, so that the next connect tries again.
func TestStoryLoadedOnce(t *testing.T) {
	t.Parallel()
	site := sdkSite(t)
	wasm, err := os.ReadFile(filepath.Join("..", "web", "dist", "holdfast.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	requests := 0
	site.Handle("/holdfast.wasm", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests == 1 {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/wasm")
		w.Write(wasm)
	}))
	page := chrome.Open(t, site.Page("/app", appScript))
	page.WaitFor(`window.holdfast`)
	first := chrome.Script[[]failure](page,
		`return Promise.all([1, 2].map(() => attempt(() => holdfast.connect("/mcp"))));`)
	for _, f := range first {
		if f.Code != "load_failed" || !f.Retryable || !strings.Contains(f.Message, "503") {
			t.Errorf("a failed load rejects with %+v", f)
		}
	}
	open := chrome.Script[[]string](page, `
		const both = await Promise.all([holdfast.connect("/mcp"), holdfast.connect("/mcp")]);
		return both.map((mcp) => mcp.state);`)
	if strings.Join(open, " ") != "open open" || requests != 2 {
		t.Errorf("states %v after %d requests", open, requests)
	}
}

// TestStoryContentSecurityPolicy: no eval, no inline; and an error that names
// the directive where WebAssembly is forbidden.
func TestStoryContentSecurityPolicy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ scriptSrc, code string }{
		"allowed":   {"'self' 'wasm-unsafe-eval'", ""},
		"forbidden": {"'self'", "load_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			site := sdkSite(t)
			site.Header(func(_ string, h http.Header) {
				h.Set("Content-Security-Policy",
					"default-src 'none'; img-src data:; connect-src *; script-src "+test.scriptSrc+
						"; require-trusted-types-for 'script'")
			})
			page := chrome.Open(t, site.Page("/app", `window.violations = [];
				addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective));`+appScript))
			page.WaitFor(`window.holdfast`)
			got := chrome.Script[failure](page,
				`return attempt(async () => (await holdfast.connect("/mcp")).close());`)
			if got.Code != test.code {
				t.Errorf("connect ended with %+v", got)
			}
			if test.code != "" && !strings.Contains(got.Message, "'wasm-unsafe-eval'") {
				t.Errorf("the message does not name the directive: %s", got.Message)
			}
			if v := chrome.Eval[[]string](page, `violations`); test.code == "" && len(v) > 0 {
				t.Errorf("violations %v", v)
			}
		})
	}
}
