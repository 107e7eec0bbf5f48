//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/everything"
)

// TestStoryTaskOfServerEverything runs the official server's task-only tool: the
// call becomes a task, the page is reloaded in its middle, the question that it
// asks on the way is put to the person, and the result comes.
func TestStoryTaskOfServerEverything(t *testing.T) {
	t.Parallel()
	server := everything.Start(t)
	const handlers = `{ handlers: { elicitation: async (request) => { localStorage.asked = 1 + ` +
		`Number(localStorage.asked ?? 0); return { action: "accept", content: { interpretation: "snake" ` +
		`} }; } } }`
	page := app(t, server, handlers)
	chrome.Script[chrome.Void](page, `await mcp.listTools();
		watch(mcp.callTool("simulate-research-query", { topic: "python", ambiguous: true }, { key: "research" }));`)
	page.WaitFor(`call.guarantee === "durable"`)
	page.Reload()
	page.WaitFor(`window.holdfast`)
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(server)+`, `+handlers+`);
		const [call] = await mcp.calls();
		watch(call);`)
	outcome(t, page, "")
	if text := chrome.Eval[string](page,
		`seen.result?.content[0].text ?? String(seen.error)`); !strings.Contains(
		text, "Research Report: python") {
		t.Errorf("result %.200q", text)
	}
	if asked := chrome.Eval[string](page, `localStorage.asked`); asked != "1" {
		t.Errorf("asked %s times", asked)
	}
}
