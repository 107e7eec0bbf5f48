//go:build !js

package e2e

import (
	"net/http"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

// TestStoryDemoSwitch: a visitor who has seen the line of the shared worker sees that of the
// page beside it: the call goes on in the other host, and a reload is marked as it is there.
func TestStoryDemoSwitch(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demo(t)
	hostIs(page, "shared")
	held := countTo(site, page, 5, 40)
	reloadIs := func(n int, mark string) {
		page.Reload()
		cardMarks(page, "reload", n)
		held.Pass(4)
		page.WaitFor(`[...` + hook("call-picture") +
			`.querySelectorAll('[data-kind="reload"]')].at(-1).hasAttribute("data-uncut") === ` + mark)
	}
	chooses := func(host, says string) {
		press(page, selector("host-"+host))
		hostIs(page, host)
		page.WaitFor(hook("state") + `.dataset.state === "open" && ` + hook("host-step") +
			`.textContent.includes(` + chrome.JS(says) + `)`)
	}
	reloadIs(1, "true")
	chooses("page", "goes with the page")
	cardMarks(page, "disconnected", 1)
	reloadIs(2, "false")
	hostIs(page, "page")
	// The server answers a resume with its next number, which came after both.
	page.WaitFor(hook("call-picture") + `.querySelector('.resumed') !== null`)
	chooses("shared", "not even cut")
	cardMarks(page, "disconnected", 2)
	reloadIs(3, "true")
	hostIs(page, "shared")
	held.Release()
	cardIs(page, "done")
	cardCounts(t, page, 40)
}

// TestStoryDemoKilledMeanwhile: where the worker has ended while no page was there, the picture
// does not say that the stream lived on.
func TestStoryDemoKilledMeanwhile(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demoIn(t, "shared")
	held := countTo(site, page, 5, 20)
	rests(page, "5 of 20")
	workers := page.Profile().SharedWorkers()
	url := chrome.Eval[string](page, `location.href`)
	page.Navigate(chrome.NewSite(t).URL)
	for _, worker := range workers {
		worker.Kill()
	}
	page.Navigate(url)
	cardMarks(page, "reload", 1)
	held.Release()
	cardIs(page, "done")
	cardCounts(t, page, 20)
	if !chrome.Eval[bool](page, hook("call-picture")+
		`.querySelector('[data-kind="cut"][data-why="reload"]') !== null && `+hook("call-picture")+
		`.querySelector("[data-uncut]") === null`) {
		t.Error("the picture shows no cut")
	}
}

// TestStoryDemoWithoutAWorker: where no shared worker can be had, the demo runs in the page
// and says why.
func TestStoryDemoWithoutAWorker(t *testing.T) {
	t.Parallel()
	site, err := demosite.New(demosite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := demoBehind(t, site, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "worker-src 'none'")
		site.ServeHTTP(w, r)
	}), inspectorPath)
	hostIs(page, "page")
	page.WaitFor(hook("host-note") + `.textContent.startsWith("No shared worker can be had")`)
	countIn(page, 3, 0)
	cardIs(page, "done")
	cardCounts(t, page, 3)
}

// TestStoryDemoHostOfAPlace: what a later page does for a call is seen in the page's own
// runtime, whatever a visitor has chosen for long calls.
func TestStoryDemoHostOfAPlace(t *testing.T) {
	t.Parallel()
	_, page := demoAt(t, demosite.Options{}, inspectorPath+"?server=/resume")
	hostIs(page, "page")
	page.WaitFor(hook("host-shared") + `.disabled && ` + hook("host-note") +
		`.textContent.includes("the next page takes up a call")`)
	press(page, selector("place-calls"))
	page.WaitFor(hook("host") + `?.dataset.host === "shared" && !` + hook("host-shared") + `.disabled`)
}
