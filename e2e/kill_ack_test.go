//go:build !js

package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// ackedKillScript is a page that is told of the events of one call, and is done with
// every third of them. What it does it says to the site before or after it does it:
// what it kept itself might be lost with the browser.
const ackedKillScript = `
import * as holdfast from "/holdfast.mjs";
const load = await (await fetch("/load", { method: "POST" })).text();
const say = (what, position) => fetch("/" + what + "?load=" + load + "&position=" + position, { method: "POST" });
window.mcp = await holdfast.connect(SERVER, { ack: "manual" });
const [stored] = await mcp.calls();
window.back = Boolean(stored);
window.call = stored ?? (load > 1 ? undefined : mcp.callTool("count", { n: LAST, call: "a", every_ms: 2, bytes: 300, retry_ms: 1 }, { key: "a" }));
window.last = 0;
window.ready = true;
if (call) (async () => {
	for await (const event of call.events({ from: "acked" })) {
		if (event.type !== "progress") continue;
		await say("told", event.position);
		window.last = event.position;
		if (event.position % 3 > 0) continue;
		await say("asked", event.position);
		await call.ack(event.position);
		await say("acked", event.position);
	}
	window.n = (await call.result).structuredContent.n;
})();
`

// acknowledgements is what such pages have said, as the site has heard it.
type acknowledgements struct {
	t  *testing.T
	mu sync.Mutex

	load         int
	acked, asked int          // the highest positions
	before       int          // acked when this page was loaded
	last         int          // told to this page; 0 for none
	told         map[int]bool // by any page
	again        int          // how often a position was told that an earlier page had been told
}

func (a *acknowledgements) serve(site *chrome.Site) {
	site.Handle("/load", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.load++
		a.before, a.last = a.acked, 0
		fmt.Fprint(w, a.load)
	}))
	for path, hear := range map[string]func(load, position int){
		"/told":  a.hearTold,
		"/asked": func(_, position int) { a.asked = max(a.asked, position) },
		"/acked": func(_, position int) { a.acked = max(a.acked, position) },
	} {
		site.Handle(path, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			a.mu.Lock()
			defer a.mu.Unlock()
			load, _ := strconv.Atoi(r.FormValue("load"))
			if position, err := strconv.Atoi(r.FormValue("position")); err == nil {
				hear(load, position)
			}
		}))
	}
}

// hearTold checks that a page begins above what was acknowledged, leaves out nothing
// that nobody was done with, and goes on without a hole.
func (a *acknowledgements) hearTold(load, position int) {
	if a.told[position] {
		a.again++
	}
	a.told[position] = true
	if load != a.load {
		return // of a browser that is dead by now
	}
	switch {
	case a.last == 0 && position <= a.before:
		a.t.Errorf("load %d: position %d is told again, and %d was acknowledged", a.load, position, a.before)
	case a.last == 0 && position > a.asked+1:
		a.t.Errorf("load %d: begins at position %d, and only %d was to be acknowledged", a.load, position,
			a.asked)
	case a.last > 0 && position != a.last+1:
		a.t.Errorf("load %d: position %d after %d", a.load, position, a.last)
	}
	a.last = position
}

// TestFault132_AckedStaysAckedOverKills kills the whole browser at random moments in
// one stream. No event at or below a position whose ack() has resolved is told again;
// each above what was to be acknowledged is told again, and none is lost.
func TestFault132_AckedStaysAckedOverKills(t *testing.T) {
	long(t)
	t.Parallel()
	_, random := seeded(t)
	rounds := max(*kills/3, 1)
	last := 200 * rounds // more than are read before the last kill
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	site, profile := chrome.NewSite(t), t.TempDir()
	a := &acknowledgements{t: t, told: map[int]bool{}}
	a.serve(site)
	url := site.Page("/acks", fmt.Sprintf("const SERVER = %s, LAST = %d;\n%s", chrome.JS(p.URL()), last,
		ackedKillScript))
	killed := 0
	for ; !t.Failed(); killed++ {
		browser := startBrowser(t, profile, url)
		ask[bool](browser, until(`call.guarantee !== "lost-on-reload"`))
		ask[chrome.Void](browser, fmt.Sprintf(`new Promise((later) => setTimeout(later, %d))`,
			random.IntN(400)))
		if killed >= rounds {
			for read := 0; read < last; read += 100 { // each part is waited for by itself
				ask[bool](browser, until(fmt.Sprintf(`window.n || last > %d`, read)))
			}
			ask[bool](browser, until(`window.n`))
			n := ask[int](browser, `window.n`)
			a.mu.Lock()
			if n != last || len(a.told) != last {
				t.Errorf("a result of %d, and %d events were told, of %d", n, len(a.told), last)
			}
			a.mu.Unlock()
			// Done with all of it, the call does not come back either.
			ask[chrome.Void](browser, `call.ack()`)
			browser.kill()
			killed++
			break
		}
		browser.kill()
	}
	browser := startBrowser(t, profile, url)
	if ask[bool](browser, `window.back`) {
		t.Error("a call comes back that the app was done with")
	}
	browser.kill()
	if runs := p.Oracle().Runs("a"); runs != 1 {
		t.Errorf("it ran %d times", runs)
	}
	t.Logf("%d kills; %d events told, %d of them once more; %d acknowledged", killed, len(a.told), a.again,
		a.acked)
	if killed > 3 && a.again == 0 {
		t.Error("nothing was told again: the kills met nothing that was not acknowledged")
	}
}
