//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/sdktasks"
)

// sdkHandlers answer a question, and count over all pages how often it was put.
const sdkHandlers = `{ handlers: { elicitation: async ({ message }) => {
	localStorage["asked " + message] = 1 + Number(localStorage["asked " + message] ?? 0);
	return { action: "accept", content: { answer: "to " + message } };
} } }`

// sdkTasks is a page with a client of the official SDK's task server.
func sdkTasks(t *testing.T) (*sdktasks.Server, *chrome.Page) {
	t.Helper()
	server := sdktasks.Start(t)
	page := app(t, server.URL, sdkHandlers)
	chrome.Script[chrome.Void](page, `await mcp.listTools()`)
	return server, page
}

// sdkCall calls a tool; the label in args is its key, too.
func sdkCall(page *chrome.Page, tool, args, options string) {
	chrome.Script[chrome.Void](page, `const args = `+args+`; watch(mcp.callTool("`+tool+
		`", args, { key: args.call, ...`+options+` }));`)
}

// sdkEnd checks how the watched call has ended: with a result of that text, and
// by a task or not.
func sdkEnd(t *testing.T, page *chrome.Page, text string, isError, asTask bool) {
	t.Helper()
	outcome(t, page, "")
	if got := chrome.Eval[string](page, `seen.result?.content[0].text ?? ""`); got != text {
		t.Errorf("the result says %q, want %q", got, text)
	}
	if got := chrome.Eval[bool](page, `seen.result?.isError === true`); got != isError {
		t.Errorf("isError is %v", got)
	}
	if got := chrome.Eval[bool](page, `seen.events.some(({ type }) => type === "task")`); got != asTask {
		t.Errorf("told of a task: %v, want %v", got, asTask)
	}
}

// TestStorySDKTasks runs each tool of the official SDK's task server to its end,
// in the ways in which a call can become a task, or not.
func TestStorySDKTasks(t *testing.T) {
	t.Parallel()
	server, page := sdkTasks(t)
	for _, one := range []struct {
		name, tool, more, options string
		wire                      string // how tools/call leaves
		text                      string // that the result ends with
		isError                   bool
	}{
		{name: "plain", tool: "plain", wire: "inline", text: "at once"},
		{name: "not-wanted", tool: "optional", options: `task: false`, wire: "inline", text: "is done"},
		{name: "optional", tool: "optional", wire: "task", text: "is done"},
		{name: "required", tool: "required", wire: "task", text: "is done"},
		{name: "asks", tool: "required", more: `, ask: "Why?"`, wire: "task", text: "is done"},
		{name: "asks-inline", tool: "optional", options: `task: true`, more: `, ask: "How?"`, wire: "task",
			text: "is done"},
		{name: "fails", tool: "optional", more: `, fail: "tool"`, wire: "task", text: "failed",
			isError: true},
	} {
		t.Run(one.name, func(t *testing.T) {
			sdkCall(page, one.tool, `{ call: "`+one.name+`"`+one.more+` }`, `{`+one.options+`}`)
			sdkEnd(t, page, one.name+" "+one.text, one.isError, one.wire == "task")
			if n := server.Count(one.wire + " " + one.name); n != 1 {
				t.Errorf("tools/call left as %s %d times", one.wire, n)
			}
		})
	}
	for _, question := range []string{"Why?", "How?"} {
		if asked := chrome.Eval[string](page, `localStorage[`+chrome.JS("asked "+question)+
			`] ?? ""`); asked != "1" {
			t.Errorf("%s was asked %q times", question, asked)
		}
	}
	for _, call := range []string{"asks to Why?", "asks-inline to How?"} {
		if n := server.Count("answered " + call); n != 1 {
			t.Errorf("%q arrived %d times", call, n)
		}
	}

	// The tool throws: the SDK has a failed task and no result, and says so.
	sdkCall(page, "optional", `{ call: "throws", fail: "error" }`, `{}`)
	outcome(t, page, "rpc_error")
	if said := chrome.Eval[string](page, `seen.error?.message ?? ""`); !strings.Contains(
		said, "no result stored") {
		t.Errorf("the error says %q", said)
	}
	if n := server.Count("initialize"); n != 1 {
		t.Errorf("%d sessions", n)
	}
	if wrong := chrome.Eval[[]string](page, `integrity`); len(wrong) > 0 {
		t.Errorf("integrity events: %v", wrong)
	}
}

// TestStorySDKTaskCancelled cancels a task of the SDK's in its middle: it is told
// once, in the way of tasks, and its work finds out.
func TestStorySDKTaskCancelled(t *testing.T) {
	t.Parallel()
	server, page := sdkTasks(t)
	sdkCall(page, "required", `{ call: "long", gate: "never" }`, `{}`)
	server.Waiting("never")
	page.WaitFor(`call.guarantee === "durable"`)
	chrome.Script[chrome.Void](page, `call.cancel("enough")`)
	outcome(t, page, "cancelled")
	server.Wait("tasks/cancel")
	server.Open("never")
	server.Wait("stopped long")
	if n := server.Count("tasks/cancel"); n != 1 {
		t.Errorf("tasks/cancel came %d times", n)
	}
}

// TestStorySDKTaskCancelledWhileItAsks cancels a task of the SDK's while its
// question waits for a person. That the person answers after all, which is still
// due to the server as the response to its request, revives nothing.
func TestStorySDKTaskCancelledWhileItAsks(t *testing.T) {
	long(t)
	t.Parallel()
	server := sdktasks.Start(t)
	page := app(t, server.URL, `{ handlers: { elicitation: () => new Promise((resolve) => {
		window.late = () => resolve({ action: "accept", content: { answer: "late" } });
	}) } }`)
	chrome.Script[chrome.Void](page, `await mcp.listTools()`)
	sdkCall(page, "required", `{ call: "asked", ask: "Well?" }`, `{}`)
	page.WaitFor(`window.late`)
	chrome.Script[chrome.Void](page, `call.cancel("enough"); late();`)
	outcome(t, page, "cancelled")
	server.Wait("tasks/cancel")
	server.Wait("stopped asked")
	outcome(t, page, "cancelled")
	sdkCall(page, "plain", `{ call: "after" }`, `{}`) // the session is as good as ever
	sdkEnd(t, page, "after at once", false, false)
	for line, want := range map[string]int{"tasks/cancel": 1, "ran asked": 1, "initialize": 1} {
		if n := server.Count(line); n != want {
			t.Errorf("%s: %d times, want %d", line, n, want)
		}
	}
}

// TestStorySDKTaskReloaded loads the page again while a task of the SDK's works,
// and again while its question waits for a person: the session and the task go
// on, the question is answered once, and the tool has run once.
func TestStorySDKTaskReloaded(t *testing.T) {
	long(t)
	t.Parallel()
	server, page := sdkTasks(t)
	// Nobody answers on the first two pages.
	const away = `{ handlers: { elicitation: () => new Promise(() => { localStorage.put = 1 + ` +
		`Number(localStorage.put ?? 0); }) } }`
	again := func(options string) {
		page.Reload()
		page.WaitFor(`window.holdfast`)
		chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(server.URL)+`, `+options+`);
			const [call] = await mcp.calls();
			watch(call);`)
	}
	sdkCall(page, "required", `{ call: "kept", gate: "go", ask: "Still there?" }`, `{}`)
	server.Waiting("go")
	page.WaitFor(`call.guarantee === "durable"`)
	server.Wait("tasks/result")
	again(away)
	// A question that is put before that goes to the page that is gone, for good.
	server.Wait("taken up")
	server.Open("go")
	page.WaitFor(`localStorage.put === "1"`)
	again(sdkHandlers)
	sdkEnd(t, page, "kept is done", false, true)
	if answer := chrome.Eval[string](page, `seen.result?.structuredContent?.answer ?? ""`); answer !=
		"to Still there?" {
		t.Errorf("the answer was %q", answer)
	}
	for line, want := range map[string]int{"ran kept": 1, "task kept": 1, "initialize": 1,
		"answered kept to Still there?": 1, "tasks/cancel": 0} {
		if got := server.Count(line); got != want {
			t.Errorf("%q: %d times, want %d", line, got, want)
		}
	}
	if text := chrome.Eval[string](page,
		`document.title + seen.events.map(({ type }) => type).join()`); !strings.Contains(text, "resumed") {
		t.Errorf("no event says that it was resumed: %s", text)
	}
}
