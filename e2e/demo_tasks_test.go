//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

// longWork opens the part of the demo whose calls outlast the page.
func longWork(t *testing.T) (*demosite.Site, *chrome.Page) {
	t.Helper()
	return longWorkOf(t, demosite.Options{})
}

func longWorkOf(t *testing.T, o demosite.Options) (*demosite.Site, *chrome.Page) {
	t.Helper()
	site, page := demoAt(t, o, inspectorPath+"?server=/tasks")
	page.WaitFor(`!` + hook("work-report-run") + `.disabled`)
	return site, page
}

// verdictSays waits until the page says so of a piece of long work.
func verdictSays(page *chrome.Page, work, text string) {
	page.WaitFor(hook("work-"+work+"-verdict") + `.textContent.includes(` + chrome.JS(text) + `)`)
}

// partIs is a predicate: the picture of the newest call draws a segment so.
func partIs(n int, state string) string {
	return fmt.Sprintf(`%s?.querySelector('[data-part="%d"]')?.dataset.is === %q`, hook("call-parts"), n,
		state)
}

// partsAre counts the segments that the picture of the newest call draws so.
func partsAre(page *chrome.Page, attribute string) int {
	return chrome.Eval[int](page, hook("call-parts")+`.querySelectorAll('[data-part]`+attribute+`').length`)
}

// toldParts checks that the output of the newest call has the segments 1 to n in
// order, each once, and its result as many.
func toldParts(t *testing.T, page *chrome.Page, n int) {
	t.Helper()
	told := chrome.Eval[[]string](page, `[...`+hook("call-output")+
		`.querySelectorAll(".tag")].map((tag) => tag.textContent).filter((tag) => tag.startsWith("part "))`)
	want := make([]string, n)
	for i := range want {
		want[i] = fmt.Sprintf("part %d", i+1)
	}
	if strings.Join(told, ",") != strings.Join(want, ",") {
		t.Errorf("the page was given %q", told)
	}
	if blocks := chrome.Eval[string](page, hook("call")+
		`.querySelector(".whole summary").textContent`); blocks != fmt.Sprintf(
		"The result in one piece, of %d parts", n) {
		t.Errorf("the result is %q", blocks)
	}
}

// watched keeps in window.was what a segment of the newest call is drawn as, one
// state after the other: holes do not last.
func watched(page *chrome.Page, n int) {
	chrome.Script[chrome.Void](page, fmt.Sprintf(`
		window.was ??= {};
		const was = window.was[%d] = [];
		new MutationObserver(() => {
			const state = %s?.querySelector('[data-part="%d"]')?.dataset.is;
			if (state && was.at(-1) !== state) was.push(state);
		}).observe(document.getElementById("call-list"), { subtree: true, childList: true, attributes: true });`, n, hook("call-parts"), n))
}

// heard keeps in window.said all that the page says of a piece of long work.
func heard(page *chrome.Page, work string) {
	chrome.Script[chrome.Void](page, `
		window.said = [];
		const verdict = `+hook("work-"+work+"-verdict")+`;
		new MutationObserver(() => said.push(verdict.textContent)).observe(verdict, { subtree: true, childList: true, characterData: true });`)
}

// holeIn begins a report that comes to its first hole and stops there: nobody looks
// for what is lost, and no more parts come, until the test lets them.
func holeIn(site *demosite.Site, page *chrome.Page) {
	site.Lookups().Hold()
	site.Tasks().Hold(demosite.GateSurvey)
	press(page, selector("work-report-run"))
	passes(site.Tasks(), demosite.GateSurvey, 6)
	page.WaitFor(partIs(5, "missing") + ` && ` + partIs(6, "held"))
}

// TestStoryDemoReport: a report comes in numbered parts, of which some are lost
// on their way and some come twice. What is missing is a hole until it is filled;
// the page is given each part once, in order.
func TestStoryDemoReport(t *testing.T) {
	t.Parallel()
	site, page := longWork(t)
	for _, n := range []int{5, 6, 15} {
		watched(page, n)
	}
	heard(page, "report")
	holeIn(site, page)
	page.WaitFor(partIs(24, "due") + ` && ` + partIs(3, "here"))
	page.WaitFor(hook("call-parts") + `.querySelector('[data-part="3"]').dataset.again === "1"`)
	site.Lookups().Pass(1)
	page.WaitFor(partIs(5, "late"))
	site.Tasks().Release(demosite.GateSurvey)
	page.WaitFor(partIs(15, "missing"))
	site.Lookups().Release()
	cardIs(page, "done")
	for n, want := range map[int]string{5: "due,missing,late", 6: "due,held,here", 15: "due,missing,late"} {
		if got := chrome.Eval[string](page, fmt.Sprintf(`was[%d].join()`, n)); got != want {
			t.Errorf("part %d was drawn as %s, want %s", n, got, want)
		}
	}
	if !chrome.Eval[bool](page, `said.some((text) => /^Part 5 is missing, and is asked for. \d later parts? `+
		`waits? for it.$/.test(text))`) {
		t.Errorf("it said %q", chrome.Eval[[]string](page, `said`))
	}
	toldParts(t, page, 24)
	if here, late := partsAre(page, `[data-is="here"]`), partsAre(page, `[data-is="late"]`); here != 21 ||
		late != 3 {
		t.Errorf("the picture has %d parts and %d filled later", here, late)
	}
	if again := partsAre(page, `[data-again]`); again < 3 {
		t.Errorf("%d ticks", again)
	}
	// The wire and the runtime count alike.
	page.WaitFor(`Number(document.querySelector('[data-counter="duplicateSegments"] dd').textContent) ===
		[...document.querySelectorAll("[data-again]")].reduce((sum, part) => sum + Number(part.dataset.again), 0)`)
	verdictSays(page, "report",
		"All 24 parts are here, in order, each once: 3 had been lost and were fetched, ")
	verdictSays(page, "report", " came again and were dropped.")
	ranOnce(t, site, "survey_shore")
}

// TestStoryDemoReportReload: the page is reloaded with a hole in the report. The
// page that comes shows it, and has it filled.
func TestStoryDemoReportReload(t *testing.T) {
	t.Parallel()
	site, page := longWork(t)
	holeIn(site, page)
	page.Reload()
	page.WaitFor(hook("call") + `?.dataset.restored !== undefined && ` + partIs(4, "here"))
	cardMarks(page, "reload", 1)
	site.Lookups().Release()
	page.WaitFor(partIs(5, "late"))
	verdictSays(page, "report", "so far. Reload the page if you like.")
	site.Tasks().Release(demosite.GateSurvey)
	cardIs(page, "done")
	toldParts(t, page, 24)
	verdictSays(page, "report", " Over 1 reload.")
	ranOnce(t, site, "survey_shore")
}

// ranOnce checks that the server ran a tool once, and has nothing to complain of.
func ranOnce(t *testing.T, site *demosite.Site, tool string) {
	t.Helper()
	if n := site.Tasks().Ran(tool); n != 1 {
		t.Errorf("%s ran %d times", tool, n)
	}
	if wrong := site.Tasks().Violations(); len(wrong) > 0 {
		t.Errorf("violations: %q", wrong)
	}
}

// TestStoryDemoHour: the network is away for an hour, in which the work goes on.
// A page that is loaded meanwhile shows what there was, and gets the rest.
func TestStoryDemoHour(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := longWorkOf(t, demosite.Options{Hour: 10 * time.Second})
	press(page, selector("work-hour-run"))
	page.WaitFor(`!` + hook("work-hour-away") + `.disabled && ` + partIs(1, "here"))
	verdictSays(page, "hour", "One reading a minute: it takes an hour.")
	press(page, selector("work-hour-away"))
	verdictSays(page, "hour", "No network, and ")
	page.WaitFor(hook("call") + `.dataset.wire === "cut" && ` + hook("call") +
		`.querySelector(".call-state").textContent === "no network here; the server goes on"`)
	if had := partsAre(page, `:not([data-is="due"])`); had != 1 {
		t.Errorf("without network it has %d readings", had)
	}
	page.Reload()
	page.WaitFor(hook("state") + `.dataset.state === "offline" && ` + partIs(1, "here") + ` && ` +
		partIs(2, "due"))
	verdictSays(page, "hour", "The work goes on without this page.")
	cardMarks(page, "hour", 1)
	cardMarks(page, "reload", 1)
	cardIs(page, "done")
	toldParts(t, page, 60)
	verdictSays(page, "hour",
		"All 60 readings are here. 59 of them were made while this page had no network. Over 1 reload.")
	ranOnce(t, site, "watch_tide")
	// The hour was that call's alone: another one has one of its own.
	page.WaitFor(`!` + hook("work-hour-run") + `.disabled`)
	press(page, selector("work-hour-run"))
	page.WaitFor(`!` + hook("work-hour-away") + `.disabled`)
}

// berth reserves a berth, and waits until it asks.
func berth(t *testing.T) (*demosite.Site, *chrome.Page) {
	t.Helper()
	site, page := longWork(t)
	press(page, selector("work-form-run"))
	page.WaitFor(
		`document.querySelector('[data-call-tool="reserve_berth"] dialog[data-testid="elicitation"]')?.open`)
	verdictSays(page, "form", "It waits for your answer.")
	return site, page
}

// types types into a field of the question.
func types(page *chrome.Page, field, text string) {
	chrome.Script[chrome.Void](page, `
		const field = `+hook("elicitation")+`.querySelector('[name=`+chrome.JS(field)+`]');
		field.value = `+chrome.JS(text)+`;
		field.dispatchEvent(new Event("input", { bubbles: true }));`)
}

// stored does something, and waits until the journal has a row more of it.
func stored(page *chrome.Page, do func()) {
	rows := `Number(` + hook("journal-rows") + `.textContent)`
	before := chrome.Eval[int](page, rows)
	do()
	page.WaitFor(rows + ` > ` + chrome.JS(before))
}

// TestStoryDemoFormOfATask: work stops for a form, and waits over a reload. What was
// typed by then is there again, the answer is given once, and the work goes on.
func TestStoryDemoFormOfATask(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := berth(t)
	// The last row that the work itself writes before it waits.
	cardSays(page, "input_required")
	for _, typing := range []func(){
		func() { types(page, "ship", "Albatross") },
		func() { types(page, "nights", "5") },
		func() { press(page, `[data-testid="elicitation"] [name="power"]`) },
	} {
		stored(page, typing)
	}
	page.Reload()
	page.WaitFor(hook("elicitation-draft"))
	if typed := chrome.Script[[]string](page, `
		const { elements } = `+hook("elicitation")+`.querySelector("form");
		return [elements.ship.value, elements.skipper.value, elements.nights.value, String(elements.power.checked)];`); strings.Join(typed, ",") != "Albatross,,5,true" {
		t.Errorf("after the reload the form has %q", typed)
	}
	verdictSays(page, "form", "It waits for your answer.")
	types(page, "skipper", "Ada")
	press(page, selector("elicitation-accept"))
	page.WaitFor(hook("call-result") + `?.textContent.includes("Berth 7 is reserved for the Albatross,` +
		` skipper Ada, nights: 5, with shore power.")`)
	verdictSays(page, "form", "You answered once, and the work went on. Over 1 reload.")
	ranOnce(t, site, "reserve_berth")
	if asked := site.Tasks().Oracle().Questions("reserve_berth"); len(asked) != 1 ||
		len(asked[0].Answers) != 1 {
		t.Errorf("asked and answered: %+v", asked)
	}
}

// TestStoryDemoFormBesideOthers: the question stands in the card of the call that
// asks it, whatever else runs, before and after a reload.
func TestStoryDemoFormBesideOthers(t *testing.T) {
	long(t)
	t.Parallel()
	_, page := berth(t)
	press(page, selector("work-hour-run"))
	page.WaitFor(partIs(1, "here"))
	page.Reload()
	page.WaitFor(
		`document.querySelector('[data-call-tool="reserve_berth"] dialog[data-testid="elicitation"]')?.open`)
	verdictSays(page, "form", "It waits for your answer.")
	press(page, selector("elicitation-decline"))
	page.WaitFor(`document.querySelector('[data-call-tool="reserve_berth"] ` +
		`[data-testid="call-result"]')?.textContent.includes("you declined")`)
	if running := chrome.Eval[string](page,
		`document.querySelector('[data-call-tool="watch_tide"]').dataset.state`); running != "running" {
		t.Errorf("the other call is %s", running)
	}
}

// TestStoryDemoPlaces: the page leads from one of its servers to the other, and
// says which one this is.
func TestStoryDemoPlaces(t *testing.T) {
	t.Parallel()
	_, page := demo(t)
	for _, step := range []struct{ to, here, shown, hidden string }{
		{"place-tasks", "place-tasks", "works", "guide"},
		{"place-calls", "place-calls", "guide", "works"},
	} {
		press(page, selector(step.to))
		page.WaitFor(hook(step.here) + `?.getAttribute("aria-current") === "page" && ` + hook("state") +
			`.dataset.state === "open"`)
		page.WaitFor(hook(step.shown) + `.hidden === false && ` + hook(step.hidden) + `.hidden`)
	}
}

// TestStoryDemoLongWorkFits: nothing of it is wider than the page, or stands over
// something else, from a phone's width up, in light and in dark.
func TestStoryDemoLongWorkFits(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := berth(t)
	types(page, "ship", "Albatross")
	press(page, selector("work-hour-run"))
	holeIn(site, page)
	for _, width := range []int{360, 390, 768, 1280} {
		for _, dark := range []bool{false, true} {
			page.Viewport(width, 900, dark)
			if over := chrome.Eval[int](page,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("%d px wide, dark %v: %d px too wide", width, dark, over)
			}
			// Cells are drawn again for each width.
			page.WaitFor(`[...document.querySelectorAll('[data-testid="call-parts"]')].every((parts) => {
				const boxes = [...parts.querySelectorAll("rect")].map((rect) => rect.getBoundingClientRect());
				const { right } = parts.getBoundingClientRect();
				return boxes.every((box, i) => box.right <= right + 1 && box.width > 12 &&
					boxes.every((other, j) => i === j || box.right <= other.left || other.right <= box.left || box.bottom <= other.top || other.bottom <= box.top));
			})`)
		}
	}
}
