//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
	"github.com/holdfast-mcp/holdfast/e2e/internal/gate"
)

// countIn starts the tool that counts, with a form filled in.
func countIn(page *chrome.Page, n, delayMs int) {
	page.WaitFor(`document.querySelector('[data-tool="count"] form')`)
	chrome.Script[chrome.Void](page, fmt.Sprintf(`
		const { elements } = document.querySelector('[data-tool="count"] form');
		elements.n.value = "%d";
		elements.delayMs.value = "%d";`, n, delayMs))
	runs(page, "count")
	page.WaitFor(hook("call"))
}

// countTo starts the tool that counts to n, and lets it count up to at and no further.
// It returns the gate that holds it.
func countTo(site *demosite.Site, page *chrome.Page, at, n int) *gate.Gate {
	held := site.MCP().Gate()
	held.Hold()
	held.Pass(at)
	countIn(page, n, 150)
	cardSays(page, fmt.Sprintf("%d of %d", at, n))
	return held
}

// cardSays waits until the newest call has said so.
func cardSays(page *chrome.Page, text string) {
	page.WaitFor(hook("call-output") + `?.textContent.includes(` + chrome.JS(text) + `)`)
}

// cardIs waits until the newest call is in a state.
func cardIs(page *chrome.Page, want string) {
	page.WaitFor(hook("call") + `?.dataset.state === ` + chrome.JS(want))
}

// cardCounts checks that the newest call shows 1 to n in order, each once.
func cardCounts(t *testing.T, page *chrome.Page, n int) {
	t.Helper()
	shown := chrome.Eval[[]string](page, `[...`+hook("call-output")+
		`.querySelectorAll(".text")].map((line) => line.textContent).filter((line) => / of /.test(line))`)
	if len(shown) != n {
		t.Errorf("%d numbers, want %d: %q", len(shown), n, shown)
		return
	}
	for i, line := range shown {
		if line != fmt.Sprintf("%d of %d", i+1, n) {
			t.Errorf("line %d is %q: %q", i+1, line, shown)
			return
		}
	}
}

// cardMarks waits until the picture of the newest call has n marks of a kind.
func cardMarks(page *chrome.Page, kind string, n int) {
	page.WaitFor(fmt.Sprintf(`%s.querySelectorAll('.mark[data-kind=%q]').length === %d`, hook("call-picture"),
		kind, n))
}

// TestStoryDemoReloads: a call comes back as often as the page is reloaded, each
// message at its time, and every reload is in the picture.
func TestStoryDemoReloads(t *testing.T) {
	long(t)
	t.Parallel()
	for _, host := range demoHosts {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			reloadsOften(t, host)
		})
	}
}

func reloadsOften(t *testing.T, host string) {
	site, page := demoIn(t, host)
	held := countTo(site, page, 5, 30)
	const times = `[...document.querySelectorAll('[data-testid="call-output"] .at')].slice(0,` +
		` 5).map((at) => at.textContent)`
	var shown []string
	for i, at := range []string{"5 of 30", "11 of 30", "17 of 30"} {
		cardSays(page, at)
		if i == 0 {
			// What is not stored comes again, at another time.
			rests(page, at)
			shown = chrome.Eval[[]string](page, times)
		}
		page.Reload()
		cardMarks(page, "reload", i+1)
		held.Pass(6)
	}
	held.Release()
	cardIs(page, "done")
	cardCounts(t, page, 30)
	if cuts := chrome.Eval[int](page, hook("call-picture")+`.querySelectorAll('[data-kind="cut"]').length`); (cuts == 0) != (host == "shared") {
		t.Errorf("%d cuts in the picture", cuts)
	}
	if got := chrome.Eval[[]string](page, times); !slices.Equal(got, shown) {
		t.Errorf("after three reloads the first messages came at %q, before at %q", got, shown)
	}
	// One that has ended comes back with its result, until it is done with.
	rests(page, "Counted to 30.")
	page.Reload()
	page.WaitFor(hook("call-result") + `?.textContent.includes("Counted to 30.")`)
	cardMarks(page, "reload", 3)
	cardCounts(t, page, 30)
	press(page, selector("done"))
	page.WaitFor(hook("journal-calls") + `.textContent === "0"`)
	page.Reload()
	page.WaitFor(hook("state") + `.dataset.state === "open" && document.querySelector('[data-tool="count"]')`)
	if chrome.Eval[bool](page, hook("call")+` !== null`) {
		t.Error("a call came back that was done with")
	}
}

// TestStoryDemoSecondTab: a second tab shows the same call live, and carries it
// on when the first one is closed.
func TestStoryDemoSecondTab(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demoIn(t, "page")
	held := countTo(site, page, 5, 40)
	second := page.Profile().Open(chrome.Eval[string](page, hook("second-tab")+`.href`))
	second.WaitFor(hook("followed") + `?.hidden === false`)
	held.Pass(7)
	cardSays(second, "12 of 40")
	if text := chrome.Eval[string](second, hook("followed")+`.textContent + ", " + `+hook("guarantee")+
		`.textContent`); text != "carried by another tab, a reload loses nothing" {
		t.Errorf("the second tab says %q", text)
	}
	if chrome.Eval[bool](page, hook("followed")+`.hidden === false`) {
		t.Error("the first tab does not carry its own call")
	}
	page.Close()
	cardMarks(second, "taken", 1)
	second.WaitFor(hook("followed") + `.hidden`)
	held.Release()
	cardIs(second, "done")
	cardCounts(t, second, 40)
}

// TestStoryDemoSecondTabOfAWorker: of two tabs of a shared worker none carries the call: the
// second one shows it live, and nothing of it is cut when the first is closed.
func TestStoryDemoSecondTabOfAWorker(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demoIn(t, "shared")
	held := countTo(site, page, 5, 40)
	second := page.Profile().Open(chrome.Eval[string](page, hook("second-tab")+`.href`))
	hostIs(second, "shared")
	cardMarks(second, "joined", 1)
	held.Pass(7)
	cardSays(second, "12 of 40")
	cardSays(page, "12 of 40")
	page.Close()
	held.Release()
	cardIs(second, "done")
	cardCounts(t, second, 40)
	if n := chrome.Eval[int](second, hook("call-picture")+
		`.querySelectorAll('.mark, [data-kind="cut"]').length`); n != 1 {
		t.Errorf("%d marks and cuts in the picture, want that of the second tab", n)
	}
}

// TestStoryDemoReloadWhileDown: the calls are there before their server is, and
// the tools come as soon as it does.
func TestStoryDemoReloadWhileDown(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demoIn(t, "page")
	held := countTo(site, page, 4, 20)
	rests(page, "4 of 20")
	press(page, selector("down"))
	page.WaitFor(hook("saboteur-word") + `.textContent.includes("down")`)
	// It stays down until the page has seen it.
	control := func(what string) {
		chrome.Eval[chrome.Void](page, `fetch("/control/`+what+`", { method: "POST" }).then(() => {})`)
	}
	control("down?ms=60000")
	page.Reload()
	cardSays(page, "4 of 20")
	page.WaitFor(hook("state") + `.dataset.state === "offline"`)
	control("up")
	held.Release()
	page.WaitFor(`document.querySelector('[data-tool="count"]') && ` + hook("state") +
		`.dataset.state === "open"`)
	cardIs(page, "done")
	cardCounts(t, page, 20)
}

// TestStoryDemoDoneInBothTabs: who is done with a call is done with it in every tab.
func TestStoryDemoDoneInBothTabs(t *testing.T) {
	long(t)
	t.Parallel()
	_, page := demo(t)
	countIn(page, 3, 0)
	cardIs(page, "done")
	second := page.Profile().Open(chrome.Eval[string](page, hook("second-tab")+`.href`))
	second.WaitFor(hook("call-result") + `?.textContent.includes("Counted to 3.")`)
	press(page, selector("done"))
	second.WaitFor(hook("call") + ` === null && ` + hook("journal-calls") + `.textContent === "0"`)
}

// TestStoryDemoKill: the runtime dies, with its worker where it is in one, and the page
// says so and goes on by itself, also where it dies twice within seconds.
func TestStoryDemoKill(t *testing.T) {
	long(t)
	t.Parallel()
	for host, said := range map[string]string{"shared": "The worker has ended", "page": "panicked"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			killsTwice(t, host, said)
		})
	}
}

func killsTwice(t *testing.T, host, said string) {
	site, page := demoIn(t, host)
	held := countTo(site, page, 5, 30)
	for i, at := range []string{"5 of 30", "12 of 30"} {
		cardSays(page, at)
		press(page, selector("kill"))
		page.WaitFor(hook("saboteur-word") + `.textContent.includes(` + chrome.JS(said) + `)`)
		cardMarks(page, "killed", i+1)
		page.WaitFor(hook("state") + `.dataset.state === "open"`)
		held.Pass(7)
	}
	held.Release()
	cardIs(page, "done")
	cardCounts(t, page, 30)
	page.WaitFor(hook("call") + `.textContent.includes("runtime killed 2 times")`)
	if n := chrome.Eval[int](page, `document.querySelectorAll('[data-testid="call"]').length`); n != 1 {
		t.Errorf("%d cards", n)
	}
}

// TestStoryDemoCuts: with the wire cut every two seconds a long call still
// finishes, and nothing is missing.
func TestStoryDemoCuts(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demo(t)
	site.MCP().Gate().Hold()
	countIn(page, 24, 300)
	press(page, selector("cut-every"))
	page.WaitFor(hook("cut-every") + `.textContent.startsWith("Cutting, ")`)
	site.MCP().Gate().Release()
	cardIs(page, "done")
	cardCounts(t, page, 24)
	if n := chrome.Eval[int](page, hook("call-picture")+`.querySelectorAll('.resumed').length`); n < 2 {
		t.Errorf("%d resumes", n)
	}
	if !chrome.Eval[bool](page, `/(\d+) cuts, \1 survived/.test(`+hook("call")+`.textContent)`) {
		t.Error("a cut was not survived")
	}
}

// TestStoryDemoDisconnect: a call that was let go of comes back with the next
// connection, and nobody takes that for a reload.
func TestStoryDemoDisconnect(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demo(t)
	held := countTo(site, page, 5, 20)
	press(page, selector("disconnect"))
	cardIs(page, "away")
	page.WaitFor(hook("state") + `.dataset.state === "closed"`)
	press(page, selector("connect"))
	cardMarks(page, "disconnected", 1)
	if n := chrome.Eval[int](page, hook("call-picture")+
		`.querySelectorAll('[data-kind="reload"]').length`); n != 0 {
		t.Errorf("%d reloads", n)
	}
	page.Reload()
	cardMarks(page, "reload", 1)
	held.Release()
	cardIs(page, "done")
	cardCounts(t, page, 20)
	if said := chrome.Eval[string](page, hook("call")+
		`.querySelector(".call-counts").textContent`); !slices.Contains(
		strings.Split(said, " · "), "1 reload") {
		t.Errorf("the card says %q", said)
	}
}

// TestStoryDemoOtherUser: a tab that follows a call connects again with a header and
// no user. What was stored is another user's now, as far as anybody can tell: the call
// is not shown, and nobody says that it failed. It goes on in the tab that carries it,
// and is here again without the header.
func TestStoryDemoOtherUser(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demoIn(t, "page")
	held := countTo(site, page, 5, 20)
	second := page.Profile().Open(chrome.Eval[string](page, hook("second-tab")+`.href`))
	second.WaitFor(hook("followed") + `?.hidden === false`)
	again := func(header string) {
		press(second, selector("disconnect"))
		second.WaitFor(hook("state") + `.dataset.state === "closed"`)
		chrome.Script[chrome.Void](second, `document.getElementById("headers").value = `+chrome.JS(header)+
			`;`)
		press(second, selector("connect"))
		second.WaitFor(hook("state") + `.dataset.state === "open"`)
	}
	again("X-Tenant: harbour")
	second.WaitFor(hook("call") + ` === null && document.getElementById("call-count").textContent === "1 ` +
		`call is kept for its user: connect as before to see it"`)
	again("")
	second.WaitFor(hook("call") + `?.dataset.state === "running"`)
	held.Release()
	cardIs(page, "done")
	cardIs(second, "done")
	cardCounts(t, second, 20)
}
