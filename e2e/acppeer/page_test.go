//go:build !js

package acppeer_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

func TestMain(m *testing.M) { chrome.Main(m) }

// TestPagesAndCORS measures what Chrome makes of each way that a host may set
// CORS.
func TestPagesAndCORS(t *testing.T) {
	page := chrome.Open(t, chrome.NewSite(t).URL)
	for _, c := range []struct {
		name          string
		cors          acppeer.CORS
		omit, include string
	}{
		{"careful", acppeer.CORS{}, "connection-1", "failed"},
		{"none", acppeer.CORSNone, "failed", "failed"},
		{"any", acppeer.CORSAny, "connection-1", "failed"},
		{"rust", acppeer.CORSRust, "connection-1", "failed"},
		{"hidden", acppeer.CORSHidden, "hidden", "hidden"},
		{"credentials", acppeer.CORSCredentials, "connection-1", "connection-1"},
	} {
		for credentials, want := range map[string]string{"omit": c.omit, "include": c.include} {
			p := acppeer.New(t, acppeer.Options{CORS: c.cors})
			got := chrome.Script[string](page, `
				const answer = await fetch(`+chrome.JS(p.URL())+`, {
					method: "POST", credentials: `+chrome.JS(credentials)+`, headers: { "Content-Type": "application/json" },
					body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 2 } }),
				}).catch(() => null);
				return answer ? answer.headers.get("Acp-Connection-Id") ?? "hidden" : "failed";`)
			if got != want {
				t.Errorf("%s with credentials %s: %s, want %s", c.name, credentials, got, want)
			}
		}
	}
}
