//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

// plainNote opens the demo page on the server that can resume nothing, calls a tool
// with an effect, and reloads the page before the answer.
func plainNote(t *testing.T) (*demosite.Site, *chrome.Page) {
	t.Helper()
	site, page := demoAt(t, demosite.Options{}, inspectorPath+"?host=page&server=/plain")
	site.Plain().Gate().Hold() // there is no answer before the reload
	runs(page, "add_note")
	page.WaitFor(hook("guarantee") + `?.textContent === "a reload would lose this call"`)
	eventually(t, "the note", func() bool { return len(site.Plain().Notes()) == 1 })
	press(page, selector("reload"))
	page.WaitFor(hook("call-error") + `?.dataset.code === "outcome_unknown"`)
	site.Plain().Gate().Release()
	if words := chrome.Eval[string](page, hook("call")+`.querySelector(".call-state").textContent`); words !=
		"may have run" {
		t.Errorf("the card says %q", words)
	}
	return site, page
}

// TestStoryDemoUnknown: a call that may have run is never run again by itself,
// and the person decides: this one does.
func TestStoryDemoUnknown(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := plainNote(t)
	page.Reload()
	page.WaitFor(hook("replay"))
	if notes := site.Plain().Notes(); !slices.Equal(notes, []string{"buy rope"}) {
		t.Errorf("the notes are %q", notes)
	}
	press(page, selector("replay"))
	cardIs(page, "done")
	if notes := site.Plain().Notes(); len(notes) != 2 {
		t.Errorf("the notes are %q", notes)
	}
	if n := chrome.Eval[int](page, `document.querySelectorAll('[data-testid="call"]').length`); n != 1 {
		t.Errorf("%d cards", n)
	}
	page.WaitFor(hook("journal-calls") + `.textContent === "1"`)
}

// TestStoryDemoPlainInAWorker: in a shared worker a reload does not even lose a call that
// nothing could take up again.
func TestStoryDemoPlainInAWorker(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demoAt(t, demosite.Options{}, inspectorPath+"?server=/plain")
	hostIs(page, "shared")
	site.Plain().Gate().Hold()
	runs(page, "add_note")
	page.WaitFor(hook("guarantee") + `?.dataset.guarantee === "survives-reload"`)
	eventually(t, "the note", func() bool { return len(site.Plain().Notes()) == 1 })
	press(page, selector("reload"))
	cardMarks(page, "reload", 1)
	site.Plain().Gate().Release()
	cardIs(page, "done")
	if notes := site.Plain().Notes(); !slices.Equal(notes, []string{"buy rope"}) {
		t.Errorf("the notes are %q", notes)
	}
}

// TestStoryDemoGiveUp: this one does not.
func TestStoryDemoGiveUp(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := plainNote(t)
	press(page, selector("abandon"))
	page.WaitFor(hook("call") + ` === null && ` + hook("journal-calls") + `.textContent === "0"`)
	page.Reload()
	page.WaitFor(`document.querySelector('[data-tool="add_note"]')`)
	if chrome.Eval[bool](page, hook("call")+` !== null`) || len(site.Plain().Notes()) != 1 {
		t.Errorf("it came back, or ran again: %q", site.Plain().Notes())
	}
}

// TestStoryDemoJournal: what is stored is counted while it grows, and forgotten
// when a person says so; the page goes on with a new session.
func TestStoryDemoJournal(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demo(t)
	page.WaitFor(hook("journal-where") + `.dataset.durability === "indexeddb"`)
	held := countTo(site, page, 3, 20)
	const number = `Number(document.querySelector('[data-testid="journal-rows"]').textContent)`
	page.WaitFor(hook("journal-calls") + `.textContent === "1" && ` + number + ` >= 3`)
	rows := chrome.Eval[int](page, number)
	held.Pass(3)
	page.WaitFor(number + ` > ` + chrome.JS(rows))
	page.WaitFor(`/^[\d.]+ [kMGT]?B of [\d.]+ [kMGT]?B$/.test(` + hook("journal-origin") + `.textContent)`)

	press(page, selector("forget"))
	page.WaitFor(hook("call") + ` === null && ` + hook("state") + `.dataset.state === "open"`)
	page.WaitFor(hook("journal-calls") + `.textContent === "0" && ` + hook("journal-rows") +
		`.textContent === "0"`)
	held.Release()
	if left := chrome.Eval[[]string](page,
		`Object.keys(localStorage).filter((name) => name.startsWith("holdfast-demo.call."))`); len(left) > 0 {
		t.Errorf("the page remembers %q", left)
	}
	page.Reload()
	page.WaitFor(
		hook("state") + `?.dataset.state === "open" && document.querySelector('[data-tool="count"]')`)
	if chrome.Eval[bool](page, hook("call")+` !== null`) {
		t.Error("a call came back that was forgotten")
	}
	countIn(page, 3, 0)
	cardIs(page, "done")
}

// TestStoryDemoOtherServer: a server's calls are shown with it, and with no other.
func TestStoryDemoOtherServer(t *testing.T) {
	long(t)
	t.Parallel()
	_, page := demo(t)
	countIn(page, 3, 0)
	cardIs(page, "done")
	page.WaitFor(hook("other-server"))
	press(page, selector("other-server"))
	page.WaitFor(hook("journal-where") +
		`?.dataset.durability === "indexeddb" && document.querySelector('[data-tool="count"]') && ` +
		hook("connection-url") + `.value === "/plain"`)
	if chrome.Eval[bool](page, hook("call")+` !== null`) {
		t.Error("a call of another server is there")
	}
	press(page, selector("other-server"))
	page.WaitFor(hook("call-result") + `?.textContent.includes("Counted to 3.")`)
}
