//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault133_KeptUntilTheAppHasIt: with ack "auto" the store keeps an outcome
// that the app did not read, that it failed at, or that leaves open what the call
// did; and not one that it has had.
func TestFault133_KeptUntilTheAppHasIt(t *testing.T) {
	t.Parallel()
	const make, lose = `window.call = mcp.callTool("count", { n: 3, call: "a" });`,
		`window.call = mcp.callTool("sideeffect", { call: "a", lose: 1 });`
	for name, test := range map[string]struct {
		script string // until the next page comes
		code   string
		throws bool
		back   bool
	}{
		"a loop that ended": {script: make + `for await (const _ of call);`, back: true},
		"a result":          {script: make + `await call.result;`},
		"a result, and closed": {script: make +
			`await call.result; await mcp.close(); window.mcp = await holdfast.connect(SERVER);`},
		"a continuation that throws": {script: make +
			`(async () => { await call.result; throw new Error("cannot be saved"); })(); await call.result;`,
			throws: true, back: true},
		"unknown, and caught": {script: lose + `await call.result.catch(() => {});`, code: "outcome_unknown",
			back: true},
		"unknown, in a loop": {script: lose + `try { for await (const _ of call); } catch {}`,
			code: "outcome_unknown", back: true},
		"an error, in a loop": {script: `window.call = mcp.callTool("no such tool", { call: "a" });` +
			` try { for await (const _ of call); } catch {}`},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{NoReuse: true})
			p.Counting(nil)
			p.SideEffects()
			page := chrome.Open(t, chrome.NewSite(t).Page("/app",
				`window.SERVER = `+chrome.JS(p.URL())+`;`+appScript))
			if n := connected(page, p.URL(), "{}"); n != 0 {
				t.Fatalf("%d calls are there", n)
			}
			if test.throws {
				page.AllowExceptions("cannot be saved")
			}
			chrome.Eval[chrome.Void](page, `void (async () => {`+test.script+`; window.acted = true; })()`)
			page.WaitFor(`window.acted`)
			if !test.back {
				page.WaitFor(`(await mcp.stored()).calls === 0`)
			}
			// Long enough for what waits for tasks of the page's.
			chrome.Script[chrome.Void](page,
				`for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 0));`)
			page.Reload()
			n := connected(page, p.URL(), "{}")
			if n != map[bool]int{true: 1}[test.back] {
				t.Fatalf("%d calls come back", n)
			}
			if test.back {
				outcome(t, page, test.code)
			}
			if test.code != "" {
				run := chrome.Script[int](page, `return (await call.retry().result).structuredContent.run;`)
				if run != 2 {
					t.Errorf("run again, it was run %d", run)
				}
			}
		})
	}
}

// TestFault133_HiddenFollower: a page that nobody sees, and that asked for the
// result of another page's call long ago, does not acknowledge it for all.
func TestFault133_HiddenFollower(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, `{ ack: "auto" }`)
	owner, other := s.open(), s.open()
	// Headless, every page is visible.
	chrome.Eval[chrome.Void](other, `Object.defineProperty(document, "visibilityState",`+
		` { get: () => window.shown ? "visible" : "hidden", configurable: true }), void 0`)
	chrome.Eval[chrome.Void](owner,
		`(window.call = mcp.callTool("count", { call: "a", n: 2, gate: "a" }), void 0)`)
	other.WaitFor(`tracked.a?.call.followed`)
	s.pass("a", 3)
	s.counted(other, "a", 2)
	owner.WaitFor(`call.settled`)
	chrome.Script[chrome.Void](other,
		`for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 0));`)
	if n := chrome.Script[int](owner, `return (await mcp.stored()).calls;`); n != 1 {
		t.Fatalf("%d calls are stored", n)
	}
	third := s.open() // its app has it
	s.counted(third, "a", 2)
	for _, page := range []*chrome.Page{owner, other, third} {
		page.WaitFor(`mcp.calls().then((calls) => calls.length === 0)`)
	}
}
