//go:build !js

package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// heldBy returns how many bytes a page holds: JavaScript's heap, and what lies in its
// buffers, the memory of the wasm included.
func heldBy(page *chrome.Page) int {
	chrome.Call(page, heapprofiler.CollectGarbage, cdp.Empty{})
	usage := chrome.Call(page, runtime.GetHeapUsage, cdp.Empty{})
	return int(usage.UsedSize + usage.BackingStorageSize)
}

// TestFault140_UnreadInChrome: a server sends 150 MB of events to a page that asks
// for nothing but the result. The page holds what its limits allow, and little more;
// whoever reads the events after all is told which are missing: they were too many for
// the store, too.
func TestFault140_UnreadInChrome(t *testing.T) {
	long(t)
	t.Parallel()
	const limit, room = 16 << 20, 16 << 20
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), `{ limits: { backlogBytes: 16 << 20, stored: 8 << 20 } }`)
	chrome.Script[chrome.Void](page, `await mcp.listTools();`)
	before := heldBy(page)
	n := chrome.Script[int](page, `
		window.call = mcp.callTool("count", { n: 150, call: "a", bytes: 1 << 20 });
		return (await call.result).structuredContent.n;`)
	if n != 150 {
		t.Errorf("the result is %d", n)
	}
	grown := heldBy(page) - before
	t.Logf("%d bytes are held", grown)
	if grown > limit+room {
		t.Errorf("%d bytes are held beside the %d that may wait", grown-limit, limit)
	}
	told := chrome.Script[string](page, `
		let had = 0, last = 0, missing = 0, gaps = 0;
		for await (const event of call) {
			if (event.type === "gap") {
				if (event.from !== last + 1) return "a gap from " + event.from + " after " + last;
				last = event.to;
				missing += event.to - event.from + 1;
				gaps += event.events;
			}
			if (event.type !== "progress") continue;
			if (event.progress !== last + 1) return event.progress + " after " + last;
			last = event.progress;
			had++;
		}
		if (gaps !== mcp.counters.missingEvents) return gaps + " missing, and counted " + mcp.counters.missingEvents;
		return had > 3 && missing > 3 ? "all " + (had + missing) : had + " and " + missing;`)
	if told != "all 150" {
		t.Errorf("who reads them is told %q", told)
	}
	if grown := heldBy(page) - before; grown > room {
		t.Errorf("%d bytes are held when they are read", grown)
	}
}

// TestFault168_SlowReaderInChrome: a call that is kept brings more events than may wait
// for its reader, who comes late and is slow. They are read from the store: none is
// missing, none comes twice, in the page that made the call, in one that follows it, in
// the next page, and where all is sealed.
func TestFault168_SlowReaderInChrome(t *testing.T) {
	long(t)
	t.Parallel()
	const read = `
		let last = 0;
		for await (const event of call) {
			if (event.type === "gap" && event.to >= event.from) return "a gap from " + event.from + " to " + event.to;
			if (event.type !== "progress") continue;
			if (event.progress !== last + 1) return event.progress + " after " + last;
			last = event.progress;
			if (last % 50 === 0) await new Promise((later) => setTimeout(later, 5));
		}
		return "all " + last + ", " + (await call.result).structuredContent.n;`
	for name, options := range map[string]string{
		"kept":   `{ ack: "manual", limits: { backlogBytes: 1 << 20 } }`,
		"sealed": `{ ack: "manual", limits: { backlogBytes: 1 << 20 }, journal: { seal: "all" } }`,
		"few":    `{ ack: "manual", limits: { backlog: 20 } }`,
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			s := newTabs(t, p, options)
			owner, other := s.blank(), s.blank()
			for _, page := range []*chrome.Page{owner, other} {
				chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+
					`, `+options+`);`)
			}
			chrome.Script[chrome.Void](owner, `window.call = mcp.callTool("count", { n: 600, call: "a",`+
				` bytes: 20_000, retry_ms: 1 }); await call.result;`)
			other.WaitFor(`mcp.calls().then(([call]) => (window.call = call)?.settled)`)
			for who, page := range map[string]*chrome.Page{"owner": owner, "follower": other} {
				if got := chrome.Script[string](page, read); got != "all 600, 600" {
					t.Errorf("the %s gets %s", who, got)
				}
			}
			next := s.blank()
			chrome.Script[chrome.Void](next, `
				window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, `+options+`);
				[window.call] = await mcp.calls();`)
			if got := chrome.Script[string](next, read); got != "all 600, 600" {
				t.Errorf("the next page gets %s", got)
			}
		})
	}
}
