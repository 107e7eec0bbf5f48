//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault209_SharedFrozenFull: more comes for a frozen page than is kept for one. When it
// thaws its calls that are stored go on, the same ones; of the others each has its result, or
// an error that says why not.
func TestFault209_SharedFrozenFull(t *testing.T) {
	long(t)
	t.Parallel()
	const larges, size = 3, 12 << 20 // a browser has few connections for a server
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Counting(nil)
	p.Tool("large", peer.Script{peer.Open(), peer.Gate("large"), peer.Text(strings.Repeat("x", size))})
	v := newVisits(t, p, "")
	page, other := v.open(), v.open()
	v.count(page, "a", 6, 2)
	v.has(other, "a", 2)
	chrome.Eval[chrome.Void](page, `void (window.mine = carried.a, window.ends = [],
		Array.from({ length: `+chrome.JS(larges)+` }, () => mcp.callTool("large", {}, { journal: false }).result.then(
			({ content }) => ends.push(content[0].text.length === `+chrome.JS(size)+` ? "whole" : "cut"),
			({ code }) => ends.push(code))))`)
	eventually(t, "the large calls to be there", func() bool { return p.Ran("large") == larges })
	page.Freeze()
	p.Release("large")
	passes(p, "a", 5)
	v.ends(other, "a")
	page.Thaw()
	v.ends(page, "a")
	page.WaitFor(`ends.length === ` + chrome.JS(larges))
	if !chrome.Eval[bool](page,
		`mine.result.then(({ structuredContent }) => mine === carried.a && structuredContent.n === 6)`) {
		t.Error("the call is another one")
	}
	for _, end := range chrome.Eval[[]string](page, `ends`) {
		if end != "whole" && end != "limit_exceeded" {
			t.Errorf("a large call ended with %q", end)
		}
	}
	v.uncut("a")
	v.oneHandshake()
	blameless(t, p)
}
