//go:build !js

package wires

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault445_WindowWithheld: the server gives no window for the body of a request, so that its head comes
// and nothing else. Where the window comes late the tool runs once; where the app's limit comes first the
// call ends, the browser takes the request back, and the tool never runs.
func TestFault445_WindowWithheld(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	page := w.open(`listen: false`)
	w.proxy.Withhold(true)
	chrome.Eval[chrome.Void](page,
		`call("sideeffect", "late", {}); call("sideeffect", "never", {}, { timeouts: { answer: 200 } })`)
	page.WaitFor(`tracked.never.done`)
	if code := chrome.Eval[string](page, `tracked.never.code`); code != "timeout" {
		t.Errorf("a call whose request cannot leave ends with %q", code)
	}
	if n := len(w.p.Of("tools/call")); n != 0 {
		t.Errorf("the server has %d requests", n)
	}
	w.proxy.Withhold(false)
	page.WaitFor(`tracked.late.done`)
	if code, run := chrome.Eval[string](page, `tracked.late.code`),
		chrome.Eval[int](page, `tracked.late.run`); code != "" || run != 1 {
		t.Errorf("a call whose window came late ends with %q, as run %d", code, run)
	}
	// whatever was to come has come
	chrome.Script[chrome.Void](page, `await mcp.request("tools/list").result;`)
	o := w.p.Oracle()
	if late, never := o.Runs("late"), o.Runs("never"); late != 1 || never != 0 {
		t.Errorf("the tools ran %d and %d times", late, never)
	}
}

// TestFault445_ReadersThatDoNotRead: an app reads none of what several calls send, which is more than a
// browser takes for a connection (15 MB in Chrome). What the runtime does not read would
// take the window from all that is on the connection: another call comes through, and nothing is lost.
func TestFault445_ReadersThatDoNotRead(t *testing.T) {
	t.Parallel()
	long(t)
	w := newWire(t)
	page := w.open(`listen: false`)
	const slow, events, size = 4, 40, 200_000
	chrome.Eval[chrome.Void](page, fmt.Sprintf(`(() => {
		window.slow = [];
		for (let i = 0; i < %d; i++) slow.push(mcp.callTool("count", { call: "s" + i, n: %d, bytes: %d, retry_ms: 0 }));
	})()`, slow, events, size))
	eventually(t, "all calls at the server", func() bool { return len(w.p.Oracle().Labels()) == slow })
	eventually(t, "all that they say has left the server", func() bool {
		for i := range slow {
			if len(w.p.Oracle().Produced(fmt.Sprint("s", i))) != events {
				return false
			}
		}
		return true
	})
	w.calls(page, 3, 2, "quick")
	w.counted(page, 3, "quick")
	chrome.Eval[chrome.Void](page, `(() => { for (const call of slow) track(call); })()`)
	for i := range slow {
		w.counted(page, events, fmt.Sprint("s", i))
	}
}

// TestFault446_BufferingProxy: a proxy keeps answers back until they are whole, with their heads. A call's
// events come all at once with its result, each once. While nothing of it has come, guarantee says what a
// reload would do; and after one the call is not run again.
func TestFault446_BufferingProxy(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	page := w.open(`listen: false`)
	w.proxy.Buffer(true)
	w.calls(page, 3, 0, "whole")
	w.counted(page, 3, "whole")

	chrome.Eval[chrome.Void](page, `count("kept", { n: 3, gate: "kept" })`)
	w.p.Waiting("kept")
	w.p.Pass("kept")
	eventually(t, "a number that is kept back",
		func() bool { return len(w.p.Oracle().Produced("kept")) == 1 })
	if host := chrome.HostOf(t); host != chrome.PageHost {
		w.counted(page, 3, "kept") // a reload cuts nothing
		return
	}
	page.WaitFor(`tracked.kept.call.guarantee === "lost-on-reload"`)
	page.Reload()
	w.begin(page, `listen: false`)
	page.WaitFor(`tracked.kept?.done`)
	w.p.Release("kept")
	if code := chrome.Eval[string](page, `tracked.kept.code`); code != "outcome_unknown" {
		t.Errorf("a call of which nothing had come ends with %q", code)
	}
	w.proxy.Buffer(false)
	w.calls(page, 2, 1, "after")
	w.counted(page, 2, "after")
	if runs := w.p.Oracle().Runs("kept"); runs != 1 {
		t.Errorf("it ran %d times", runs)
	}
}
