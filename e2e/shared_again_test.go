//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// nineOfAKey is a page of an app that makes the same request each time that it is loaded.
func nineOfAKey(host string) string {
	return `
		import { connect } from "/holdfast.mjs";
		window.mcp = await connect("/mcp", { host: ` + chrome.JS(host) + ` });
		window.make = () => mcp.callTool("count", { n: 9, delayMs: 20 }, { key: "nine" });
		window.numbers = async (events) => {
			const got = [];
			for await (const event of events) if (event.type === "progress") got.push(event.progress);
			return got.join(" ");
		};
		window.ready = true;`
}

// endedWhileAway opens a page whose call with a key has ended: the page before it, which had four of its
// events, was reloaded.
func endedWhileAway(t *testing.T, host string) *chrome.Page {
	t.Helper()
	page := chrome.OpenWindow(t, sdkSite(t).Page("/app", nineOfAKey(host)))
	page.WaitFor(`window.ready`)
	chrome.Script[chrome.Void](page,
		`for await (const event of make()) if (event.type === "progress" && event.progress === 4) break;`)
	page.Reload()
	page.WaitFor(`window.ready && (await mcp.calls())[0]?.settled`)
	return page
}

// TestFault430_SameRequestAfterItsEnd: a call with a key ends while its page is away or looks on, and the
// next page makes the same request. It gets that call, with all of its events and its result, in every host;
// and the tool runs once.
func TestFault430_SameRequestAfterItsEnd(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"shared", "page"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			page := endedWhileAway(t, host)
			const all = "1 2 3 4 5 6 7 8 9"
			got := chrome.Script[string](page, `const call = make(); return await numbers(call) + ": " + `+
				`(await call.result).content[0].text;`)
			if got != all+": Counted to 9." {
				t.Errorf("the same request has brought %q", got)
			}
		})
	}
}

// TestFault653_ResultBesideTheEvents: a call with a key ends while its page is away, and the next page makes
// the same request. It awaits the result beside a loop over the events, which the outcome that it has had
// takes from nobody.
func TestFault653_ResultBesideTheEvents(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"shared", "page"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			page := endedWhileAway(t, host)
			got := chrome.Script[string](page, `const call = make();
				const [all, result] = await Promise.all([numbers(call), call.result]);
				return all + ": " + result.content[0].text;`)
			if got != "1 2 3 4 5 6 7 8 9: Counted to 9." {
				t.Errorf("the same request has brought %q", got)
			}
			page.WaitFor(`(await mcp.calls()).length === 0`) // it is acknowledged all the same
		})
	}
}
