//go:build !js

package e2e

import (
	"flag"
	"log"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := chooseLong(); err != nil {
		log.Fatal(err)
	}
	chrome.Main(m, "web/dist/holdfast.wasm", "web/dist/holdfast-agents.wasm", "web/dist/holdfast.mjs", "web/dist/holdfast.js")
}
