//go:build !js

package e2e

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/gate"
)

// exampleFile reads a file of web/examples.
func exampleFile(t *testing.T, path ...string) string {
	t.Helper()
	return read(t, filepath.Join(append([]string{"..", "web", "examples"}, path...)...))
}

// withBundle is an example's page with a bundle in the place of its script, and the module from the site.
func withBundle(t *testing.T, example, script, bundle string) string {
	t.Helper()
	text := exampleFile(t, example, "index.html")
	if !strings.Contains(text, script) {
		t.Fatalf("the page of %s has no %s", example, script)
	}
	return strings.Replace(strings.Replace(text, script, bundle, 1), "</title>", "</title>"+siteImports, 1)
}

// viewOfHarbour is a page with the official App's script, in one file as a server has it.
func viewOfHarbour(t *testing.T) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "view.js")
	run(t, "..", "go", "tool", "esbuild", "e2e/testdata/mcpapps/view.ts", "--bundle", "--format=esm",
		"--target=es2022", "--minify", "--log-level=warning", "--outfile="+script)
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	return `<!doctype html><meta charset="utf-8"><title>Ships</title><p></p><script type="module">` +
		strings.ReplaceAll(string(text), "</script", `<\/script`) + `</script>`
}

// harbour is a server of the official Go SDK with a tool that has a view, one that views may call, and one
// that they may not.
type harbour struct {
	http.Handler
	held gate.Gate
	ran  atomic.Int32 // the tool with the view
}

func newHarbour(t *testing.T) *harbour {
	t.Helper()
	const view = "ui://harbour/view.html"
	h := &harbour{}
	server := mcp.NewServer(&mcp.Implementation{Name: "harbour", Version: "1.0.0"}, nil)
	html := viewOfHarbour(t)
	server.AddResource(&mcp.Resource{URI: view, Name: "view", MIMEType: "text/html;profile=mcp-app"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{
				Contents: []*mcp.ResourceContents{
					{URI: view, MIMEType: "text/html;profile=mcp-app", Text: html}}}, nil
		})
	tool := func(name string, ui map[string]any, text string, wait func(context.Context) error) {
		mcp.AddTool(server, &mcp.Tool{Name: name, Meta: mcp.Meta{"ui": ui}},
			func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil,
					wait(ctx)
			})
	}
	tool("ships", map[string]any{"resourceUri": view}, "Two ships.", func(ctx context.Context) error {
		h.ran.Add(1)
		return h.held.Wait(ctx)
	})
	at := func(context.Context) error { return nil }
	tool("berth", map[string]any{"visibility": []string{"app"}}, "Berth 7 is free.", at)
	tool("model_only", map[string]any{"visibility": []string{"model"}}, "For models.", at)
	h.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)})
	return h
}

// TestStoryMCPAppsExample opens the host of web/examples/mcp-apps, with the official App in the view. The
// page is reloaded while the tool runs, and after it has ended: the view is there again each time, with the
// arguments and then the result.
func TestStoryMCPAppsExample(t *testing.T) {
	t.Parallel()
	server := newHarbour(t)
	server.held.Hold()
	site, sandbox := chrome.NewSite(t), chrome.NewSite(t)
	site.Handle("/mcp", server)
	const hears = `const shown = (window.shown = []);
		addEventListener("message", ({ data }) => data.method === "notifications/message" && shown.push(data.params.data));`
	site.File("/host.js", hears+bundledReact(t, "web/examples/mcp-apps/host.ts"))
	site.File("/host.html", withBundle(t, "mcp-apps", "./host.ts", "/host.js"))
	sandbox.File("/sandbox.html", exampleFile(t, "mcp-apps", "sandbox.html"))

	page := chrome.OpenWindow(t, site.URL+"/host.html?sandbox="+sandbox.URL+"/sandbox.html")
	shows := func(texts ...string) {
		t.Helper()
		page.WaitFor(`JSON.stringify(window.shown) === ` + chrome.JS(chrome.JS(texts)))
	}
	const asked, ships, berth, refused, reach = "Asked with {}.", "Two ships.", "Berth 7 is free.",
		"No view may call model_only.", "null reaches nothing."
	page.WaitFor(`document.querySelector("button")?.textContent === "ships"`)
	page.Click("button")
	shows(asked)
	page.Reload()
	shows(asked)
	server.held.Release()
	shows(asked, ships, berth, refused, reach)
	page.Reload()
	shows(asked, ships, berth, refused, reach)

	page.Click("article button")
	page.WaitFor(`document.querySelector("article") === null`)
	page.Reload()
	page.WaitFor(`document.querySelector("button")?.textContent === "ships"`)
	if n := chrome.Eval[int](page, `document.querySelectorAll("article").length`); n != 0 {
		t.Errorf("%d views are there that were closed", n)
	}
	if n := server.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times, want once", n)
	}
}
