//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryDemoCompletion: what the server knows of an argument is suggested
// while it is typed.
func TestStoryDemoCompletion(t *testing.T) {
	long(t)
	t.Parallel()
	for revision, options := range eras {
		t.Run(revision, func(t *testing.T) {
			page := demoOf(t, options)
			page.WaitFor(`document.querySelector('[data-prompt="translate"]')`)
			press(page, `#tab-prompts`)
			press(page, `[data-prompt="translate"] summary`)
			const suggested = `[...document.querySelector('[data-prompt="translate"] ` +
				`[name="language"]').list.options].map((option) => option.value).join()`
			for typed, want := range map[string]string{"d": "Danish,Dutch", "Nor": "Norwegian", "x": ""} {
				chrome.Script[chrome.Void](page, `
					const field = document.querySelector('[data-prompt="translate"] [name="language"]');
					field.list.replaceChildren(new Option("old"));
					field.value = `+chrome.JS(typed)+`;
					field.dispatchEvent(new Event("input", { bubbles: true }));`)
				page.WaitFor(suggested + ` === ` + chrome.JS(want))
			}
		})
	}
}

// TestStoryDemoLogLevel: the level chosen on the page is the one from which on
// the server logs, by logging/setLevel or, since 2026-07-28, in each request.
func TestStoryDemoLogLevel(t *testing.T) {
	long(t)
	t.Parallel()
	for revision, options := range eras {
		t.Run(revision, func(t *testing.T) {
			page := demoOf(t, options)
			report := func() int {
				runs(page, "write_report")
				page.WaitFor(
					`document.querySelector('[data-call-tool="write_report"]').dataset.state === "done"`)
				n := chrome.Eval[int](page,
					`document.querySelector('[data-call-tool="write_report"]').querySelectorAll('.line[data-tone="log"]').length`)
				press(page, `[data-call-tool="write_report"] [data-testid="done"]`)
				press(page, `[data-tool="write_report"] summary`)
				return n
			}
			page.WaitFor(`document.querySelector('[data-tool="write_report"] [name="topic"]')`)
			chrome.Script[chrome.Void](page, `
				const { elements } = document.querySelector('[data-tool="write_report"] form');
				elements.topic.value = "kelp";
				elements.delayMs.value = "0";`)
			if n := report(); n == 0 {
				t.Error("no log message from debug on")
			}
			press(page, `#tab-log`)
			chrome.Script[chrome.Void](page, `
				const select = `+hook("log-level")+`;
				select.value = "error";
				select.dispatchEvent(new Event("change", { bubbles: true }));`)
			page.WaitFor(hook("log") + `.textContent.includes("from error on")`)
			if n := report(); n != 0 {
				t.Errorf("%d log messages from error on", n)
			}
		})
	}
}

// TestStoryDemoUncheckedOutput: of a result that was delivered the log does not
// say that it was dropped.
func TestStoryDemoUncheckedOutput(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Tool("refers",
		peer.Script{peer.Result(`{"content":[{"type":"text","text":"said"}],"structuredContent":{}}`)},
		peer.AsJSON, peer.Output(`{"type":"object","$ref":"https://example.com/schema.json"}`))
	_, page := demo(t)
	connectsTo(page, p.URL())
	runs(page, "refers")
	page.WaitFor(hook("call-result") + `?.textContent.includes("said")`)
	page.WaitFor(hook("log-lines") + `?.textContent.includes("A result was delivered without a look at its ` +
		`tool's output schema: refers: ")`)
	if chrome.Eval[bool](page, hook("log-lines")+`.textContent.includes("dropped")`) {
		t.Error("the log says that something was dropped")
	}
}
