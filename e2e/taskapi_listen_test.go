//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestTaskAPI_Notifications: what becomes of a task of the extension comes by the
// stream for unasked messages, which names the tasks that live; the poll, a minute
// away, is not waited for. Of a list that changes meanwhile nothing is missed, and
// no other connection is held.
func TestTaskAPI_Notifications(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Tasks(peer.TaskServer{})
	p.Working(peer.AsTask(peer.TaskPolicy{Poll: 60_000}))
	page := app(t, p.URL(), "")
	chrome.Script[chrome.Void](page, `window.said = [];
		mcp.on("notification", (event) => said.push(JSON.stringify(event)));
		window.listens = [];
		mcp.on("listen", ({ state }) => listens.push(state));
		await mcp.listTools();
		window.calls = ["a", "b"].map((call) => mcp.callTool("work", { call, steps: 1, gate: call }));
		watch(calls[0]);`)
	names := func(labels ...string) func() bool {
		return func() bool {
			asked := p.Of("subscriptions/listen")
			if len(asked) == 0 {
				return false
			}
			body := string(asked[len(asked)-1].Body)
			for _, label := range labels {
				tasks := p.Oracle().Tasks(label)
				if len(tasks) == 0 || !strings.Contains(body, tasks[0].ID) {
					return false
				}
			}
			return p.Listeners() == 1
		}
	}
	eventually(t, "the stream to name both", names("a", "b"))
	if n := len(p.Of("subscriptions/listen")); n > 3 {
		t.Errorf("asked for %d streams", n)
	}
	p.Pass("a")
	page.WaitFor(`seen.events.some(({ type, message }) => type === "task" && message === "step 1 of 1")`)
	p.Release("a")
	outcome(t, page, "")
	// One for each task, as soon as the stream names it: what was said before that
	// nobody has heard.
	if n := len(p.Of("tasks/get")); n > 2 {
		t.Errorf("polled %d times", n)
	}
	// A page that is loaded again names those that live from the start.
	p.Waiting("b")
	page.Reload()
	eventually(t, "the end of the first page's stream", func() bool { return p.Listeners() == 0 })
	if n := connected(page, p.URL(), ""); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	eventually(t, "the next stream to name what lives", names("b"))
	polls := len(p.Of("tasks/get"))
	p.Release("b")
	outcome(t, page, "")
	if n := len(p.Of("tasks/get")) - polls; n > 1 {
		t.Errorf("polled %d times", n)
	}
	blameless(t, p)
}

// TestTaskAPI_NotificationsKeepIDs: the ids of tasks, which may be all that it
// takes to read their results, are not for the app's listeners.
func TestTaskAPI_NotificationsKeepIDs(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Tasks(peer.TaskServer{})
	p.Working(peer.AsTask(peer.TaskPolicy{Poll: 60_000}))
	page := app(t, p.URL(), "")
	chrome.Script[chrome.Void](page, `window.said = [];
		mcp.on("notification", (event) => said.push(JSON.stringify(event)));
		await mcp.listTools();
		watch(mcp.callTool("work", { call: "a", steps: 3, gate: "go" }));`)
	page.WaitFor(`said.some((text) => text.includes("acknowledged"))`)
	eventually(t, "a stream that names the task", func() bool {
		asked, tasks := p.Of("subscriptions/listen"), p.Oracle().Tasks("a")
		return len(asked) > 0 && len(tasks) == 1 &&
			strings.Contains(string(asked[len(asked)-1].Body), tasks[0].ID) && p.Listeners() == 1
	})
	p.Release("go")
	outcome(t, page, "")
	id := p.Oracle().Tasks("a")[0].ID
	if said := chrome.Eval[[]string](page, `said`); strings.Contains(strings.Join(said, ""), id) {
		t.Errorf("the app was told %s", said)
	}
	blameless(t, p)
}
