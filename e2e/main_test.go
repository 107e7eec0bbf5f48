//go:build !js

package e2e

import (
	"flag"
	"log"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := chooseLong(); err != nil {
		log.Fatal(err)
	}
	if peer.OverHTTP2() {
		chrome.Trust(authority.Own().Certificate)
	}
	chrome.Main(m, "web/dist/holdfast.wasm", "web/dist/holdfast-agents.wasm",
		"web/dist/holdfast.mjs", "web/dist/holdfast-agent.mjs", "web/dist/holdfast.js")
}
