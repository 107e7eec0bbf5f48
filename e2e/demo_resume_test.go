//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

// resumeWays opens the part of the demo that shows which request takes a call up.
func resumeWays(t *testing.T) (*demosite.Site, *chrome.Page) {
	t.Helper()
	site, page := demoAt(t, demosite.Options{}, inspectorPath)
	press(page, selector("place-resume"))
	page.WaitFor(hook("ways") + `?.hidden === false && !` + hook("way-token-run") + `.disabled`)
	return site, page
}

// trailOf is what left for the call of a way, and what befell its page, in order.
func trailOf(page *chrome.Page, way string) string {
	return strings.Join(
		chrome.Eval[[]string](page, `[...`+hook("way-"+way+"-trail")+
			`.children].map((stop) => stop.textContent.replace(/ ×\d+$/, ""))`), ", ")
}

// wayTells waits until the page says so of a way.
func wayTells(page *chrome.Page, way, text string) {
	page.WaitFor(hook("way-"+way+"-verdict") + `.textContent.includes(` + chrome.JS(text) + `)`)
}

// TestStoryDemoResumePolicy: a call with a resume policy, and a reload in its middle.
// The page says which request took it up, every number is there once, and the tool
// has run once, also where the server has let go of its sessions meanwhile.
func TestStoryDemoResumePolicy(t *testing.T) {
	t.Parallel()
	for name, restarts := range map[string]bool{"reloaded": false, "reloaded, the server restarted": true} {
		t.Run(name, func(t *testing.T) {
			site, page := resumeWays(t)
			site.Resume().Hold(demosite.GateSounding)
			site.Resume().Pass(demosite.GateSounding)
			press(page, selector("way-token-run"))
			wayTells(page, "token", "1 sounding so far. Reload the page now.")
			if got := trailOf(page, "token"); got != "tools/call" {
				t.Errorf("before the reload: %s", got)
			}
			page.WaitFor(`!` + hook("way-token-reload") + `.disabled`)
			if restarts {
				press(page, selector("restart"))
			}
			press(page, selector("way-token-reload"))
			page.WaitFor(hook("call") + `?.dataset.restored !== undefined`)
			wayTells(page, "token", "This page took it up by requests/resume.")
			site.Resume().Release(demosite.GateSounding)
			cardIs(page, "done")
			wayTells(page, "token", "All 20 soundings are here, none missing, none twice, from one "+
				"tools/call. Over 1 reload, taken up by requests/resume.")
			if got, want := trailOf(page, "token"),
				"tools/call, page reloaded, requests/resume, result"; got != want && !restarts {
				t.Errorf("the trail is %q, want %q", got, want)
			}
			page.WaitFor(hook("call-result") + `.textContent.includes("The channel is sounded")`)
			if n := site.Resume().Ran("sound_channel"); n != 1 {
				t.Errorf("it ran %d times", n)
			}
			if got := chrome.Eval[string](page, hook("call-output")+`.textContent`); !strings.Contains(
				got, "asks for the rest of the call, by its id and the token") {
				t.Errorf("the card says %q", got)
			}
			if wrong := site.Resume().Violations(); len(wrong) > 0 {
				t.Errorf("violations: %q", wrong)
			}
		})
	}
}

// TestStoryDemoContinue: a call that became a task, and a reload in its middle. The
// next page asks for the task by tasks/continue, and gets its result.
func TestStoryDemoContinue(t *testing.T) {
	t.Parallel()
	site, page := resumeWays(t)
	site.Resume().Hold(demosite.GateTow)
	site.Resume().Pass(demosite.GateTow)
	press(page, selector("way-task-run"))
	wayTells(page, "task", "Now at Outer mark, 1 of 12. Reload the page now.")
	page.WaitFor(`!` + hook("way-task-reload") + `.disabled && ` + hook("guarantee") +
		`.dataset.guarantee === "durable"`)
	if got := trailOf(page, "task"); got != "tools/call, tasks/continue" {
		t.Errorf("before the reload: %s", got)
	}
	press(page, selector("way-task-reload"))
	page.WaitFor(hook("call") + `?.dataset.restored !== undefined`)
	wayTells(page, "task", "Now at Outer mark, 1 of 12. This page took it up by tasks/continue.")
	site.Resume().Release(demosite.GateTow)
	cardIs(page, "done")
	wayTells(page, "task",
		"The task is done, from one tools/call. Over 1 reload, taken up by tasks/continue.")
	if got := trailOf(page, "task"); got !=
		"tools/call, tasks/continue, page reloaded, tasks/continue, result" {
		t.Errorf("the trail is %q", got)
	}
	page.WaitFor(hook("call-result") + `.textContent.includes("The barge is at the quay.")`)
	if n := site.Resume().Ran("tow_barge"); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	if wrong := site.Resume().Violations(); len(wrong) > 0 {
		t.Errorf("violations: %q", wrong)
	}
}

// TestStoryDemoResumeFits: nothing of it is wider than the page, from a phone's width
// up, in light and in dark, and a trail of several requests stays in its box.
func TestStoryDemoResumeFits(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := resumeWays(t)
	site.Resume().Hold(demosite.GateTow)
	passes(site.Resume(), demosite.GateTow, 1)
	press(page, selector("way-task-run"))
	wayTells(page, "task", "1 of 12. Reload the page now.")
	page.Reload()
	wayTells(page, "task", "This page took it up by tasks/continue.")
	for _, width := range []int{360, 390, 768, 1280} {
		for _, dark := range []bool{false, true} {
			page.Viewport(width, 900, dark)
			if over := chrome.Eval[int](page,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("%d px wide, dark %v: %d px too wide", width, dark, over)
			}
			page.WaitFor(`[...document.querySelectorAll(".trail li")].length === 4 && [...document.querySelectorAll(".trail li")].every((stop) =>
				stop.getBoundingClientRect().right <= stop.closest(".trail").getBoundingClientRect().right + 1)`)
		}
	}
}
