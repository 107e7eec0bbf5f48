//go:build !js

package wires

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// begun has the page call a tool that must not run twice, and waits until it runs, with nothing answered yet.
func (w *wire) begun(page *chrome.Page, label string) {
	w.t.Helper()
	chrome.Eval[chrome.Void](page, `call("sideeffect", `+chrome.JS(label)+`, { gate: `+chrome.JS(label)+` })`)
	eventually(w.t, "the call at the server", func() bool { return w.p.Oracle().Runs(label) > 0 && w.proxy.Waiting() > 0 })
}

// ranOnce lets a call go on to its end, which is that nobody knows its outcome, and checks that it ran once.
func (w *wire) ranOnce(page *chrome.Page, label string) {
	w.t.Helper()
	page.WaitFor(`tracked[` + chrome.JS(label) + `].done`)
	code := chrome.Eval[string](page, `tracked[`+chrome.JS(label)+`].code`)
	if runs := w.p.Oracle().Runs(label); runs != 1 || code != "outcome_unknown" {
		w.t.Errorf("%s ran %d times, and ended with %q", label, runs, code)
	}
}

// TestFault758_ClosedBeforeTheHead: the connection ends while a call waits for its head. Chrome itself sends a
// request again that it can; a body that is a stream it cannot. The tool runs once, and the app hears that nobody knows its outcome.
func TestFault758_ClosedBeforeTheHead(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	page := w.open(`listen: false, streamedBodies: true`)
	w.begun(page, "pay")
	w.proxy.Close()
	eventually(t, "what Chrome does", func() bool {
		return w.p.Oracle().Runs("pay") > 1 || chrome.Eval[bool](page, `tracked.pay.done`)
	})
	w.p.Release("pay")
	w.ranOnce(page, "pay")
}

// TestFault758_ForgottenBeforeTheHead: a NAT or a VPN forgets the connection while a call waits for its head, and another
// request finds that out.
func TestFault758_ForgottenBeforeTheHead(t *testing.T) {
	t.Parallel()
	long(t)
	w := newWire(t)
	page := w.open(`listen: false, streamedBodies: true`)
	w.begun(page, "pay")
	w.proxy.Forget()
	page.WaitFor(`performance.now() - (window.since ??= performance.now()) > 11_000`)
	chrome.Eval[chrome.Void](page, `void mcp.request("tools/list").result.catch(() => {})`)
	w.p.Release("pay")
	w.ranOnce(page, "pay")
}
