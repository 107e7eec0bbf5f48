//go:build !js

package e2e

import (
	"strconv"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// tabs are pages of one profile that use one server.
type tabs struct {
	t       *testing.T
	p       *peer.Peer
	profile *chrome.Profile
	site    *chrome.Site
	url     string // of their page
	options string // of connect, as JavaScript
}

// tabScript is what a tab has beside appScript: tracked[label] is what it knows
// of the call with that label, its own and those of other tabs.
const tabScript = appScript + `
window.tracked = {};
window.track = (call) => {
	const label = call.params.arguments?.call ?? call.method;
	const seen = { call, positions: [], marks: [], gaps: [], waits: [], status: [], resumed: [], done: false, code: "", why: "", n: 0, doneAt: 0, ownedAt: 0, movedAt: 0 };
	tracked[label] = seen;
	(async () => {
		try {
			for await (const event of call) {
				if (event.type === "status") {
					seen.status.push(event.state);
					if (event.why) seen.waits.push(event.why);
					if (event.state === "owned") seen.ownedAt = Date.now();
				}
				if (event.type === "resumed") seen.resumed.push(event.outcome);
				if (event.type === "gap") seen.gaps.push([event.from, event.to]);
				if (event.type === "progress") {
					seen.positions.push(event.position);
					seen.marks.push(event.progress);
					seen.movedAt = Date.now();
				}
			}
			seen.n = (await call.result).structuredContent?.n ?? 0;
		} catch (error) {
			seen.code = error.code ?? String(error);
			seen.why = [error.message, error.cause?.message, call.guarantee, ...seen.status, ...seen.resumed].join(", ");
		}
		seen.doneAt = Date.now();
		seen.done = true;
	})();
	return seen;
};
window.begin = async (url, options) => {
	window.mcp = await holdfast.connect(url, options);
	const meet = (call) => { if (!Object.values(tracked).some((seen) => seen.call === call)) track(call); };
	mcp.on("restored", ({ call }) => meet(call)); // some of them may come before calls() has them all
	mcp.on("state", ({ state }) => states.push(state));
	window.said = [];
	mcp.on("notification", ({ method }) => said.push(method));
	for (const call of await mcp.calls()) meet(call);
	window.begun = true;
};
window.connectAs = (url, options) => holdfast.connect(url, options);
window.count = (label, args, options) => track(mcp.callTool("count", { call: label, ...args }, options));
window.ready = true;
`

func newTabs(t *testing.T, p *peer.Peer, options string) *tabs {
	t.Helper()
	if options == "" {
		options = `{ ack: "manual" }`
	}
	site := chrome.NewSite(t)
	return &tabs{t: t, p: p, profile: chrome.NewProfile(t), site: site, url: site.Page("/app", tabScript), options: options}
}

// open opens a tab and connects it.
func (s *tabs) open() *chrome.Page {
	s.t.Helper()
	page := s.blank()
	s.begin(page)
	page.WaitFor(`window.begun`)
	return page
}

// blank opens a tab that is not connected.
func (s *tabs) blank() *chrome.Page {
	s.t.Helper()
	page := s.profile.Open(s.url)
	page.WaitFor(`window.ready`)
	return page
}

// begin connects a tab, without waiting for it.
func (s *tabs) begin(page *chrome.Page) {
	s.t.Helper()
	chrome.Eval[chrome.Void](page, `void begin(`+chrome.JS(s.p.URL())+`, `+s.options+`)`)
}

// shut closes a tab that is to have run its pagehide handlers: to those of a tab that
// is closed Chrome gives half a second, however busy the machine is.
func shut(page *chrome.Page, site *chrome.Site) {
	// What goes to the back/forward cache is not closed.
	chrome.Eval[chrome.Void](page, `addEventListener("unload", () => {})`)
	page.Navigate(site.URL + "/")
	page.Close()
}

// pass lets a counting tool make so many more steps.
func (s *tabs) pass(gate string, steps int) {
	for range steps {
		s.p.Pass(gate)
	}
}

// counted checks what a tab has seen of a call that has counted to n: every
// number once, in order, without a hole, and the result.
func (s *tabs) counted(page *chrome.Page, label string, n int) {
	s.t.Helper()
	page.WaitFor(`tracked.` + label + `?.done`)
	got := chrome.Eval[struct {
		Marks, Positions []int
		N                int
		Code, Why        string
	}](page, `(({ marks, positions, n, code, why }) => ({ marks, positions, n, code, why }))(tracked.`+label+`)`)
	if got.Code != "" || got.N != n {
		s.t.Errorf("%s ended with %q and %d: %s", label, got.Code, got.N, got.Why)
	}
	if len(got.Marks) != n {
		s.t.Errorf("%s: %d numbers of %d: %v", label, len(got.Marks), n, got.Marks)
		return
	}
	for i := range got.Marks {
		if got.Marks[i] != i+1 || i > 0 && got.Positions[i] <= got.Positions[i-1] {
			s.t.Errorf("%s: number %d is %d at position %d: %v", label, i+1, got.Marks[i], got.Positions[i], got.Marks)
			return
		}
	}
}

// once checks at the server that a call ran once, on one stream at a time.
func (s *tabs) once(label string) {
	s.t.Helper()
	o := s.p.Oracle()
	if o.Runs(label) != 1 || o.MaxOpenStreams(label) != 1 {
		s.t.Errorf("%s: %d runs, %d streams at a time", label, o.Runs(label), o.MaxOpenStreams(label))
	}
}

// has waits until a tab has seen so many numbers of a call.
func has(page *chrome.Page, label string, n int) {
	page.WaitFor(`tracked.` + label + `?.marks.length === ` + strconv.Itoa(n))
}
