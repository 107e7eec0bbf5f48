//go:build !js

package wires

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// all is what `make wires` asks for: `make test` tells the short row.
var all = flag.Bool("all", false, "tell every story, and not the short row alone")

// authority signs the certificates of this run.
var authority *Authority

func TestMain(m *testing.M) {
	var err error
	if authority, err = NewAuthority(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	chrome.Trust(authority.Certificate)
	chrome.Main(m, "web/dist/holdfast.wasm", "web/dist/holdfast.mjs", "web/dist/holdfast-worker.mjs")
}

// long leaves a story to `make wires`.
func long(t *testing.T) {
	t.Helper()
	if !*all {
		t.Skip("not of the short row: make wires")
	}
}
