//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault801_SharedKilledUnderAnAwait: the worker dies under a page that awaits the result of a
// kept call, and reads its events. The next worker has the call, which is the same object: it is
// resumed, and goes on to its result. No other object is told for it. Where the server cannot
// resume it, it ends with the word for that.
func TestFault801_SharedKilledUnderAnAwait(t *testing.T) {
	t.Parallel()
	for revision, want := range map[string]string{
		peer.Revision20251125: "result",
		peer.Revision20260728: "outcome_unknown",
	} {
		t.Run(revision, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{Revision: revision})
			p.Counting(nil)
			v := newVisits(t, p, "")
			page := v.open()
			chrome.Eval[chrome.Void](page,
				`void (window.told = [], mcp.on("restored", ({ call }) => told.push(call)))`)
			v.count(page, "a", 6, 3)
			if want == "result" {
				page.WaitFor(`carried.a.guarantee === "resumable"`)
			}
			chrome.Eval[chrome.Void](page, `void (window.awaited = "", carried.a.result.then(() => "result", ({ code }) => code)
				.then((how) => { awaited = how; }))`)
			v.worker().Kill()
			if want != "result" {
				eventually(t, "the stream to be closed", func() bool { return p.Cancelled("count") == 1 })
			}
			passes(p, "a", 4)
			page.WaitFor(`awaited`)
			if got := chrome.Eval[string](page, `awaited`); got != want {
				t.Errorf("the await came to %q, want %q", got, want)
			}
			has := v.outcome(page, "a", want)
			if want == "result" && (len(has.Marks) != 6 || len(has.Resumed) != 1) {
				t.Errorf("the object had %v, and was resumed by %v", has.Marks, has.Resumed)
			}
			page.WaitFor(`mcp.state === "open"`)
			if n := chrome.Eval[int](page,
				`new Promise((turn) => setTimeout(turn, 0)).then(() => told.length)`); n != 0 {
				t.Errorf("%d further objects were told", n)
			}
			if !chrome.Eval[bool](page, `mcp.calls().then(([call]) => call === carried.a)`) {
				t.Error("calls() has another object")
			}
			if runs := p.Oracle().Runs("a"); runs != 1 {
				t.Errorf("%d runs", runs)
			}
			blameless(t, p)
		})
	}
}
