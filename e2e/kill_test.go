//go:build !js

package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestKills kills the whole browser, with no time for anything, at random moments
// in the streams of its page, and starts it again on the same profile.
func TestKills(t *testing.T) {
	t.Parallel()
	_, random := seeded(t)
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	url, profile := keeper(chrome.NewSite(t), p.URL(), ""), t.TempDir()
	book := newLedger(t, p)
	done := 0
	for round := 0; done < *kills && !t.Failed(); round++ {
		done += killRound(book, random, profile, url, round)
	}
	book.report("%d kills", done)
	blameless(t, p)
}

// TestFault51_KilledInAStream: the whole browser dies while a call runs, and its
// next start finds all that was stored.
func TestFault51_KilledInAStream(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	url, profile := keeper(chrome.NewSite(t), p.URL(), ""), t.TempDir()
	plan := []counting{{Call: "a", N: 8, Gate: "go"}}
	browser := startBrowser(t, profile, url)
	ask[chrome.Void](browser, `take(`+chrome.JS(plan)+`)`)
	passes(p, "go", 3)
	ask[bool](browser, until(`trails.a.marks.length === 3 && trails.a.guarantee === "resumable"`))
	browser.kill()
	p.Release("go")
	browser = startBrowser(t, profile, url)
	ask[bool](browser, until(`trails.a.outcome`))
	book := newLedger(t, p)
	book.call("a", ask[map[string]trail](browser, `trails`)["a"])
	if book.unknown > 0 {
		t.Error("the call is lost")
	}
	browser.kill()
}

// killRound makes calls that outlive a few browsers, and returns how many.
func killRound(book *ledger, random *rand.Rand, profile, url string, round int) int {
	const inARound = 6
	plan := []counting{{N: 400, Every: 20, Bytes: 100}, {N: 100, Every: 80}}
	for i := range plan {
		plan[i].Call = fmt.Sprintf("k%d.%d", round, i)
		plan[i].Retry = 10
	}
	browser := startBrowser(book.t, profile, url)
	ask[chrome.Void](browser, `take(`+chrome.JS(plan)+`)`)
	for range inARound {
		// Resumable by then: before that a call is of unknown fate.
		ask[bool](browser,
			until(
				`Object.values(trails).every(({ guarantee, outcome }) => guarantee === "resumable" ||`+
					` outcome)`))
		book.page(
			ask[map[string]trail](browser,
				fmt.Sprintf(`new Promise((resolve) => setTimeout(() => resolve(trails), %d))`,
					random.IntN(300))))
		browser.kill()
		browser = startBrowser(book.t, profile, url)
	}
	ask[bool](browser, until(`Object.values(trails).every(({ outcome }) => outcome)`))
	trails := ask[map[string]trail](browser, `trails`)
	for _, call := range plan {
		book.call(call.Call, trails[call.Call])
	}
	ask[chrome.Void](browser, forgetAll)
	ask[bool](browser, until(`mcp.stored().then(({ rows }) => rows === 0)`))
	browser.kill()
	return inARound + 1
}

// until is an expression that resolves once another one is truthy.
func until(predicate string) string {
	return `(async () => { while (!(await (` + predicate +
		`))) await new Promise((again) => setTimeout(again, 5)); return true; })()`
}
