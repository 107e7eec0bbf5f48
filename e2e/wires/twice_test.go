//go:build !js

package wires

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// begun has the page call a tool that must not run twice, and waits until it runs, with nothing answered yet.
func (w *wire) begun(page *chrome.Page, label string) {
	w.t.Helper()
	chrome.Eval[chrome.Void](page, `call("sideeffect", `+chrome.JS(label)+`, { gate: `+chrome.JS(label)+` })`)
	eventually(w.t, "the call at the server",
		func() bool { return w.p.Oracle().Runs(label) > 0 && w.proxy.Waiting() > 0 })
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

// TestFault758_ClosedBeforeTheHead: the connection ends while a call waits for its head. Chrome itself sends
// a request again that it can; a body that is a stream it cannot. The tool runs once, and the app hears that
// nobody knows its outcome.
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

// TestFault758_ForgottenBeforeTheHead: a NAT or a VPN forgets the connection while a call waits for its head,
// and another request finds that out.
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

// TestFault760_ForgottenWhileIdle: a connection is forgotten, and nobody asks for anything for a minute. The
// next call, which the browser could not send again, leaves behind the answer to a request that it could: it
// ends with its result, and ran once.
func TestFault760_ForgottenWhileIdle(t *testing.T) {
	t.Parallel()
	long(t)
	w := newWire(t)
	page := w.open(`listen: false, streamedBodies: true`)
	w.counts(page, "before")
	w.proxy.Forget()
	page.WaitFor(`performance.now() - (window.since ??= performance.now()) > 60_000`)
	w.counts(page, "behind")
}

// counts has a page make a call, and checks that it ends with its result and ran once.
func (w *wire) counts(page *chrome.Page, label string) {
	w.t.Helper()
	chrome.Eval[chrome.Void](page, `call("sideeffect", `+chrome.JS(label)+`, {})`)
	page.WaitFor(`tracked[` + chrome.JS(label) + `].done`)
	if code, runs := chrome.Eval[string](page, `tracked[`+chrome.JS(label)+`].code`),
		w.p.Oracle().Runs(label); code != "" || runs != 1 {
		w.t.Errorf("%s ended with %q, and ran %d times", label, code, runs)
	}
}

// TestFault759_HTTP11InMidLife: a server that has taken streams speaks HTTP/1.1 from some moment on. No call
// has an unknown outcome but those in flight then, and those that follow leave with bytes.
func TestFault759_HTTP11InMidLife(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	page := w.open(`listen: false, streamedBodies: true`)
	w.counts(page, "before")
	w.proxy.Downgrade()
	chrome.Eval[chrome.Void](page, `call("sideeffect", "change", {})`)
	page.WaitFor(`tracked.change.done`)
	if code, runs := chrome.Eval[string](page, `tracked.change.code`),
		w.p.Oracle().Runs("change"); code != "" && code != "outcome_unknown" || code == "" && runs != 1 ||
		runs > 1 {
		t.Errorf("the call at the change ended with %q, and ran %d times", code, runs)
	}
	for _, label := range labels(5) {
		w.counts(page, label)
	}
}

// TestFault759_HTTP11: over HTTP/1.1 nothing is streamed, and each call has its result, at the page's own origin and
// at another. There the request that finds out is an error in the page's console, once, and none in a worker's page.
func TestFault759_HTTP11(t *testing.T) {
	t.Parallel()
	for _, across := range []bool{false, true} {
		w := newServer(t, peer.Options{HTTP1: true, CORS: peer.CORSResuming()})
		home := w.origin
		if across {
			home = newServer(t, peer.Options{}).origin
		}
		page := w.profile.Open(home + "/app")
		w.begin(page, `listen: false, streamedBodies: true`)
		for _, label := range labels(5) {
			w.counts(page, label)
		}
		said := 0
		for _, line := range page.Console() {
			if strings.Contains(line, "ERR_ALPN_NEGOTIATION_FAILED") {
				said++
			}
		}
		if most := map[bool]int{true: 1}[across]; said > most {
			t.Errorf("across %v: the console says it %d times", across, said)
		}
	}
}
