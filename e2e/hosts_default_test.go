//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryHostByDefault: an app that says nothing of hosts has the shared one. A reload in the
// middle of its call cuts nothing, and the call goes on.
func TestStoryHostByDefault(t *testing.T) {
	t.Parallel()
	overBothWires(t, func(t *testing.T, p *peer.Peer) {
		v := newVisits(t, p, `host: "auto"`)
		page := v.open()
		v.count(page, "a", 4, 2)
		page.Reload()
		v.has(page, "a", 2)
		if host := chrome.Eval[string](page, `mcp.host`); host != "shared" {
			t.Errorf("the host is %q", host)
		}
		passes(p, "a", 3)
		v.ends(page, "a")
		v.uncut("a")
		v.oneHandshake()
	})
}
