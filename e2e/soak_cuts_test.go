//go:build !js

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestCuts cuts the streams of a page that lives, in every way and anywhere, and
// some of the reconnects too. What cannot be resumed is told to be unknown; of
// everything else nothing is lost, twice or out of order.
func TestCuts(t *testing.T) {
	t.Parallel()
	seed, _ := seeded(t)
	p := peer.New(t, peer.Options{})
	// Each cut is waited for: it has hit, and the page has found its way back.
	p.Counting(&peer.RandomCuts{Seed: seed, Chance: 0.5, Hold: true, Calm: 40 * time.Millisecond})
	p.OnResume(peer.ResumeFaults(seed, 0.05, 1<<30))
	page := chrome.Open(t, keeper(chrome.NewSite(t), p.URL(), ""))
	page.WaitFor(`window.ready`)
	book := newLedger(t, p)
	made := 0
	for round := 0; made < *cuts && !t.Failed(); round++ {
		var plan []counting
		for i := range min(16, max(4, *cuts/50)) { // each call is cut some fifteen times
			plan = append(plan, counting{Call: fmt.Sprintf("c%d.%d", round, i), N: 60, Bytes: 100, Retry: 10})
		}
		carry(page, plan)
		settleAll(page, book, plan)
		for _, call := range plan {
			made += p.Oracle().Connections(call.Call) - 1
		}
	}
	book.report("%d cuts", made)
	blameless(t, p)
}
