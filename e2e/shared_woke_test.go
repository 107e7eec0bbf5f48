//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// sleepyWorker is a worker whose machine sleeps, as far as it can see: its wall clock is
// ahead by what it is told. It looks more often than others do, so that nobody waits.
const sleepyWorker = `
import "/holdfast-worker.mjs";
const { now } = Date, every = setInterval;
let slept = 0;
Date.now = () => now() + slept;
self.setInterval = (f, ms, ...args) => every(f, ms === 5_000 ? 100 : ms, ...args);
new BroadcastChannel("sleep").onmessage = ({ data }) => { slept += data; };
`

// TestFault213_SharedWoke: the machine sleeps while a worker has a stream, and the connection
// dies without a word. A worker has no document that would say so: it sees by its wall clock
// that it was asleep, and has the stream prove that it lives.
func TestFault213_SharedWoke(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20251125})
	p.Counting(nil)
	v := newVisits(t, p, `worker: "/sleepy.mjs"`)
	v.site.File("/sleepy.mjs", sleepyWorker)
	page := v.open()
	v.count(page, "a", 6, 3)
	page.WaitFor(`carried.a.guarantee === "resumable"`)
	p.CutStreams(peer.Stall)
	passes(p, "a", 4)
	chrome.Eval[chrome.Void](page, `void new BroadcastChannel("sleep").postMessage(8 * 3_600_000)`)
	if has := v.outcome(page, "a", "result"); !slices.Contains(has.Resumed, "continued") {
		t.Errorf("resumed %v", has.Resumed)
	}
	if runs := p.Oracle().Runs("a"); runs != 1 {
		t.Errorf("%d runs", runs)
	}
	blameless(t, p)
}
