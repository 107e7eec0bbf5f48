//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// demoOf is demo with another kind of embedded server.
func demoOf(t *testing.T, o gosdk.Options) *chrome.Page {
	t.Helper()
	_, page := demoAt(t, demosite.Options{MCP: o}, inspectorPath)
	return page
}

// eras are the embedded server with sessions (2025-11-25) and without (2026-07-28).
var eras = map[string]gosdk.Options{"2025-11-25": {}, "2026-07-28": {Stateless: true}}

// runs opens a tool's form and runs it.
func runs(page *chrome.Page, tool string) {
	page.WaitFor(`document.querySelector('[data-tool="` + tool + `"]')`)
	press(page, `[data-tool="`+tool+`"] summary`)
	press(page, `[data-tool="`+tool+`"] [data-testid="run"]`)
}

// pass calls the tool that sends people to a page, and waits until it asks.
// window.opened are the arguments of window.open.
func pass(t *testing.T, o gosdk.Options) *chrome.Page {
	t.Helper()
	page := demoOf(t, o)
	chrome.Eval[chrome.Void](page,
		`void (window.open = (...args) => { window.opened = args.map(String); return null; })`)
	runs(page, "harbour_pass")
	page.WaitFor(
		`document.querySelector('[data-call-tool="harbour_pass"] dialog[data-testid="elicitation"]')?.open`)
	return page
}

// TestStoryDemoVisit: a server that sends people to a page is named, the address
// is shown in full with its host, and it opens only when the person says so,
// without a handle on this page.
func TestStoryDemoVisit(t *testing.T) {
	long(t)
	t.Parallel()
	for revision, options := range eras {
		t.Run(revision, func(t *testing.T) {
			page := pass(t, options)
			got := chrome.Script[struct{ Asks, Address, Host, Origin, Focus string }](page, `
				const dialog = `+hook("elicitation")+`;
				const address = dialog.querySelector('[data-testid="elicitation-url"]');
				return { asks: dialog.querySelector("h4").textContent, address: address.textContent, origin: location.origin,
					host: address.querySelector("mark").textContent, focus: document.activeElement.dataset.testid };`)
			host := strings.TrimPrefix(got.Origin, "http://")
			if got.Asks != host+" asks you" || got.Address != got.Origin+"/visit?log=harbour" ||
				got.Host != host || got.Focus != "elicitation-accept" {
				t.Errorf("the dialog shows %+v", got)
			}
			if chrome.Eval[bool](page, `window.opened !== undefined`) {
				t.Error("it opened by itself")
			}
			press(page, selector("elicitation-accept"))
			page.WaitFor(hook("call-result") + `?.textContent.includes("Here is your pass")`)
			if opened := chrome.Eval[[]string](page, `opened`); !slices.Equal(
				opened, []string{got.Address, "_blank", "noopener"}) {
				t.Errorf("window.open was called with %q", opened)
			}
		})
	}
}

// TestStoryDemoVisitDeclined: then no page opens, and the server is told.
func TestStoryDemoVisitDeclined(t *testing.T) {
	long(t)
	t.Parallel()
	for revision, options := range eras {
		t.Run(revision, func(t *testing.T) {
			page := pass(t, options)
			press(page, selector("elicitation-decline"))
			page.WaitFor(hook("call-result") + `?.textContent.includes("No pass: the log was not signed.")`)
			if chrome.Eval[bool](page, `window.opened !== undefined`) {
				t.Error("the page opened all the same")
			}
		})
	}
}

// TestStoryDemoVisitFits: the dialog fits a phone, in light and in dark.
func TestStoryDemoVisitFits(t *testing.T) {
	long(t)
	t.Parallel()
	page := pass(t, gosdk.Options{})
	for _, width := range []int{360, 390, 1280} {
		for _, dark := range []bool{false, true} {
			page.Viewport(width, 900, dark)
			if over := chrome.Eval[int](page,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("%d px wide, dark %v: %d px too wide", width, dark, over)
			}
		}
	}
}

// TestStoryDemoManyChoices: an array of an enum is a row of boxes; more than the
// schema allows is refused there, and what is ticked is sent.
func TestStoryDemoManyChoices(t *testing.T) {
	t.Parallel()
	page := book(t)
	const group = `[data-testid="elicitation"] [data-kind="choices"]`
	labels := chrome.Eval[[]string](page, `[...document.querySelectorAll('`+group+
		` [role="group"] label')].map((label) => label.textContent)`)
	if !slices.Equal(labels, []string{"Birthday cake", "High chair", "Room for a dog"}) {
		t.Errorf("the boxes are %q", labels)
	}
	chrome.Script[chrome.Void](page, `
		const name = `+hook("elicitation")+`.querySelector('[name="name"]');
		name.value = "Ada";
		name.dispatchEvent(new Event("input", { bubbles: true }));
		for (const box of document.querySelectorAll('`+group+` input')) box.click();`)
	press(page, selector("elicitation-accept"))
	page.WaitFor(`document.querySelector('` + group + ` .mistake').textContent === "Choose 2 at most."`)
	press(page, group+` input[value="1"]`)
	press(page, selector("elicitation-accept"))
	page.WaitFor(hook("call-result") + `?.textContent.includes("2 guests, at the window, with cake dog.")`)
}
