//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// standing is what status() says, or the code of its error.
type standing struct {
	Status, Source, StatusMessage, Code string
	CreatedAt, LastUpdatedAt            string
	Pending                             bool
	TTL                                 *int
	PollInterval                        int
}

// standings asks several times at once how the watched call stands.
func standings(page *chrome.Page) []standing {
	return chrome.Eval[[]standing](page,
		`Promise.all([1, 2, 3].map(() => call.status().catch(({ code }) => ({ code }))))`)
}

// TestTaskAPI_Status: how a call stands is asked of its task, once for all who ask
// at the same time, by tasks/get, which asks for no input, also where
// tasks/continue is the poll. The page does not know that there is a task.
func TestTaskAPI_Status(t *testing.T) {
	t.Parallel()
	for _, d := range []dialect{continueDialect, extensionDialect} {
		t.Run(d.name, func(t *testing.T) {
			row(t)
			p := peer.New(t, d.options)
			p.Tasks(d.server)
			p.Working(peer.AsTask(peer.TaskPolicy{Poll: 60_000, TTL: 600_000}))
			page := app(t, p.URL(), "")
			chrome.Script[chrome.Void](page,
				`await mcp.listTools(); watch(mcp.callTool("work", { call: "a", steps: 1, gate: "go" }));`)
			page.WaitFor(`call.guarantee === "durable"`)
			p.Pass("go")
			p.Waiting("go")
			eventually(t, "the one poll of its own", func() bool { return len(p.Of(d.polls)) == 1 })
			before := len(p.Of("tasks/get"))
			for _, s := range standings(page) {
				if s.Status != "working" || s.Source != "server" || s.StatusMessage != "step 1 of 1" ||
					s.TTL == nil || *s.TTL != 600_000 ||
					s.PollInterval != 60_000 || s.CreatedAt == "" || s.LastUpdatedAt == "" {
					t.Errorf("%+v", s)
				}
			}
			if n := len(p.Of("tasks/get")) - before; n != 1 {
				t.Errorf("%d requests", n)
			}
			page.WaitFor(
				`seen.events.some(({ type, message }) => type === "task" && message === "step 1 of 1")`)

			// What a server that is away says of the call is nothing.
			p.Down()
			if s := standings(page)[0]; s.Code != "network_error" {
				t.Errorf("of a server that is away: %+v", s)
			}
			p.Up()
			p.Release("go")
			// It is over, says the server, and the outcome is fetched at once.
			page.WaitFor(`(await call.status()).status === "completed"`)
			outcome(t, page, "")
			before = len(p.Of("tasks/get"))
			if s := standings(page)[2]; s.Status != "completed" || s.Source != "client" {
				t.Errorf("after its end: %+v", s)
			}
			if n := len(p.Of("tasks/get")) - before; n != 0 {
				t.Errorf("%d requests after its end", n)
			}
			blameless(t, p)
		})
	}
}

// TestTaskAPI_StatusWithoutTask: of a call that no task carries the page says what
// it knows, and asks nobody; also of one that another page carries.
func TestTaskAPI_StatusWithoutTask(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Asking()
	s := newTabs(t, p, person("false"))
	page := s.open()
	chrome.Eval[chrome.Void](page, `void (window.call = mcp.callTool("ask", { call: "a" }))`)
	page.WaitFor(`localStorage.asked === "1" && call.guarantee === "resumable"`)
	for _, s := range standings(page) {
		if s.Status != "input_required" || s.Source != "client" {
			t.Errorf("%+v", s)
		}
	}
	other := s.open()
	other.WaitFor(`tracked.a?.call.followed`)
	chrome.Eval[chrome.Void](other, `void (window.call = tracked.a.call)`)
	if s := standings(other)[0]; s.Status != "input_required" || s.Source != "client" {
		t.Errorf("of the one that looks on: %+v", s)
	}
	chrome.Eval[chrome.Void](other, `call.cancel()`)
	other.WaitFor(`tracked.a.done`)
	for _, page := range []*chrome.Page{page, other} {
		if s := standings(page)[0]; s.Status != "cancelled" || s.Source != "client" {
			t.Errorf("after its end: %+v", s)
		}
	}
	if n := len(p.Of("tasks/get")); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestTaskAPI_ListTasks: the tasks that a server of 2025-11-25 lists, page by page
// or all; of one without a list nothing is asked.
func TestTaskAPI_ListTasks(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{PageSize: 2})
	p.Tasks(peer.TaskServer{})
	p.Working(peer.AsTask(peer.TaskPolicy{Poll: 60_000}))
	page := app(t, p.URL(), "")
	chrome.Script[chrome.Void](page, `await mcp.listTools();
		window.calls = ["a", "b", "c"].map((call) => mcp.callTool("work", { call, gate: "go" }));`)
	page.WaitFor(`calls.every(({ guarantee }) => guarantee === "durable")`)
	all := chrome.Eval[[]string](page, `mcp.listTasks().then(({ tasks }) => tasks.map(({ taskId, status, createdAt, lastUpdatedAt, ttl }) =>
		createdAt && lastUpdatedAt && ttl !== undefined ? taskId + " " + status : ""))`)
	byHand := chrome.Script[[]string](page, `const first = await mcp.listTasks({ cursor: "0" });
		const second = await mcp.listTasks({ cursor: first.nextCursor });
		return [...first.tasks, ...second.tasks].map(({ taskId, status }) => taskId + " " + status);`)
	var want []string
	for _, label := range []string{"a", "b", "c"} {
		want = append(want, p.Oracle().Tasks(label)[0].ID+" working")
	}
	for _, got := range [][]string{all, byHand} {
		if !sameSet(got, want) {
			t.Errorf("listed %q, want %q", got, want)
		}
	}
	if got := chrome.Eval[failure](page, `attempt(() => mcp.listTasks({ cursor: "nonsense" }))`); got.Code !=
		"rpc_error" {
		t.Errorf("a cursor of nobody's: %+v", got)
	}
	p.Release("go")

	for name, options := range map[string]peer.Options{
		"no list": {}, "2026-07-28": {Revision: peer.Revision20260728},
		"2025-06-18": {Revision: peer.Revision20250618}} {
		p := peer.New(t, options)
		p.Tasks(peer.TaskServer{NoList: true})
		page := app(t, p.URL(), "")
		if got := chrome.Eval[failure](page, `attempt(() => mcp.listTasks())`); got.Code != "unsupported" {
			t.Errorf("%s: %+v", name, got)
		}
		if n := len(p.Of("tasks/list")); n != 0 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}

// sameSet reports whether two lists hold the same, in whatever order.
func sameSet(a, b []string) bool {
	count := map[string]int{}
	for _, s := range a {
		count[s]++
	}
	for _, s := range b {
		count[s]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
