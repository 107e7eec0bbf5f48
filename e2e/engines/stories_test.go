//go:build !js

package engines

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// counting is a server whose tool count counts.
func (s *scene) counting(o peer.Options) *peer.Peer {
	s.Helper()
	p := peer.New(s.T, o)
	p.Counting(nil)
	return p
}

// loadModule imports the module, and calls a tool.
func loadModule(s *scene) {
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 2, 2)
	s.pass(p, 1)
	page.ends(p, "a", 2)
}

// scriptTag is a page without modules.
const scriptTag = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>script tag</title>
<script>` + witness + `</script><script src="/holdfast.js"></script>
<script>` + following + `begin(SERVER, { ack: "manual" });</script>`

// loadScript has the module from a script tag.
func loadScript(s *scene) {
	p := s.counting(peer.Options{})
	s.own().File("/tag", strings.Replace(scriptTag, "SERVER", chrome.JS(p.URL()), 1))
	page := s.open(s.own().URL + "/tag")
	page.waitFor(`window.ready`)
	page.counts(p, "a", 2, 2)
	s.pass(p, 1)
	page.ends(p, "a", 2)
}
