//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault543_AbortedAnyMicrotaskLater: an app gives up its connect in whatever moment, as a
// component does that is gone as soon as it was there: it is cancelled, and leaves nothing.
func TestFault543_AbortedAnyMicrotaskLater(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, open string }{
		{"page", `holdfast.connect(url, { host: "page", signal })`},
		{"agent", `holdfast.connectAgent(url, { host: "page", signal })`},
	} {
		t.Run(c.name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{Revision: peer.Revision20251125})
			page := chrome.Open(t, chrome.NewSite(t).Page("/app", withAgents(appScript)))
			page.WaitFor(`window.holdfast`)
			odd := chrome.Script[[]string](page, `
				const url = `+chrome.JS(p.URL())+`;
				const open = (signal) => `+c.open+`;
				const odd = [];
				for (let k = 0; k < 60; k++) {
					const abort = new AbortController();
					const how = open(abort.signal).then(({ state }) => state, ({ code }) => code);
					for (let n = 0; n < k; n++) await undefined;
					abort.abort();
					const got = await how;
					if (got !== "cancelled") odd.push(k + ": " + got);
				}
				return odd;`)
			if len(odd) > 0 {
				t.Errorf("after so many microtasks: %q", odd)
			}
			page.WaitFor(
				`navigator.locks.query().then(({ held, pending }) => held.length + pending.length === 0)`)
		})
	}
}
