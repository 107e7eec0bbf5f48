//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// visits are the pages of one profile that keep their calls in the shared host. Each
// takes up, by itself, the calls that are there (see keeperScript).
type visits struct {
	t       *testing.T
	p       *peer.Peer
	site    *chrome.Site
	profile *chrome.Profile
	url     string // of the page
	away    string // of a page of another origin
}

// heldWorkers is what a page has of the shared workers that it made: workers[i] is
// what the constructor had, so that a test can be a further page of the same worker.
const heldWorkers = `
window.RealSharedWorker = SharedWorker;
window.workers = [];
window.SharedWorker = class extends RealSharedWorker {
	constructor(...made) { super(...made); workers.push(made); }
};
`

// asker answers what servers ask: localStorage counts how often it was asked, and
// answers wait for window.answers where the page has said so.
const asker = `handlers: { elicitation: async () => {
	localStorage.asked = Number(localStorage.asked ?? 0) + 1;
	if (localStorage.silent) await new Promise(() => {});
	return { action: "accept", content: { answer: "yes" } };
} }`

// followAll has a page follow what the other pages call from now on.
const followAll = `
mcp.on("restored", ({ call }) => follow(call));
for (const call of await mcp.calls()) follow(call);
`

func newVisits(t *testing.T, p *peer.Peer, options string) *visits {
	t.Helper()
	v := &visits{t: t, p: p, site: chrome.NewSite(t), profile: chrome.NewProfile(t).InWindows(),
		away: chrome.NewSite(t).URL}
	script := strings.NewReplacer("SERVER", chrome.JS(p.URL()), "OPTIONS",
		`{ host: "shared", ack: "manual", `+options+` }`).Replace(keeperScript)
	// What a script imports first runs first.
	v.site.File("/held.mjs", heldWorkers)
	// A page is ready once nothing that it asks for is under way: a worker that is killed would reject it.
	const ready = "window.ready = true;\n"
	v.url = v.site.Page("/visit", `import "/held.mjs";`+strings.Replace(script, ready, "", 1)+followAll+ready)
	return v
}

// open opens one more page.
func (v *visits) open() *chrome.Page {
	v.t.Helper()
	return v.openAs("")
}

// openAs opens a page of a user, where the options say that the address names it.
func (v *visits) openAs(user string) *chrome.Page {
	v.t.Helper()
	page := v.profile.Open(v.url + "#" + user)
	page.WaitFor(`window.ready`)
	if host := chrome.Eval[string](page, `mcp.host`); host != "shared" {
		v.t.Fatalf("the host is %q", host)
	}
	return page
}

// count has a page call the tool count, which waits at a gate of its label before
// each number, and lets it come to some.
func (v *visits) count(page *chrome.Page, label string, n, come int) {
	v.t.Helper()
	carry(page, []counting{{Call: label, N: n, Gate: label, Retry: 10}})
	passes(v.p, label, come)
	v.has(page, label, come)
}

// has waits until a page has so many numbers of a call.
func (v *visits) has(page *chrome.Page, label string, n int) {
	v.t.Helper()
	page.WaitFor(`window.ready && trails.` + label + `?.marks.length === ` + chrome.JS(n))
}

// outcome waits until a call has ended in a page, and checks how, and that the page has
// each number once and in order.
func (v *visits) outcome(page *chrome.Page, label, want string) trail {
	v.t.Helper()
	page.WaitFor(`window.ready && trails.` + label + `?.outcome`)
	has := chrome.Eval[trail](page, `trails.`+label)
	newLedger(v.t, v.p).call(label, has)
	if has.Outcome != want {
		v.t.Errorf("%s: ended with %q, want %q", label, has.Outcome, want)
	}
	return has
}

// ends checks that a call has its result in a page, which never heard of a cut.
func (v *visits) ends(page *chrome.Page, label string) {
	v.t.Helper()
	if has := v.outcome(page, label, "result"); len(has.Resumed) > 0 {
		v.t.Errorf("%s: resumed %v", label, has.Resumed)
	}
}

// uncut checks at the server that nothing that became of its pages cut a call: it ran
// once, nobody came back for it, and nobody let go of it.
func (v *visits) uncut(label string) {
	v.t.Helper()
	o := v.p.Oracle()
	if runs, heard, streams := o.Runs(label), o.Requests(label), o.MaxOpenStreams(label); runs != 1 ||
		len(heard) > 1 || streams > 1 {
		v.t.Errorf("%s: %d runs, %d streams at a time, and the server heard of it by %+v", label, runs,
			streams, heard)
	}
	if n := v.p.Cancelled("count"); n != 0 {
		v.t.Errorf("%d calls were cancelled", n)
	}
}

// oneHandshake checks that all pages together have introduced themselves once.
func (v *visits) oneHandshake() {
	v.t.Helper()
	if initialized, discovered := v.p.Oracle().Initializes(),
		len(v.p.Of("server/discover")); initialized > 1 || discovered > 1 {
		v.t.Errorf("%d handshakes, and the server's revision was asked for %d times", initialized, discovered)
	}
}

// worker returns the one shared worker of the profile.
func (v *visits) worker() chrome.SharedWorker {
	v.t.Helper()
	workers := v.profile.SharedWorkers()
	if len(workers) != 1 {
		v.t.Fatalf("%d shared workers", len(workers))
	}
	return workers[0]
}

// bothWires are those on which a reload must cut nothing: that of sessions and
// event ids, and that on which a closed stream is a cancelled call.
var bothWires = []string{peer.Revision20251125, peer.Revision20260728}

// overBothWires runs a story on each.
func overBothWires(t *testing.T, story func(t *testing.T, p *peer.Peer)) {
	for i, revision := range bothWires {
		t.Run(revision, func(t *testing.T) {
			rowOf(t, i, len(bothWires))
			t.Parallel()
			p := peer.New(t, peer.Options{Revision: revision})
			p.Counting(nil)
			story(t, p)
			blameless(t, p)
		})
	}
}
