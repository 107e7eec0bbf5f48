//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryCutTwiceAndResume cuts the official server's stream twice in a row
// while a tool runs; the server goes on, and the page gets all of it once.
func TestStoryCutTwiceAndResume(t *testing.T) {
	t.Parallel()
	server, url := sdkServer(t)
	server.Gate().Hold()
	page := app(t, url, "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 60, delayMs: 20 }))`)
	for i, more := range []int{10, 9} {
		cut := i + 1
		server.Gate().Pass(more)
		page.WaitFor(`seen.progress.length === ` + chrome.JS(cut*10))
		if server.CutStreams() == 0 {
			t.Fatal("there was no stream to cut")
		}
		// The SDK answers who resumes with the next event, and not before.
		server.Gate().Pass(1)
		page.WaitFor(`seen.resumed >= ` + chrome.JS(cut))
	}
	server.Gate().Release()
	outcome(t, page, "")
	counted(t, page, 60)
	if text := chrome.Eval[string](page, `seen.result?.content[0].text ?? String(seen.error)`); text !=
		"Counted to 60." {
		t.Errorf("result %q", text)
	}
}

// TestFault37_ResumeCutBeforeAnyIDInChrome is the cut that the official TypeScript SDK
// loses its cursor by (typescript-sdk#2499): the resumed stream is cut before
// its first id, twice.
func TestFault37_ResumeCutBeforeAnyIDInChrome(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Tool("steps", peer.Script{
		peer.Prime(10), peer.Progress(1, 3, ""), peer.Progress(2, 3, ""), peer.Gate("cut"),
		peer.Cut(peer.FIN),
		peer.Progress(3, 3, ""), peer.Text("done"),
	})
	p.OnResume(func(n int) peer.Fault {
		if n <= 2 {
			return peer.Fault{Cut: peer.FIN}
		}
		return peer.Fault{}
	})
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 2`)
	p.Release("cut")
	outcome(t, page, "")
	counted(t, page, 3)
	resumes := p.Of("RESUME")
	if len(resumes) != 3 {
		t.Errorf("%d resumes, want 3", len(resumes))
	}
	for _, r := range resumes {
		if r.LastEventID != resumes[0].LastEventID {
			t.Errorf("cursor %q became %q", resumes[0].LastEventID, r.LastEventID)
		}
	}
	blameless(t, p)
}

// TestFault41_ReplayRepeatsEventsInChrome: the server replays from the very
// start each time.
func TestFault41_ReplayRepeatsEventsInChrome(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Tool("steps", peer.Script{
		peer.Prime(10), peer.Progress(1, 4, ""), peer.Gate("one"), peer.Cut(peer.Reset),
		peer.Progress(2, 4, ""), peer.Resumed(), peer.Gate("two"), peer.Cut(peer.Reset),
		peer.Progress(3, 4, ""), peer.Progress(4, 4, ""), peer.Text("done"),
	})
	p.OnResume(func(int) peer.Fault { return peer.Fault{FromStart: true} })
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 1`)
	p.Release("one")
	page.WaitFor(`seen.progress.length === 2`)
	p.Release("two")
	outcome(t, page, "")
	counted(t, page, 4)
	if n := chrome.Eval[int](page, `mcp.counters.duplicateEvents`); n == 0 {
		t.Error("no duplicate was counted")
	}
	blameless(t, p)
}

// TestStoryServerRestart: a restarted server has forgotten the session. What
// ran is lost, and said to be; the next call gets a new session by itself.
func TestStoryServerRestart(t *testing.T) {
	t.Parallel()
	server, url := sdkServer(t)
	page := app(t, url, "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 200, delayMs: 50 }))`)
	page.WaitFor(`seen.progress.length > 2`)
	server.Restart()
	outcome(t, page, "lost")
	page.WaitFor(`mcp.state === "open"`)
	sum := chrome.Script[float64](page,
		`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`)
	if sum != 3 {
		t.Errorf("sum %v", sum)
	}
	if n := chrome.Eval[int](page, `mcp.counters.sessionsLost`); n != 1 {
		t.Errorf("%d sessions lost", n)
	}
}

// blameless checks that the client kept to the protocol throughout.
func blameless(t *testing.T, p *peer.Peer) {
	t.Helper()
	for _, v := range p.Violations() {
		t.Errorf("violation: %s", v)
	}
}
