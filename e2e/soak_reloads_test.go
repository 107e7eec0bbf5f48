//go:build !js

package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// How long the random tests go on: `make sample` and `make soak` say more.
var (
	reloads = flag.Int("reloads", 4, "reloads of TestReloads")
	cuts    = flag.Int("cuts", 40, "cuts of TestCuts")
	kills   = flag.Int("kills", 2, "kills of TestKills")
)

// TestReloads reloads a page at random moments, while it connects, takes up its
// calls and carries them: nothing is lost, nothing comes twice, nothing in
// another order, and nothing runs again. The server's log is the judge.
func TestReloads(t *testing.T) {
	t.Parallel()
	for name, traits := range map[string][]peer.Trait{
		"event ids": nil,
		// A server that forgets what was confirmed gives no second chance.
		"resume policies": {peer.Resumable(peer.ResumePolicy{MaxWait: 600, Keeps: peer.Unconfirmed})},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			_, random := seeded(t)
			p := peer.New(t, peer.Options{})
			p.Counting(nil, traits...)
			page := chrome.Open(t, keeper(chrome.NewSite(t), p.URL(), ""))
			page.WaitFor(`window.ready`)
			book := newLedger(t, p)
			done := 0
			for round := 0; done < *reloads/2 && !t.Failed(); round++ {
				done += reloadRound(page, book, random, round)
			}
			book.report("%d reloads", done)
			blameless(t, p)
		})
	}
}

// reloadRound makes a few calls, reloads until all have ended, and then looks at
// what the journal has of them. It returns how often it reloaded.
func reloadRound(page *chrome.Page, book *ledger, random *rand.Rand, round int) int {
	plan := []counting{
		{N: 250, Every: 10, Bytes: 200},
		{N: 50, Every: 50},
		{N: 400, Bytes: 50}, // all at once
	}
	for i := range plan {
		plan[i].Call = fmt.Sprintf("r%d.%d", round, i)
		plan[i].Retry = 10
	}
	carry(page, plan)
	// Sooner than that a call is lost or of unknown fate, and told to be: one
	// round of four is about that.
	if random.IntN(4) > 0 {
		page.WaitFor(
			`Object.values(trails).every(({ guarantee, outcome }) => guarantee === "resumable" || outcome)`)
	}
	reloads := 0
	for ended := false; !ended; reloads++ {
		// Half of them early, when the page has only begun.
		wait := random.IntN(40)
		if random.IntN(2) == 0 {
			wait = random.IntN(250)
		}
		// A machine on which a page takes longer than that to come so far would reload it for ever.
		wait += 10 * max(0, reloads-20)
		trails := chrome.Eval[map[string]trail](page,
			fmt.Sprintf(`new Promise((resolve) => setTimeout(() => resolve(trails), %d))`, wait))
		book.page(trails)
		ended = len(trails) == len(plan)
		for _, trail := range trails {
			ended = ended && trail.Outcome != ""
		}
		page.Reload()
	}
	settleAll(page, book, plan)
	return reloads
}
