//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// stepping is a peer whose tool sends two progress events, waits at gate "go",
// then sends the rest and the result.
func stepping(t *testing.T, retry int) *peer.Peer {
	p := peer.New(t, peer.Options{})
	p.Tool("steps", peer.Script{
		peer.Prime(retry), peer.Progress(1, 4, ""), peer.Progress(2, 4, ""), peer.Gate("go"),
		peer.Progress(3, 4, ""), peer.Progress(4, 4, ""), peer.Text("done"),
	})
	return p
}

// TestFault47_OfflineThenOnline: a stream that is cut while the browser says it
// is offline is tried again in half a minute, which is longer than this test
// waits, or at once when the network is back. (The first try may still fail:
// the event comes before the network does.)
func TestFault47_OfflineThenOnline(t *testing.T) {
	t.Parallel()
	p := stepping(t, 500)
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 2`)
	page.Offline(true)
	page.WaitFor(`!navigator.onLine`)
	p.CutStreams(peer.FIN)
	page.WaitFor(`seen.status.includes("cut")`)
	p.Release("go")
	page.Offline(false)
	outcome(t, page, "")
	counted(t, page, 4)
	blameless(t, p)
}

// networkWorker is a worker that tells its page when the browser has told it of the network. At the
// page's word none of its timers fires any more that is to wait for a second or longer, or for a second up to
// that time.
const networkWorker = `
import "/holdfast-worker.mjs";
const page = new BroadcastChannel("network"), wait = setTimeout;
const tell = () => page.postMessage(navigator.onLine);
navigator.connection?.addEventListener("change", tell);
for (const event of ["online", "offline"]) addEventListener(event, tell);
page.onmessage = ({ data }) => {
	const most = data === "hold" ? Infinity : data;
	self.setTimeout = (f, ms, ...args) => wait(f, ms < 1_000 || ms > most ? ms : 1e9, ...args);
	page.postMessage("held");
};
`

// TestFault47_OfflineInAWorker: the runtime runs in a worker, which has no document, and in Chromium
// hears neither offline nor online. A stream that is cut while the browser is offline
// waits for half a minute, and is back when the network is: here no timer can have done it.
func TestFault47_OfflineInAWorker(t *testing.T) {
	t.Parallel()
	for _, host := range []chrome.Host{chrome.SharedHost, chrome.WorkerHost} {
		t.Run(string(host), func(t *testing.T) {
			row(t)
			t.Parallel()
			p := stepping(t, 500)
			site := chrome.NewSite(t)
			site.File("/network.mjs", networkWorker)
			page := appOn(t, site, p.URL(), `{ host: `+chrome.JS(host)+`, worker: "/network.mjs" }`)
			chrome.Eval[chrome.Void](page, `void (window.heard = [], window.worker = new BroadcastChannel("network"),
				worker.onmessage = ({ data }) => heard.push(data), watch(mcp.callTool("steps")))`)
			page.WaitFor(`seen.progress.length === 2`)
			page.Offline(true)
			page.WaitFor(`heard.includes(false)`)
			chrome.Eval[chrome.Void](page, `worker.postMessage("hold")`)
			page.WaitFor(`heard.includes("held")`)
			p.CutStreams(peer.FIN)
			page.WaitFor(`seen.events.some(({ state, delay }) => state === "cut" && delay >= 30_000)`)
			p.Release("go")
			page.Offline(false)
			outcome(t, page, "")
			counted(t, page, 4)
			blameless(t, p)
		})
	}
}

// TestStoryThaw: a page comes out of a freeze with a reader that reports
// nothing any more. The stream has to prove that it lives, or it is resumed.
func TestStoryThaw(t *testing.T) {
	t.Parallel()
	p := stepping(t, 10)
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 2`)
	page.Freeze()
	p.Release("go")
	page.Thaw()
	outcome(t, page, "")
	counted(t, page, 4)
	blameless(t, p)
}

// TestStoryHalfOpenAfterThaw: the connection is there and silent for good; only
// the demand for a sign of life finds out.
func TestStoryHalfOpenAfterThaw(t *testing.T) {
	t.Parallel()
	p := stepping(t, 10)
	// With a journal the page lets go of the stream before it is frozen.
	page := app(t, p.URL(), `{ journal: false }`)
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 2`)
	p.CutStreams(peer.Stall)
	p.Release("go")
	page.Freeze()
	page.Thaw()
	page.WaitFor(`seen.status.includes("cut")`)
	outcome(t, page, "")
	counted(t, page, 4)
	if why := chrome.Eval[string](page, `seen.events.find((e) => e.state === "cut").why`); why != "silent" {
		t.Errorf("cut because %q", why)
	}
}

// TestFault43_EventIDsInChrome: fetch sends an id outside ASCII as its bytes;
// one that no header can carry makes the stream impossible to resume, which is
// said, and nothing hangs.
func TestFault43_EventIDsInChrome(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ id, code string }{
		"U+2026":         {"s-…", ""},
		"trailing blank": {"s-1 ", "outcome_unknown"},
		"too long":       {string(make8K()), "outcome_unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Tool("steps", peer.Script{
				peer.ID(test.id), peer.Progress(1, 2, ""), peer.Gate("cut"), peer.Cut(peer.FIN),
				peer.Progress(2, 2, ""), peer.Text("done"),
			})
			page := app(t, p.URL(), "")
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
			page.WaitFor(`seen.progress.length === 1`)
			p.Release("cut")
			outcome(t, page, test.code)
			if test.code == "" {
				counted(t, page, 2)
				if got := p.Of("RESUME")[0].LastEventID; got != test.id {
					t.Errorf("the server got %q", got)
				}
			}
		})
	}
}

func make8K() []byte {
	id := make([]byte, 8<<10+1)
	for i := range id {
		id[i] = 'x'
	}
	return id
}

// TestFault38_CutAfterTheResponse: what comes after the response changes
// nothing, and nobody reconnects.
func TestFault38_CutAfterTheResponseInChrome(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Tool("steps", peer.Script{peer.Prime(10), peer.Progress(1, 1, ""), peer.Text("done"), peer.Gate("cut"),
		peer.Cut(peer.Reset)})
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	outcome(t, page, "")
	p.Release("cut")
	chrome.Script[chrome.Void](page, `await mcp.ping(); await mcp.close();`)
	if n := len(p.Of("RESUME")); n != 0 {
		t.Errorf("%d resumes", n)
	}
}

// TestStoryVersionHeaderRefused: a server whose CORS rules do not list
// MCP-Protocol-Version is used without that header, from then on.
func TestStoryVersionHeaderRefused(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20250326,
		CORS: peer.CORS{Allow: []string{"content-type", "mcp-session-id", "last-event-id"}}})
	page := app(t, p.URL(), "")
	if sum := chrome.Script[float64](page,
		`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`); sum != 3 {
		t.Errorf("sum %v", sum)
	}
}

// TestFault50_SlowReaderInChrome: a reader that takes its time holds up its own
// stream and nobody else's, and gets everything.
func TestFault50_SlowReaderInChrome(t *testing.T) {
	t.Parallel()
	const n = 12_000
	p := peer.New(t, peer.Options{})
	script := make(peer.Script, 0, n+1)
	for i := 1; i <= n; i++ {
		script = append(script, peer.Progress(float64(i), n, ""))
	}
	p.Tool("flood", append(script, peer.Text("done")))
	page := app(t, p.URL(), "")
	got := chrome.Script[struct {
		Read, Waiting, Sum int
		InOrder            bool
	}](page, `
		const flood = mcp.callTool("flood");
		const events = flood[Symbol.asyncIterator]();
		await events.next();
		// The others go on while this reader has not taken its second event.
		const sum = (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;
		let read = 0, inOrder = true;
		for await (const event of events) if (event.type === "progress") inOrder &&= event.progress === ++read;
		await flood.result;
		return { read, sum, inOrder };`)
	if got.Read != n || !got.InOrder || got.Sum != 3 {
		t.Errorf("got %+v", got)
	}
}
