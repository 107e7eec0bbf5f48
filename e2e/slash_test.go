//go:build !js

package e2e

import (
	"net/http"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// TestStoryTrailingSlash: a framework that redirects /mcp to /mcp/ is asked
// there, although redirects are not followed.
func TestStoryTrailingSlash(t *testing.T) {
	t.Parallel()
	server := gosdk.New(gosdk.Options{})
	t.Cleanup(server.Close)
	site := chrome.NewSite(t)
	site.Handle("/mcp/", server)
	site.Handle("/mcp", http.RedirectHandler("/mcp/", http.StatusTemporaryRedirect))
	page := appOn(t, site, "/mcp", "")
	if url := chrome.Eval[string](page, `mcp.url`); url != site.URL+"/mcp/" {
		t.Errorf("connected to %s", url)
	}
	chrome.Script[chrome.Void](page, `await mcp.ping();`)
}
