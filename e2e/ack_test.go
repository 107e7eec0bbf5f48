//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// ackScript is a page that is done with each event once ack() says that it is
// stored, and notes that. done.position is the last of those; done.again says of an
// event at or below it that comes again.
const ackScript = appScript + `
window.done = JSON.parse(localStorage.done ?? '{"position":0,"again":[],"loads":0}');
done.loads++;
const note = () => (localStorage.done = JSON.stringify(done));
window.process = async (call, each) => {
	for await (const event of call.events({ from: "acked" })) {
		if (event.type !== "progress") continue;
		if (event.position <= done.position) done.again.push(event.position);
		await call.ack(event.position);
		done.position = event.position;
		note();
		if (await each?.(event)) return;
	}
	done.over = (await call.result).structuredContent.n;
	note();
};
window.ready = true;
`

// TestFault132_AckedStaysAcked: a page is reloaded, or crashes, right after ack()
// has resolved, many times in one stream. No event at or below that comes again,
// and none above is missing.
func TestFault132_AckedStaysAcked(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	const last = 600
	loads := chrome.JS(lengthOf(t, 12, 40))
	// A few events after each load the page reloads itself, in the task in which it
	// heard of its last ack, or waits to be crashed.
	url := chrome.NewSite(t).Page("/app", ackScript+`
		window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { ack: "manual" });
		const [call] = await mcp.calls();
		let left = 3 + (done.loads % 5);
		process(call ?? mcp.callTool("count", { n: `+chrome.JS(last)+`, call: "a", every_ms: 4, bytes: 300, retry_ms: 1 }, { key: "a" }), () => {
			if (done.loads > `+loads+` || --left > 0) return false;
			if (done.loads % 4 > 0) location.reload();
			else window.crash = true;
			return true;
		});`)
	profile := chrome.NewProfile(t)
	page := profile.Open(url)
	for {
		page.WaitFor(`window.crash || window.done?.loads > ` + loads)
		if chrome.Eval[bool](page, `done.loads > `+loads) {
			break
		}
		page.Crash()
		page = profile.Open(url)
	}
	page.WaitFor(`done.over === ` + chrome.JS(last))
	if again := chrome.Eval[[]int](page, `done.again`); len(again) > 0 {
		t.Errorf("acknowledged, and come again: %v", again)
	}
	if position := chrome.Eval[int](page, `done.position`); position != last {
		t.Errorf("%d of %d events were processed", position, last)
	}
	once(t, p, "a")
}

// TestFault132_AckedAsThePageGoes: what is acknowledged behind a commit that is
// under way, and not waited for, is stored as the page goes; so is a call that the
// app is done with.
func TestFault132_AckedAsThePageGoes(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), `{ ack: "manual" }`)
	chrome.Script[chrome.Void](page,
		`window.ended = mcp.callTool("count", { n: 1, call: "b" }); await ended.result;`)
	counts(p, page, 6, 4, "{}")
	page.WaitFor(`call.guarantee === "resumable"`)
	rests(page, `"progress":4`)
	third := chrome.Eval[int](page, `seen.events.find((e) => e.progress === 3).position`)
	for round := range 10 {
		chrome.Eval[chrome.Void](page, `(() => {
			Object.defineProperty(IDBTransaction.prototype, "oncomplete", { set() {} }); // no commit ends any more
			mcp.callTool("count", { n: 1, call: "c" });
			call.ack(`+chrome.JS(third)+`);
			window.ended?.ack();
			location.reload();
		})()`)
		page.WaitFor(`window.holdfast && !window.mcp`)
		got := chrome.Script[struct {
			Labels []string
			Next   int
		}](page, `
			window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { ack: "manual" });
			window.calls = await mcp.calls();
			window.call = calls.find((call) => call.params.arguments.call === "a");
			const labels = calls.map((call) => call.params.arguments.call);
			for await (const e of call.events({ from: "acked" })) if (e.type === "progress") return { labels, next: e.progress };`)
		if got.Next != 4 {
			t.Fatalf("round %d: the next page goes on with %d", round, got.Next)
		}
		if slices.Contains(got.Labels, "b") {
			t.Fatalf("round %d: a call that the app was done with comes back", round)
		}
	}
	p.Release("go")
}

// TestFault132_FollowerAcks: a page that follows a call is done with some of its
// events. That is stored, whoever carries the call and whatever becomes of it.
func TestFault132_FollowerAcks(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	owner, other := s.open(), s.open()
	chrome.Eval[chrome.Void](owner, `void count("a", { n: 6, gate: "a" })`)
	other.WaitFor(`tracked.a?.call.followed`)
	s.pass("a", 4)
	has(other, "a", 4)
	other.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	// a transaction under way would hold up the other's while it is frozen; Chrome freezes no such page by
	// itself
	chrome.Script[chrome.Void](owner, `await mcp.stored();`)
	owner.Freeze()
	chrome.Script[chrome.Void](other, `await tracked.a.call.ack(tracked.a.positions[2]);`)
	owner.Thaw()
	owner.Crash()
	third := s.blank()
	chrome.Script[chrome.Void](third, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+
		`, { ack: "manual" });`)
	next := chrome.Script[int](third, `
		const [call] = await mcp.calls();
		for await (const e of call.events({ from: "acked" })) if (e.type === "progress") return e.progress;`)
	if next != 4 {
		t.Errorf("the next page goes on with %d", next)
	}
	s.pass("a", 3)
	s.counted(other, "a", 6)
}
