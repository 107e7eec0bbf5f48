//go:build !js

package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// keyScript makes a call under the name of its label at a time that tabs agree on.
const keyScript = tabScript + `
window.made = {};
window.makeAt = (at, label, ack, key = label) => {
	const make = () => {
		if (Date.now() < at) return void setTimeout(make, Math.max(at - Date.now() - 2, 0));
		const call = mcp.callTool("count", { call: label, n: 2, gate: key }, { key, ack });
		if (tracked[label]?.call !== call) track(call);
		made[label] = true;
	};
	make();
};
`

// TestFault124_PairsOfTabs: two tabs make the same call under the same key within
// 0 to 50 ms, twenty times. The server runs each once, and either tab has its
// progress and its result; acknowledged in one, the call is gone in both.
func TestFault124_PairsOfTabs(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	s.url = s.site.Page("/keys", keyScript)
	pages := []*chrome.Page{s.open(), s.open()}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 20 {
		label, ack := fmt.Sprintf("pair%d", i), []string{"manual", "auto"}[i%2]
		at := chrome.Eval[int64](pages[0], `Date.now() + 100`)
		late := []int{0, 0, 1, 2, 1 + rng.IntN(50)}[rng.IntN(5)]
		first := rng.IntN(2)
		for k, delay := range []int{0, late} {
			chrome.Eval[chrome.Void](pages[(first+k)%2],
				fmt.Sprintf(`makeAt(%d, %q, %q)`, at+int64(delay), label, ack))
		}
		for _, page := range pages {
			page.WaitFor(`made.` + label)
		}
		s.pass(label, 3)
		for _, page := range pages {
			s.counted(page, label, 2)
		}
		if runs := p.Oracle().Runs(label); runs != 1 {
			t.Errorf("%s: %d runs (%d ms apart)", label, runs, late)
		}
		// Of those that are acknowledged by themselves it is said once more.
		chrome.Eval[chrome.Void](pages[rng.IntN(2)], `void tracked.`+label+`.call.ack()`)
		for _, page := range pages {
			page.WaitFor(`mcp.calls().then((calls) => calls.length === 0)`)
		}
	}
	// Of two requests under a key one is refused, whichever came second.
	at := chrome.Eval[int64](pages[0], `Date.now() + 100`)
	for i, page := range pages {
		chrome.Eval[chrome.Void](page, fmt.Sprintf(`makeAt(%d, "other%d", "manual", "other")`, at, i))
	}
	for i, page := range pages {
		page.WaitFor(fmt.Sprintf(`made.other%d`, i))
	}
	s.pass("other", 3)
	codes := ""
	for _, page := range pages {
		page.WaitFor(`Object.values(tracked).every(({ done }) => done)`)
		codes += chrome.Eval[string](page, `Object.values(tracked).map(({ code }) => code).join("")`)
	}
	if ran := p.Oracle().Runs("other0") + p.Oracle().Runs("other1"); ran != 1 || codes != "key_in_use" {
		t.Errorf("two requests under one key: %d runs, and told %q", ran, codes)
	}
}

// TestFault124_ThreeThatLoad: three tabs load at once, as a browser does that opens
// again, and each makes the call that its app always makes: it runs once.
func TestFault124_ThreeThatLoad(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	s.url = s.site.Page("/keys", keyScript)
	for round := range 4 {
		label := fmt.Sprintf("load%d", round)
		pages := []*chrome.Page{s.blank(), s.blank(), s.blank()}
		at := chrome.Eval[int64](pages[0], `Date.now() + 200`)
		for _, page := range pages {
			chrome.Eval[chrome.Void](page, fmt.Sprintf(`void (async () => {
				while (Date.now() < %d) await new Promise((turn) => setTimeout(turn, 0));
				await begin(%q, %s);
				makeAt(0, %q, "manual");
			})()`, at, p.URL(), s.options, label))
		}
		for _, page := range pages {
			page.WaitFor(`made.` + label)
		}
		s.pass(label, 3)
		for _, page := range pages {
			s.counted(page, label, 2)
		}
		if runs := p.Oracle().Runs(label); runs != 1 {
			t.Errorf("%s: %d runs", label, runs)
		}
		chrome.Eval[chrome.Void](pages[2], `void tracked.`+label+`.call.ack()`)
		for _, page := range pages {
			page.WaitFor(`mcp.calls().then((calls) => calls.length === 0)`)
			shut(page, s.site)
		}
	}
}
