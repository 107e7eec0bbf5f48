//go:build !js

package e2e

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// burstEvents is how many progress events one run of the benchmark streams.
const burstEvents = 20_000

// BenchmarkJournal streams 20,000 progress events of 200 bytes with ids to a
// page whose calls are kept in IndexedDB, and to one whose calls are not, in
// turn, and compares the two: events a second, main-thread time per event,
// commits and rows. Both see every event once.
func BenchmarkJournal(b *testing.B) {
	var burst strings.Builder
	for i := 1; i <= burstEvents; i++ {
		fmt.Fprintf(&burst,
			"id: s%d\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":$TOKEN,\"progress\":%d,\"message\":%q}}\n\n",
			i, i, strings.Repeat("x", 90))
	}
	p := peer.New(b, peer.Options{})
	p.Tool("burst", peer.Script{peer.Open(), peer.Raw(burst.String()), peer.Text("done")})
	page := chrome.Open(b, chrome.NewSite(b).Page("/app", strings.ReplaceAll(appScript+`
		const put = IDBObjectStore.prototype.add;
		window.rows = 0; window.transactions = 0;
		IDBObjectStore.prototype.add = function (...args) { if (this.name === "log") rows++; return put.apply(this, args); };
		const begin = IDBDatabase.prototype.transaction;
		IDBDatabase.prototype.transaction = function (stores, mode, ...rest) { if (mode === "readwrite") transactions++; return begin.call(this, stores, mode, ...rest); };
		window.burst = async (journal) => {
			const mcp = await holdfast.connect(URL_OF_PEER, { listen: false, journal, principal: String(Math.random()) });
			rows = transactions = 0;
			let longest = 0, seen = 0;
			const observer = new PerformanceObserver((list) => { for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration); });
			observer.observe({ entryTypes: ["longtask"] });
			const start = performance.now();
			const call = mcp.callTool("burst");
			for await (const event of call) if (event.type === "progress") seen++;
			await call.result;
			const ms = performance.now() - start;
			observer.disconnect();
			const got = { ms, seen, rows, transactions, longest };
			await mcp.forget();
			return got;
		};`, "URL_OF_PEER", chrome.JS(p.URL()))))
	page.WaitFor(`window.burst`)
	type run struct{ Ms, Seen, Rows, Transactions, Longest, CPU float64 }
	runs := map[bool][]run{}
	measure := func(journal bool) {
		before := chrome.TaskTime(page)
		got := chrome.Script[run](page, `return burst(`+chrome.JS(journal)+`)`)
		got.CPU = chrome.TaskTime(page) - before
		if got.Seen != burstEvents {
			b.Fatalf("%v events of %d", got.Seen, burstEvents)
		}
		runs[journal] = append(runs[journal], got)
	}
	measure(true) // the first of a page is slower than the rest
	measure(false)
	clear(runs)
	for b.Loop() {
		measure(true)
		measure(false)
	}
	median := func(journal bool, of func(run) float64) float64 {
		var all []float64
		for _, r := range runs[journal] {
			all = append(all, of(r))
		}
		sort.Float64s(all)
		return all[len(all)/2]
	}
	rate := func(r run) float64 { return burstEvents / r.Ms * 1000 }
	cpu := func(r run) float64 { return r.CPU / burstEvents * 1e6 }
	b.ReportMetric(median(true, rate), "events/s-kept")
	b.ReportMetric(median(false, rate), "events/s-plain")
	b.ReportMetric(median(true, cpu), "cpu-us/event-kept")
	b.ReportMetric(median(false, cpu), "cpu-us/event-plain")
	b.ReportMetric(median(true, func(r run) float64 { return r.Transactions }), "commits")
	b.ReportMetric(median(true, func(r run) float64 { return r.Rows }), "rows")
	b.ReportMetric(median(true, func(r run) float64 { return r.Longest }), "longest-ms-kept")
	b.ReportMetric(median(false, func(r run) float64 { return r.Longest }), "longest-ms-plain")
}
