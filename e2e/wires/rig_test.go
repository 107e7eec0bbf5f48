//go:build !js

package wires

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// pageScript is what every page has: begin connects, count calls the tool of that name, and
// tracked[label] is what the page knows of a call, its own and those that come back.
const pageScript = `
import * as holdfast from "/holdfast.mjs";
window.tracked = {};
window.track = (call) => {
	const label = call.params.arguments?.call ?? call.method;
	const seen = { call, marks: [], status: [], resumed: [], done: false, code: "", n: 0, run: 0 };
	tracked[label] = seen;
	(async () => {
		try {
			for await (const event of call) {
				if (event.type === "status") seen.status.push(event.state);
				if (event.type === "resumed") seen.resumed.push(event.outcome);
				if (event.type === "progress") seen.marks.push(event.progress);
			}
			const { structuredContent } = await call.result;
			seen.n = structuredContent?.n ?? 0;
			seen.run = structuredContent?.run ?? 0;
		} catch (error) {
			seen.code = error.code ?? String(error);
			seen.why = error.message;
		}
		seen.done = true;
	})();
	return seen;
};
window.begin = async (url, options) => {
	window.mcp = await holdfast.connect(url, { ack: "manual", ...options });
	mcp.on("restored", ({ call }) => track(call));
	for (const call of await mcp.calls()) track(call);
};
window.call = (tool, label, args, options) => void track(mcp.callTool(tool, { call: label, ...args }, options));
window.count = (label, args, options) => call("count", label, { retry_ms: 0, ...args }, options);
window.locks = async () => {
	const { held, pending } = await navigator.locks.query();
	return [...held, ...pending].filter(({ name }) => name.startsWith("holdfast.stream.")).length;
};
window.ready = true;
`

// wire is a server behind a proxy, with the page on the same origin: all of it is one connection.
type wire struct {
	t       *testing.T
	p       *peer.Peer
	proxy   *Proxy // nil where the browser is at the server itself
	site    *chrome.Site
	profile *chrome.Profile
	origin  string
}

// newWire starts a server that speaks HTTP/2 and a proxy in front of it.
func newWire(t *testing.T) *wire {
	t.Helper()
	w := newServer(t, peer.Options{})
	w.proxy = NewProxy(t, authority.Own(), strings.TrimPrefix(w.p.Origin(), "https://"), "/mcp")
	w.origin = w.proxy.Origin()
	return w
}

// newServer starts a server alone.
func newServer(t *testing.T, o peer.Options) *wire {
	t.Helper()
	site := chrome.NewSite(t)
	site.Page("/app", pageScript)
	o.TLS, o.Site = authority.Own().Server(), site
	p := peer.New(t, o)
	p.Counting(nil)
	p.SideEffects()
	return &wire{t: t, p: p, site: site, profile: chrome.NewProfile(t), origin: p.Origin()}
}

// open opens a page that is connected.
func (w *wire) open(options string) *chrome.Page {
	w.t.Helper()
	page := w.profile.Open(w.origin + "/app")
	w.begin(page, options)
	return page
}

func (w *wire) begin(page *chrome.Page, options string) {
	w.t.Helper()
	page.WaitFor(`window.ready`)
	chrome.Script[chrome.Void](page,
		fmt.Sprintf(`await begin(%s, { %s });`, chrome.JS(w.origin+"/mcp"), options))
}

// calls has a page count with some labels, each at a gate of its own, and lets each come to a number.
func (w *wire) calls(page *chrome.Page, n int, come int, labels ...string) {
	w.t.Helper()
	chrome.Eval[chrome.Void](page,
		fmt.Sprintf(`%s.forEach((label) => count(label, { n: %d, gate: label }))`, chrome.JS(labels), n))
	w.come(page, come, come, labels...)
}

// come lets each call make so many steps, and waits until the page has seen its number come.
func (w *wire) come(page *chrome.Page, steps, come int, labels ...string) {
	w.t.Helper()
	for _, label := range labels {
		for range steps {
			w.p.Pass(label)
		}
	}
	page.WaitFor(fmt.Sprintf(`%s.every((label) => tracked[label]?.marks.length === %d)`, chrome.JS(labels),
		come))
}

// counted lets calls go on to their end, and checks what the page has seen of each, every number once and in
// order, and at the server that it ran once.
func (w *wire) counted(page *chrome.Page, n int, labels ...string) {
	w.t.Helper()
	for _, label := range labels {
		w.p.Release(label)
	}
	page.WaitFor(chrome.JS(labels) + `.every((label) => tracked[label]?.done)`)
	all := chrome.Eval[[]struct {
		Marks     []int
		N         int
		Code, Why string
	}](page, chrome.JS(labels)+
		`.map((label) => tracked[label]).map(({ marks, n, code, why = "" }) => ({ marks, n, code, why }))`)
	for i, label := range labels {
		got := all[i]
		if got.Code != "" || got.N != n || len(got.Marks) != n {
			w.t.Errorf("%s ended with %q (%s) and %d: %v", label, got.Code, got.Why, got.N, got.Marks)
			continue
		}
		for i, mark := range got.Marks {
			if mark != i+1 {
				w.t.Errorf("%s: number %d is %d: %v", label, i+1, mark, got.Marks)
				break
			}
		}
		if runs := w.p.Oracle().Runs(label); runs != 1 {
			w.t.Errorf("%s ran %d times", label, runs)
		}
	}
}

// resumes checks how often a call was resumed at the server.
func (w *wire) resumes(label string, want int) {
	w.t.Helper()
	if got := w.p.Oracle().Connections(label) - 1; got != want {
		w.t.Errorf("%s was resumed %d times, want %d", label, got, want)
	}
}

// eventually waits until a predicate over something other than a page holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(chrome.Patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// labels are c0, c1, ...
func labels(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("c%d", i)
	}
	return all
}
