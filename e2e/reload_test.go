//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// reloaded reloads the page and connects again; it returns how many calls came
// back.
func reloaded(page *chrome.Page, url string) int {
	page.Reload()
	return connected(page, url, "{}")
}

// connected connects a page that has just been loaded, and watches the first
// call that came back. All of them are in window.calls.
func connected(page *chrome.Page, url, options string) int {
	page.WaitFor(`window.holdfast`)
	return chrome.Script[int](page, `window.mcp = await holdfast.connect(`+chrome.JS(url)+`, `+options+`);
		window.calls = await mcp.calls();
		if (calls.length > 0) watch(calls[0]);
		return calls.length;`)
}

// passes lets n of those who wait at the gate go through.
func passes(p *peer.Peer, gate string, n int) {
	for range n {
		p.Pass(gate)
	}
}

// counts calls the tool count, which waits at the gate "go" before each number,
// and lets it come to some.
func counts(p *peer.Peer, page *chrome.Page, n, come int, options string) {
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: `+chrome.JS(n)+
		`, call: "a", gate: "go", retry_ms: 10 }, `+options+`))`)
	passes(p, "go", come)
	page.WaitFor(`seen.progress.length === ` + chrome.JS(come))
}

// once checks that the server has run a call once, and never had it on two
// streams at a time.
func once(t *testing.T, p *peer.Peer, label string) {
	t.Helper()
	o := p.Oracle()
	if o.Runs(label) != 1 || o.MaxOpenStreams(label) > 1 {
		t.Errorf("%s ran %d times, with up to %d streams", label, o.Runs(label), o.MaxOpenStreams(label))
	}
}

// TestStoryReloadInTheMiddle is what Holdfast is for: a tool counts, the page is
// reloaded, and the next page has what the first one had and gets the rest.
func TestStoryReloadInTheMiddle(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), "")
	counts(p, page, 20, 8, `{ key: "k" }`)
	page.WaitFor(`call.guarantee === "resumable"`)
	if n := reloaded(page, p.URL()); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	passes(p, "go", 13)
	outcome(t, page, "")
	counted(t, page, 20)
	once(t, p, "a")
	if n := p.Oracle().Initializes(); n != 1 {
		t.Errorf("%d handshakes", n)
	}
	if key := chrome.Eval[string](page, `call.key`); key != "k" {
		t.Errorf("key %q", key)
	}
	page.WaitFor(`(await mcp.calls()).length === 0`)
	if n := reloaded(page, p.URL()); n != 0 {
		t.Errorf("an acknowledged call came back")
	}
}

// TestStoryReloadWithoutTheServer: the journal needs no network. The page has its
// calls while the server is away, and they go on when it is back.
func TestStoryReloadWithoutTheServer(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), `{ ack: "manual" }`)
	chrome.Script[chrome.Void](page, `await mcp.callTool("count", { n: 3, call: "finished" }).result;`)
	counts(p, page, 6, 3, "{}")
	page.WaitFor(`call.guarantee === "resumable"`)
	p.Down()
	if n := reloaded(page, p.URL()); n != 2 {
		t.Fatalf("%d calls came back", n)
	}
	first := chrome.Script[struct {
		Settled bool
		N       int
	}](page, `return { settled: calls[0].settled, n: (await calls[0].result).structuredContent.n };`)
	if !first.Settled || first.N != 3 {
		t.Errorf("the finished call: %+v", first)
	}
	chrome.Eval[chrome.Void](page, `void watch(calls[1])`)
	page.WaitFor(`seen.progress.length === 3 && !call.settled`)
	p.Up()
	passes(p, "go", 4)
	outcome(t, page, "")
	counted(t, page, 6)
	once(t, p, "a")
}

// TestFault41_ReplayFromTheStartAfterAReload: the server replays everything,
// whatever the cursor. What an earlier page had is known for what it is.
func TestFault41_ReplayFromTheStartAfterAReload(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	p.OnResume(func(int) peer.Fault { return peer.Fault{FromStart: true} })
	page := app(t, p.URL(), "")
	counts(p, page, 8, 3, "{}")
	for come := 3; come <= 5; come += 2 {
		page.WaitFor(`call.guarantee === "resumable"`)
		if n := reloaded(page, p.URL()); n != 1 {
			t.Fatalf("%d calls came back", n)
		}
		passes(p, "go", 2)
		page.WaitFor(`seen.progress.length >= ` + chrome.JS(come+2))
	}
	passes(p, "go", 2)
	outcome(t, page, "")
	counted(t, page, 8)
	if n := chrome.Eval[int](page, `mcp.counters.duplicateEvents`); n == 0 {
		t.Error("no duplicate was counted")
	}
	blameless(t, p)
}

// TestStoryKeys: a key names a call, whichever page made it, and no other.
func TestStoryKeys(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), "")
	counts(p, page, 4, 2, `{ key: "k" }`)
	page.WaitFor(`call.guarantee === "resumable"`)
	reloaded(page, p.URL())
	got := chrome.Script[struct {
		Same  bool
		Other string
	}](page, `
		const same = mcp.callTool("count", { n: 4, call: "a", gate: "go", retry_ms: 10 }, { key: "k" }) === calls[0];
		const other = await attempt(() => mcp.callTool("count", { n: 5, call: "a" }, { key: "k" }).result);
		return { same, other: other.code };`)
	if !got.Same || got.Other != "key_in_use" {
		t.Errorf("got %+v", got)
	}
	passes(p, "go", 3)
	outcome(t, page, "")
	counted(t, page, 4)
	once(t, p, "a")
}

// TestStoryGuarantee: what a reload would do is said before the call and after,
// and it is true.
func TestStoryGuarantee(t *testing.T) {
	t.Parallel()
	for revision, want := range map[string]struct{ ceiling, then, outcome string }{
		peer.Revision20251125: {"resumable", "resumable", ""},
		peer.Revision20260728: {"lost-on-reload", "lost-on-reload", "outcome_unknown"},
	} {
		t.Run(revision, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{Revision: revision})
			p.Counting(nil)
			// By hand, or a page that goes might acknowledge what it ends with.
			page := app(t, p.URL(), `{ ack: "manual" }`)
			type promise struct{ Floor, Ceiling string }
			if got := chrome.Eval[promise](page, `mcp.guarantees`); got != (promise{"lost-on-reload", want.ceiling}) {
				t.Errorf("before the call: %+v", got)
			}
			first := chrome.Eval[string](page,
				`watch(mcp.callTool("count", { n: 4, call: "a", gate: "go" })) && call.guarantee`)
			if first != "lost-on-reload" {
				t.Errorf("at first: %s", first)
			}
			passes(p, "go", 2)
			page.WaitFor(`seen.progress.length === 2 && call.guarantee === ` + chrome.JS(want.then))
			told := chrome.Eval[[]string](page,
				`seen.events.filter((e) => e.type === "guarantee").map((e) => e.guarantee)`)
			if rises := len(told); rises != 0 && want.then == "lost-on-reload" ||
				rises == 0 && want.then != "lost-on-reload" {
				t.Errorf("told %v", told)
			}
			reloaded(page, p.URL())
			passes(p, "go", 3)
			outcome(t, page, want.outcome)
			once(t, p, "a")
		})
	}
}
