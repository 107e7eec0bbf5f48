//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault81_ConnectionsOfAllTabs: twenty calls stream at once in two tabs over
// HTTP/1.1, for which the browser has six connections. They take turns on three;
// another request waits for none of them, and nothing of the calls is lost.
func TestFault81_ConnectionsOfAllTabs(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	one, two := s.open(), s.open()
	pages := []*chrome.Page{one, two}
	const calls, numbers = 20, 40
	for i, page := range pages {
		chrome.Eval[chrome.Void](page, fmt.Sprintf(
			`(() => { for (let i = 0; i < %d; i++) count("c" + (i * 2 + %d), { n: %d, gate: "go",`+
				` retry_ms: 0 }); })()`, calls/2, i, numbers))
	}
	eventually(t, "all calls at the server", func() bool { return len(p.Oracle().Labels()) == calls })
	var took []int
	most := 0
	for range 20 {
		// Half of what all of them need: most calls cannot end meanwhile.
		passes(p, "go", calls)
		for _, page := range pages {
			took = append(took, chrome.Script[int](page, `const began = performance.now();`+
				` await mcp.request("tools/list").result; return Math.round(performance.now() - began);`))
			open := p.OpenStreams()
			if most = max(most, open); open > 4 {
				// One that the server has not missed yet, or one too many.
				eventually(t, "four streams", func() bool { return p.OpenStreams() <= 4 })
			}
		}
	}
	p.Release("go")
	for i := range calls {
		label := fmt.Sprintf("c%d", i)
		for _, page := range pages {
			s.counted(page, label, numbers)
		}
		s.once(label)
	}
	slices.Sort(took)
	t.Logf("with %d calls in two tabs a request took %d ms in the middle, %d at most; %d streams at a time",
		calls, took[len(took)/2], took[len(took)-1], most)
}

// TestTabsShortOfConnections: calls that cannot be resumed keep their
// connections, the others wait; none is sent twice, and cancelling a call that
// waits sends nothing at all.
func TestTabsShortOfConnections(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{NoEventIDs: true})
	p.Counting(nil)
	s := newTabs(t, p, "")
	page := s.open()
	chrome.Eval[chrome.Void](page,
		`(() => { for (let i = 0; i < 5; i++) count("c" + i, { n: 2, gate: "g" + i }); })()`)
	o := p.Oracle()
	eventually(t, "three calls", func() bool { return len(o.Labels()) == 3 })
	chrome.Eval[chrome.Void](page, `tracked.c4.call.cancel()`)
	page.WaitFor(`tracked.c4.code === "cancelled"`)
	chrome.Script[chrome.Void](page, `await mcp.request("tools/list").result;`)
	if got := o.Labels(); len(got) != 3 {
		t.Errorf("the server has heard of %v", got)
	}
	for i := range 4 {
		p.Release(fmt.Sprintf("g%d", i))
	}
	for i := range 4 {
		label := fmt.Sprintf("c%d", i)
		s.counted(page, label, 2)
		s.once(label)
	}
	if o.Runs("c4") != 0 {
		t.Error("the cancelled call ran")
	}
}
