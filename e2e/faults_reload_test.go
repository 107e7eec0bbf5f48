//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault52_ReloadAtEveryPoint reloads a page at each point at which it, or the
// server, waits for the other. From the first event id on the call goes on;
// before that it is of unknown fate, and told to be. It never runs twice.
func TestFault52_ReloadAtEveryPoint(t *testing.T) {
	t.Parallel()
	const call = `void watch(mcp.callTool("count", { n: 4, call: "a", gate: "go", retry_ms: 500 }))`
	patient := strings.Replace(call, "500", "30000", 1) // it is cut for as long as anybody looks
	at := func(page *chrome.Page, script string) { chrome.Eval[chrome.Void](page, script) }
	for name, point := range map[string]struct {
		until   func(p *peer.Peer, page *chrome.Page)
		release string // a gate at which requests were held
		code    string
	}{
		"the POST is out": {func(p *peer.Peer, page *chrome.Page) {
			p.Delay("tools/call", "hold")
			at(page, call)
			p.Waiting("hold")
		}, "hold", "outcome_unknown"},
		"the server has primed the stream": {func(p *peer.Peer, page *chrome.Page) {
			at(page, call)
			page.WaitFor(`call.guarantee === "resumable"`)
		}, "", ""},
		"events came": {func(p *peer.Peer, page *chrome.Page) {
			at(page, call)
			passes(p, "go", 2)
			page.WaitFor(`seen.progress.length === 2 && call.guarantee === "resumable"`)
		}, "", ""},
		"the stream is cut": {func(p *peer.Peer, page *chrome.Page) {
			at(page, patient)
			passes(p, "go", 1)
			page.WaitFor(`seen.progress.length === 1 && call.guarantee === "resumable"`)
			p.CutStreams(peer.Clean)
			page.WaitFor(`seen.status.at(-1) === "cut"`)
		}, "", ""},
		"it resumes": {func(p *peer.Peer, page *chrome.Page) {
			at(page, call)
			passes(p, "go", 1)
			page.WaitFor(`seen.progress.length === 1 && call.guarantee === "resumable"`)
			p.Delay("RESUME", "hold")
			p.CutStreams(peer.FIN)
			p.Waiting("hold")
		}, "hold", ""},
		"it has resumed": {func(p *peer.Peer, page *chrome.Page) {
			at(page, call)
			passes(p, "go", 1)
			page.WaitFor(`seen.progress.length === 1 && call.guarantee === "resumable"`)
			p.CutStreams(peer.FIN)
			page.WaitFor(`seen.resumed === 1`)
			passes(p, "go", 1)
			page.WaitFor(`seen.progress.length === 2`)
		}, "", ""},
		"the result came, and nobody has it": {func(p *peer.Peer, page *chrome.Page) {
			chrome.Eval[chrome.Void](page, `window.call = mcp.callTool("count", { n: 4, call: "a" }), void 0`)
			page.WaitFor(`call.settled`)
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			page := app(t, p.URL(), "")
			point.until(p, page)
			page.Reload()
			if point.release != "" {
				p.Release(point.release)
			}
			if n := connected(page, p.URL(), "{}"); n != 1 {
				t.Fatalf("%d calls came back", n)
			}
			p.Release("go")
			outcome(t, page, point.code)
			if runs := p.Oracle().Runs("a"); runs > 1 {
				t.Errorf("ran %d times", runs)
			}
			if point.code == "" {
				counted(t, page, 4)
				once(t, p, "a")
			}
			if point.code != "" {
				chrome.Eval[chrome.Void](page, `call.abandon()`) // kept until somebody decides
			}
			page.WaitFor(`(await mcp.calls()).length === 0`)
			blameless(t, p)
		})
	}
}

// TestFault52_ReloadWhileConnecting: a page that goes in the middle of the
// handshake leaves nothing behind that the next one would trip over.
func TestFault52_ReloadWhileConnecting(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"server/discover", "initialize", "notifications/initialized"} {
		t.Run(method, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Delay(method, "hold")
			page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
			page.WaitFor(`window.holdfast`)
			chrome.Eval[chrome.Void](page, `void holdfast.connect(`+chrome.JS(p.URL())+`)`)
			p.Waiting("hold")
			page.Reload()
			p.Release("hold")
			if n := connected(page, p.URL(), "{}"); n != 0 {
				t.Errorf("%d calls came back", n)
			}
			if sum := chrome.Script[float64](page,
				`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`); sum !=
				3 {
				t.Errorf("sum %v", sum)
			}
		})
	}
}

// TestFault53_BetweenCommitAndAck: an outcome that no page was given is there for
// the next one, and one that was given is not, unless the app wants to say so
// itself.
func TestFault53_BetweenCommitAndAck(t *testing.T) {
	t.Parallel()
	const get = `await mcp.callTool("count", { n: 3, call: "a" }).result;`
	for name, test := range map[string]struct {
		options, make string
		back          int
	}{
		"handed over":         {"{}", get, 0},
		"handed over, manual": {`{ ack: "manual" }`, get, 1},
		"handed over, acked": {`{ ack: "manual" }`,
			`const call = mcp.callTool("count", { n: 3, call: "a" }); await call.result; call.ack();`, 0},
		"nobody has asked for it": {"{}", `const call = mcp.callTool("count", { n: 3, call: "a" });` +
			` while (!call.settled) await new Promise((r) => setTimeout(r, 1));`, 1},
		"manual for this call alone": {"{}",
			`await mcp.callTool("count", { n: 3, call: "a" }, { ack: "manual" }).result;`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			page := app(t, p.URL(), test.options)
			chrome.Script[chrome.Void](page, test.make)
			if test.back == 0 {
				page.WaitFor(`(await mcp.stored()).calls === 0`)
			}
			page.Reload()
			if n := connected(page, p.URL(), test.options); n != test.back {
				t.Fatalf("%d calls came back", n)
			}
			if test.back > 0 {
				outcome(t, page, "")
				counted(t, page, 3)
				chrome.Eval[chrome.Void](page, `call.ack()`)
				page.WaitFor(`(await mcp.stored()).calls === 0`)
				if n := reloaded(page, p.URL()); n != 0 {
					t.Errorf("an acknowledged call came back")
				}
			}
			once(t, p, "a")
		})
	}
}

// TestFault53_AckedEvents: an app that processes each event once says how far it
// has come, and the next page goes on behind that.
func TestFault53_AckedEvents(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), `{ ack: "manual" }`)
	counts(p, page, 6, 4, "{}")
	page.WaitFor(`call.guarantee === "resumable"`)
	chrome.Eval[chrome.Void](page, `call.ack(seen.events.findLast((e) => e.progress === 3).position)`)
	// What is committed after an ack has it, too.
	passes(p, "go", 1)
	page.WaitFor(`seen.progress.length === 5`)
	rests(page, `"progress":5`)
	page.Reload()
	page.WaitFor(`window.holdfast`)
	p.Release("go")
	got := chrome.Script[[]int](page, `
		window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { ack: "manual" });
		const [call] = await mcp.calls();
		const list = [];
		for await (const e of call.events({ from: "acked" })) if (e.type === "progress") list.push(e.progress);
		await call.result;
		return list;`)
	if !slices.Equal(got, []int{4, 5, 6}) {
		t.Errorf("from acked: %v", got)
	}
	once(t, p, "a")
}
