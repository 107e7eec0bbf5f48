//go:build !js

package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// How long TestTabs goes on: `make sample` and `make soak` say more.
var tabEnds = flag.Int("tabends", 3, "tabs that TestTabs ends or freezes")

// TestTabs has four tabs carry counting calls, and closes, crashes, leaves and
// freezes them at random: each call is carried by one of them at a time, all of
// them see every number once and in order, and nothing runs again, nor twice where
// two tabs make it under one key. The server's log is the judge.
func TestTabs(t *testing.T) {
	t.Parallel()
	_, random := seeded(t)
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	chaos := &tabChaos{tabs: newTabs(t, p, ""), random: random, times: map[string][]int{}}
	chaos.profile.InWindows()
	for range 4 {
		chaos.pages = append(chaos.pages, chaos.open())
	}
	for round := 0; chaos.ends < *tabEnds && !t.Failed(); round++ {
		chaos.round(round)
	}
	chaos.report()
	if v := p.Violations(); len(v) > 0 {
		t.Errorf("violations: %v", v)
	}
	if n := p.Oracle().Initializes(); n != 1 {
		t.Errorf("%d initializes", n)
	}
}

type tabChaos struct {
	*tabs
	random *rand.Rand
	pages  []*chrome.Page
	asleep *chrome.Page // at most one
	ends   int
	calls  int
	times  map[string][]int // ms until another tab had a call, by what became of the one before
}

// round makes calls in all tabs, ends tabs until all calls have ended, and looks
// at what each tab has seen.
func (c *tabChaos) round(round int) {
	c.t.Helper()
	// As many as the tabs have connections for calls: one that waits for a connection
	// is "resumable" until it is sent, and may then be of unknown fate.
	const calls, numbers = 4, 60
	var labels []string
	for i := range calls {
		label := fmt.Sprintf("r%dc%d", round, i)
		labels = append(labels, label)
		// Half of them are made by two tabs at once, under a key: they run once as well.
		makers, key := []*chrome.Page{c.pages[i%len(c.pages)]}, ""
		if i%2 == 1 {
			makers, key = append(makers, c.pages[(i+1)%len(c.pages)]), label
		}
		every := 40 + c.random.IntN(60)
		for _, page := range makers {
			chrome.Eval[chrome.Void](page, fmt.Sprintf(`(() => {
				const call = mcp.callTool("count", { call: %q, n: %d, every_ms: %d, retry_ms: 0 }, %q ? { key: %[4]q } : {});
				if (tracked[%[1]q]?.call !== call) track(call);
			})()`, label, numbers, every, key))
		}
	}
	c.calls += calls
	// Sooner than that a call may be of unknown fate, too: not what this is about.
	for _, page := range c.pages {
		for _, label := range labels {
			page.WaitFor(`tracked.` + label + ` && (tracked.` + label + `.done || tracked.` + label +
				`.positions.length > 0 && tracked.` + label + `.call.guarantee === "resumable")`)
		}
	}
	all := `[` + strings.Join(quoteAll(labels), ",") + `].every((label) => tracked[label].done)`
	for !c.t.Failed() && !chrome.Eval[bool](c.witness(), all) {
		c.end(labels)
	}
	c.thaw()
	for _, label := range labels {
		for _, page := range c.pages {
			c.counted(page, label, numbers)
		}
		c.once(label)
	}
	chrome.Eval[chrome.Void](c.witness(), `Object.values(tracked).forEach(({ call }) => call.ack())`)
	for _, page := range c.pages {
		page.WaitFor(`mcp.calls().then((calls) => calls.length === 0)`)
		chrome.Eval[chrome.Void](page, `void (tracked = {})`)
	}
}

// witness is a tab that is awake.
func (c *tabChaos) witness() *chrome.Page {
	for _, page := range c.pages {
		if page != c.asleep {
			return page
		}
	}
	return nil
}

func (c *tabChaos) thaw() {
	if c.asleep != nil {
		c.asleep.Thaw()
		c.asleep = nil
	}
}

// end ends one tab in one way, and waits until the others have its calls.
func (c *tabChaos) end(labels []string) {
	c.t.Helper()
	if c.asleep != nil && c.random.IntN(2) == 0 {
		c.thaw()
		return
	}
	at := c.random.IntN(len(c.pages))
	page := c.pages[at]
	if page == c.asleep {
		return
	}
	how := tabEndings[c.random.IntN(len(tabEndings))]
	if how.name == "frozen" && c.asleep != nil {
		return
	}
	carried := chrome.Eval[[]string](page, `Object.entries(tracked).filter(([, { call,`+
		` done }]) => !done && !call.followed).map(([label]) => label)`)
	began := time.Now()
	how.end(c.tabs, page)
	c.ends++
	if how.name == "frozen" {
		c.asleep = page
	} else {
		c.pages = slices.Delete(c.pages, at, at+1)
	}
	for _, label := range carried {
		c.taken(how.name, label, began)
	}
	if how.name == "navigated" {
		page.Close()
	}
	if how.name != "frozen" {
		fresh := c.open()
		for _, label := range labels {
			fresh.WaitFor(`tracked.` + label)
		}
		c.pages = append(c.pages, fresh)
	}
}

// taken waits until a tab that is awake carries a call, or it has ended.
func (c *tabChaos) taken(how, label string, began time.Time) {
	c.t.Helper()
	eventually(c.t, "a new owner of "+label, func() bool {
		for _, page := range c.pages {
			if page == c.asleep {
				continue
			}
			at := chrome.Eval[float64](page,
				fmt.Sprintf(
					`(({ done, call, ownedAt }) => (done ? -1 : call.followed ? 0 : ownedAt))(tracked[%q])`,
					label))
			if at > 0 {
				c.times[how] = append(c.times[how], max(int(int64(at)-began.UnixMilli()), 0))
			}
			if at != 0 {
				return true
			}
		}
		return false
	})
}

func (c *tabChaos) report() {
	c.t.Helper()
	var all []int
	for _, ending := range tabEndings {
		times := c.times[ending.name]
		slices.Sort(times)
		all = append(all, times...)
		if n := len(times); n > 0 {
			c.t.Logf("%-9s %3d calls taken over: p50 %d ms, p95 %d ms, max %d ms", ending.name, n, times[n/2],
				times[n*95/100], times[n-1])
		}
	}
	slices.Sort(all)
	if n := len(all); n > 0 {
		c.t.Logf("%d taken over: p50 %d ms, p95 %d ms, max %d ms", n, all[n/2], all[n*95/100], all[n-1])
	}
	// counted and once have failed the test where a number was lost or told twice.
	c.t.Logf("%d tabs ended, %d calls; %s", c.ends, c.calls, executed(c.p))
}

func quoteAll(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, chrome.JS(text))
	}
	return all
}
