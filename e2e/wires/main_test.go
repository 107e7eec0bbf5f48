//go:build !js

package wires

import (
	"flag"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
)

// all is what `make wires` asks for: `make test` tells the short row.
var all = flag.Bool("all", false, "tell every story, and not the short row alone")

func TestMain(m *testing.M) {
	chrome.Trust(authority.Own().Certificate)
	chrome.Main(m, "web/dist/holdfast.wasm", "web/dist/holdfast.mjs", "web/dist/holdfast-worker.mjs")
}

// long leaves a story to `make wires`.
func long(t *testing.T) {
	t.Helper()
	if !*all {
		t.Skip("not of the short row: make wires")
	}
}
