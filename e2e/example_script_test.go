//go:build !js

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// TestStoryScriptTagExample opens the page of web/examples/script-tag, and reloads it in the middle of its
// call.
func TestStoryScriptTagExample(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile(filepath.Join("..", "web", "examples", "script-tag", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	server := gosdk.New(gosdk.Options{})
	t.Cleanup(server.Close)
	counted := &executions{server: server}
	site := chrome.NewSite(t)
	site.Handle("/mcp", counted)
	site.File("/example.html", string(example))
	page := chrome.OpenWindow(t, site.URL+"/example.html")
	page.WaitFor(`document.querySelector("button").onclick`)
	page.Click("button")
	page.WaitFor(`document.querySelector("p").textContent >= 5`)
	page.Reload()
	page.WaitFor(`document.querySelector("p").textContent === "Counted to 40."`)
	counted.once(t)
}
