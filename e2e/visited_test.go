//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault280_PageComesAfterAnOutage: the server has been away, and the shared worker waits before
// it tries again, by a timer that never fires here. Another page comes, as by a reload: the call
// goes on, and nothing has run twice.
func TestFault280_PageComesAfterAnOutage(t *testing.T) {
	t.Parallel()
	p := stepping(t, 10)
	site := chrome.NewSite(t)
	site.File("/network.mjs", networkWorker)
	profile := chrome.NewProfile(t)
	const options = `{ host: "shared", worker: "/network.mjs" }`
	page := appIn(profile, site, p.URL(), options)
	chrome.Eval[chrome.Void](page, `void (window.heard = [], window.worker = new BroadcastChannel("network"),
		worker.onmessage = ({ data }) => heard.push(data), watch(mcp.callTool("steps")))`)
	page.WaitFor(`seen.progress.length === 2`)
	// The retries that are waited for here come within seconds. What ends an attempt that hangs takes 5 s at
	// least (link's unseenFor, then headWithin), and goes on.
	chrome.Eval[chrome.Void](page, `worker.postMessage(4_500)`)
	page.WaitFor(`heard.includes("held")`)
	// a page that opens on a busy machine can take longer than the wait that a visit ends
	next := appLoaded(profile, site)
	p.Down()
	page.WaitFor(`seen.events.some(({ state, delay }) => state === "cut" && delay >= 1_000)`)
	p.Up()
	p.Release("go")
	// On a busy machine an attempt that a visit has hastened can fail as well. The next visit
	// that counts is 5 s later (link.Visits).
	const done = `new Promise((resolve) => {
		const end = performance.now() + 6_000;
		const look = () => seen.done || performance.now() > end ? resolve(!!seen.done) : setTimeout(look, 50);
		look();
	})`
	for visit := range 5 {
		appConnects(next, p.URL(), options)
		if chrome.Eval[bool](page, done) {
			break
		}
		t.Logf("after visit %d the call has %s, the server %d requests", visit+1,
			chrome.Eval[string](page, `JSON.stringify(seen.events.slice(-3))`), len(p.Requests()))
		next = appLoaded(profile, site)
	}
	outcome(t, page, "")
	counted(t, page, 4)
	blameless(t, p)
}
