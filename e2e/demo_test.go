//go:build !js

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// inspectorPath is where the demo's second page is, which shows what Holdfast does with each call.
const inspectorPath = "/demo/inspector.html"

// demo opens the inspector as `make demo` serves it, connected to the embedded
// server.
func demo(t *testing.T) (*demosite.Site, *chrome.Page) {
	t.Helper()
	return demoAt(t, demosite.Options{}, inspectorPath)
}

// The hosts that a visitor of the demo chooses from.
var demoHosts = []string{"shared", "page"}

// demoIn is demo with the runtime in that host.
func demoIn(t *testing.T, host string) (*demosite.Site, *chrome.Page) {
	t.Helper()
	site, page := demoAt(t, demosite.Options{}, inspectorPath+"?host="+host)
	hostIs(page, host)
	return site, page
}

// hostIs waits until the page says that its runtime is there.
func hostIs(page *chrome.Page, host string) {
	page.WaitFor(hook("host") + `.dataset.host === ` + chrome.JS(host) + ` && ` + hook("host-"+host) +
		`.checked`)
}

// demoAt opens a page of a demo site, and waits until it is connected.
func demoAt(t *testing.T, o demosite.Options, path string) (*demosite.Site, *chrome.Page) {
	t.Helper()
	site, err := demosite.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return site, demoBehind(t, site, site, path)
}

// serveDemo serves a demo site by a handler, and returns its address.
func serveDemo(t *testing.T, site *demosite.Site, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		site.Close()
	})
	return server.URL
}

// newDemo serves a demo site, and returns its address.
func newDemo(t *testing.T, o demosite.Options) (*demosite.Site, string) {
	t.Helper()
	site, err := demosite.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return site, serveDemo(t, site, site)
}

// demoBehind opens a page of a demo site that a handler serves.
func demoBehind(t *testing.T, site *demosite.Site, handler http.Handler, path string) *chrome.Page {
	t.Helper()
	page := chrome.OpenWindow(t, serveDemo(t, site, handler)+path)
	page.WaitFor(hook("state") + `?.dataset.state === "open"`)
	return page
}

// hook finds an element by its data-testid (web/demo/inspector.html lists them).
func hook(name string) string { return fmt.Sprintf("document.querySelector('[data-testid=%q]')", name) }

func selector(name string) string { return fmt.Sprintf("[data-testid=%q]", name) }

// TestStoryDemo goes the way of a stranger: start a long call, reload the page
// in the middle of it, watch it go on, be done with it. In a shared worker the stream is
// not even cut.
func TestStoryDemo(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]struct{ mark, verdict string }{
		"shared": {"page reloaded, not cut",
			"over 1 reload, on one stream that was never cut. Now try worse."},
		"page": {"page reloaded, resumed after ", "over 1 reload. Now try worse."},
	} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			_, page := demoIn(t, host)
			strangersWay(t, page, want.mark, want.verdict)
		})
	}
}

// strangersWay is that way; mark is how the reload is marked in the picture, and verdict is
// the end of what the guide says at last.
func strangersWay(t *testing.T, page *chrome.Page, mark, verdict string) {
	t.Helper()
	if got := chrome.Eval[string](page, hook("server-name")+`.textContent + " " + `+hook("revision")+
		`.textContent`); got != "Holdfast demo server 2025-11-25" {
		t.Errorf("the page says it is connected to %q", got)
	}
	page.WaitFor(`!` + hook("guide-run") + `.disabled`)
	page.Click(selector("guide-run"))
	page.WaitFor(hook("call-output") + `?.textContent.includes("3 of 40")`)
	page.WaitFor(hook("guarantee") + `.textContent === "a reload loses nothing"`)
	page.Click(selector("guide-reload"))
	page.WaitFor(hook("call") + `?.dataset.restored !== undefined`)
	page.WaitFor(hook("call-picture") + `.querySelector('[data-kind="reload"]')?.textContent.startsWith(` +
		chrome.JS(mark) + `)`)
	page.WaitFor(hook("call") + `.dataset.state === "done"`)
	cardCounts(t, page, 40)
	if said := chrome.Eval[string](page, hook("guide-verdict")+`.textContent`); said !=
		"All 40 numbers arrived, none missing, none twice, "+verdict {
		t.Errorf("the verdict is %q", said)
	}
	press(page, selector("done"))
	page.WaitFor(hook("call") + ` === null && ` + hook("journal-calls") + `.textContent === "0"`)
	if lines := page.Console(); len(lines) > 0 {
		t.Errorf("the console says %q", lines)
	}
}

// TestStoryDemoForm runs a tool through the form that its schema gave, and
// cancels a long one.
func TestStoryDemoForm(t *testing.T) {
	t.Parallel()
	_, page := demo(t)
	page.WaitFor(`document.querySelector('[data-tool="add"]')`)
	page.Click(`[data-tool="add"] summary`)
	chrome.Script[chrome.Void](page, `
		const form = document.querySelector('[data-tool="add"] form');
		const numbers = [...form.querySelectorAll("input")];
		for (const [i, input] of numbers.entries()) { input.value = String(20 + i * 2); input.dispatchEvent(new Event("input", { bubbles: true })); }`)
	page.Click(`[data-tool="add"] [data-testid="run"]`)
	page.WaitFor(`document.querySelector('[data-call-tool="add"]')?.dataset.state === "done"`)
	page.WaitFor(`document.querySelector('[data-call-tool="add"] ` +
		`[data-testid="call-result"]').textContent.includes("42")`)

	// By script: the page may still be scrolling to the first card.
	press := func(selector string) {
		chrome.Eval[chrome.Void](page, `document.querySelector(`+chrome.JS(selector)+`).click()`)
	}
	press(`[data-tool="slow"] summary`)
	press(`[data-tool="slow"] [data-testid="run"]`)
	page.WaitFor(`document.querySelector('[data-call-tool="slow"]')`)
	press(`[data-call-tool="slow"] [data-testid="cancel"]`)
	page.WaitFor(`document.querySelector('[data-call-tool="slow"]').dataset.state === "cancelled"`)
}

// TestStoryDemoRestart: a restarted server has lost its calls. One that its tool
// calls harmless runs again; of another one the card says that it is lost. The
// page goes on with a new session.
func TestStoryDemoRestart(t *testing.T) {
	long(t)
	t.Parallel()
	site, page := demo(t)
	held := site.MCP().Gate()
	held.Hold()
	held.Pass(1)
	countIn(page, 8, 300)
	cardSays(page, "1 of 8")
	runs(page, "add_note")
	page.WaitFor(hook("call") + `.dataset.callTool === "add_note" && ` + hook("guarantee") +
		`.dataset.guarantee === "resumable"`)
	press(page, selector("restart"))
	page.WaitFor(hook("call-error") + `?.dataset.code === "lost"`)
	page.WaitFor(hook("state") + `.dataset.state === "open"`)
	page.WaitFor(`document.querySelector('[data-call-tool="count"] [data-kind="restarted"]')`)
	held.Release()
	page.WaitFor(`document.querySelector('[data-call-tool="count"]').dataset.state === "done"`)
	press(page, selector("abandon"))
	page.WaitFor(hook("call-error") + ` === null`)
}

// connectsTo sends the page to another server.
func connectsTo(page *chrome.Page, url string) {
	chrome.Script[chrome.Void](page, `
		const input = `+hook("connection-url")+`;
		input.value = `+chrome.JS(url)+`;
		input.dispatchEvent(new Event("input", { bubbles: true }));
		input.form.requestSubmit();`)
}

// TestStoryDemoErrors: a person who got the address wrong is told what to do.
func TestStoryDemoErrors(t *testing.T) {
	long(t)
	t.Parallel()
	for name, test := range map[string]struct{ url, code string }{
		"nobody listens": {"http://" + nobody(t) + "/mcp", "network_error"},
		"no CORS":        {peer.New(t, peer.Options{CORS: peer.CORS{Off: true}}).URL(), "cors_blocked"},
		"wrong path":     {"/mpc", "http_error"},
		"no URL":         {"http://", "bad_argument"},
	} {
		t.Run(name, func(t *testing.T) {
			_, page := demo(t)
			connectsTo(page, test.url)
			page.WaitFor(hook("connect-error") + `?.dataset.code === ` + chrome.JS(test.code))
		})
	}
}

// TestStoryDemoFits: no width from a phone's up scrolls sideways, in light and
// in dark, with a call that came back, an open form and the options on the page.
func TestStoryDemoFits(t *testing.T) {
	long(t)
	t.Parallel()
	_, page := demo(t)
	page.WaitFor(`!` + hook("guide-run") + `.disabled`)
	page.Click(selector("guide-run"))
	page.WaitFor(hook("call-output") + `?.textContent.includes("2 of 40")`)
	page.Reload()
	cardMarks(page, "reload", 1)
	page.WaitFor(`document.querySelector('[data-tool="write_report"]')`)
	press(page, `[data-tool="write_report"] summary`)
	press(page, selector("options"))
	backgrounds := map[string]bool{}
	for _, width := range []int{360, 390, 768, 1280} {
		for _, dark := range []bool{false, true} {
			page.Viewport(width, 900, dark)
			over := chrome.Eval[int](page,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`)
			if over > 0 {
				t.Errorf("%d px wide, dark %v: %d px too wide", width, dark, over)
			}
			backgrounds[chrome.Eval[string](page, `getComputedStyle(document.body).backgroundColor`)] = true
		}
	}
	if len(backgrounds) != 2 {
		t.Errorf("light and dark have the backgrounds %v", backgrounds)
	}
}

// press clicks by script: the page may still be scrolling.
func press(page *chrome.Page, selector string) {
	chrome.Eval[chrome.Void](page, `document.querySelector(`+chrome.JS(selector)+`).click()`)
}

// book calls the tool that asks, and waits until it does.
func book(t *testing.T) *chrome.Page {
	t.Helper()
	_, page := demo(t)
	page.WaitFor(`document.querySelector('[data-tool="book_table"]')`)
	press(page, `[data-tool="book_table"] summary`)
	press(page, `[data-tool="book_table"] [data-testid="run"]`)
	page.WaitFor(
		`document.querySelector('[data-call-tool="book_table"] dialog[data-testid="elicitation"]')?.open`)
	return page
}

// TestStoryDemoElicitation: a server's question is a form in the card of its
// call, which names the server and has the defaults filled in.
func TestStoryDemoElicitation(t *testing.T) {
	t.Parallel()
	page := book(t)
	if !chrome.Eval[bool](page, hook("elicitation")+`.textContent.includes(location.host)`) {
		t.Error("the question does not name the server")
	}
	if got := chrome.Eval[string](page, `document.activeElement.name`); got != "name" {
		t.Errorf("the focus is in %q", got)
	}
	// The name is missing: nothing is sent, and the field says so.
	press(page, selector("elicitation-accept"))
	page.WaitFor(hook("elicitation") +
		`.querySelector('[name="name"]').getAttribute("aria-invalid") === "true"`)
	chrome.Script[chrome.Void](page, `
		const name = `+hook("elicitation")+`.querySelector('[name="name"]');
		name.value = "Ada";
		name.dispatchEvent(new Event("input", { bubbles: true }));`)
	press(page, selector("elicitation-accept"))
	page.WaitFor(hook("call-result") +
		`?.textContent.includes("Booked at The Anchor: Ada, Friday, 2 guests, at the window.")`)
	if chrome.Eval[bool](page, hook("elicitation")+` !== null`) {
		t.Error("the form is still there")
	}
}

// TestStoryDemoDecline: no is an answer as well.
func TestStoryDemoDecline(t *testing.T) {
	t.Parallel()
	page := book(t)
	press(page, selector("elicitation-decline"))
	page.WaitFor(hook("call-result") + `?.textContent.includes("you declined")`)
}

// TestStoryDemoResources reads a resource, and watches it change.
func TestStoryDemoResources(t *testing.T) {
	t.Parallel()
	_, page := demo(t)
	page.WaitFor(`document.querySelector('[data-uri="demo://notes"]')`)
	press(page, `#tab-resources`)
	press(page, `[data-uri="demo://notes"] summary`)
	press(page, `[data-uri="demo://notes"] [data-testid="read-resource"]`)
	page.WaitFor(`document.querySelector('[data-uri="demo://notes"] ` +
		`[data-testid="resource-text"]')?.textContent === "No notes yet."`)
	press(page, `[data-uri="demo://notes"] [data-testid="watch"]`)
	page.WaitFor(`document.querySelector('[data-uri="demo://notes"] ` +
		`[data-testid="watch"]').getAttribute("aria-pressed") === "true"`)
	press(page, `[data-tool="add_note"] [data-testid="run"]`)
	page.WaitFor(`document.querySelector('[data-uri="demo://notes"]').dataset.updates === "1"`)
	page.WaitFor(`document.querySelector('[data-uri="demo://notes"] ` +
		`[data-testid="resource-text"]').textContent === "buy rope"`)
	page.WaitFor(hook("log") + `.textContent.includes("notifications/resources/updated")`)
}

// TestStoryDemoPrompts fills in a prompt.
func TestStoryDemoPrompts(t *testing.T) {
	t.Parallel()
	_, page := demo(t)
	page.WaitFor(`document.querySelector('[data-prompt="translate"]')`)
	press(page, `#tab-prompts`)
	press(page, `[data-prompt="translate"] summary`)
	chrome.Script[chrome.Void](page, `
		const form = document.querySelector('[data-prompt="translate"] form');
		form.elements.text.value = "Ahoy";
		form.elements.language.value = "Danish";
		form.requestSubmit();`)
	page.WaitFor(`document.querySelector('[data-prompt="translate"] ` +
		`[data-role="user"]')?.textContent.includes("Translate into Danish: Ahoy")`)
}

// TestStoryDemoNegotiation: how the revision was found is told in steps.
func TestStoryDemoNegotiation(t *testing.T) {
	t.Parallel()
	_, page := demo(t)
	steps := chrome.Eval[[]string](page, `[...`+hook("negotiation")+
		`.children].map((step) => step.textContent)`)
	if len(steps) != 2 || steps[1] != "initialize → 2025-11-25" {
		t.Errorf("the steps are %q", steps)
	}
}
