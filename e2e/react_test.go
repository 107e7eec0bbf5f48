//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// uncancelled checks at the server that a call ran once, on one stream at a time, and that nobody cancelled
// it.
func uncancelled(t *testing.T, p *peer.Peer) {
	t.Helper()
	once(t, p, "a")
	if n := p.Cancelled("count"); n != 0 {
		t.Errorf("%d calls were cancelled", n)
	}
	blameless(t, p)
}

// TestStoryReact: a React 19 app in StrictMode. The page is reloaded in mid-call, components are unmounted
// and come back: the call is shown again with all that it had, and nothing of that reaches the server.
func TestStoryReact(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := connectedReact(t, reactPage(t, p.URL(), ""))
	waits(page, element("data-tools", "ready")+`.textContent.includes("count") && `+
		element("data-suspended", "open"))
	if n := chrome.Eval[int](page, `story.clients.size`); n != 1 || p.Oracle().Initializes() > 1 {
		t.Errorf("%d clients, and %d handshakes, for one address", n, p.Oracle().Initializes())
	}
	waits(page, element("data-call", "a")+`.dataset.state === "missing"`)
	callsCount(page, map[string]any{"n": 7, "gate": "go"})
	passes(p, "go", 3)
	shownCall(page, "working", 3)
	if !chrome.Eval[bool](page, `story.shown.a === story.shown.again`) {
		t.Error("two components of one call have two values")
	}
	waits(page, element("data-call", "a")+`.dataset.guarantee !== "lost-on-reload"`)

	page.Reload()
	shownCall(page, "working", 3)
	clicks(page, "data-toggle", "")
	waits(page, element("data-call", "a")+` === null`)
	passes(p, "go", 2)
	clicks(page, "data-toggle", "")
	shownCall(page, "working", 5)
	clicks(page, "data-away", "") // the provider as well
	waits(page, `document.querySelector("main") === null`)
	passes(p, "go", 1)
	clicks(page, "data-away", "")
	shownCall(page, "working", 6)
	if said := chrome.Eval[string](page, element("data-call", "a")+
		`.querySelector("output").textContent`); said != "1 2 3 4 5 6" {
		t.Errorf("it shows %q", said)
	}
	passes(p, "go", 2)
	shownCall(page, "completed", 7)
	uncancelled(t, p)

	page.Reload() // ack: "manual": it is there until somebody has done with it
	shownCall(page, "completed", 7)
	clicks(page, "data-done", "a")
	waits(page, element("data-calls", "ready")+`.children.length === 0 && `+element("data-call", "a")+
		`.dataset.state === "missing"`)
	page.Reload()
	waits(page, element("data-call", "a")+`?.dataset.state === "missing"`)
	for _, hook := range []string{"useTools", "useCall"} {
		waits(page, element("data-error", hook)+`?.dataset.code === "bad_argument" && `+
			element("data-error", hook)+`.textContent.includes("<HoldfastProvider")`)
	}
}

// TestFault336_OneDrawPerFrame: a call has ten thousand events. The component that shows it is drawn once per
// animation frame at most.
func TestFault336_OneDrawPerFrame(t *testing.T) {
	t.Parallel()
	const events = 10_000
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := connectedReact(t, reactPage(t, p.URL(), ""))
	waits(page, element("data-call", "a")+`.dataset.state === "missing" && `+element("data-tools", "ready"))
	before := chrome.Eval[struct{ Commits, Frames, Tools int }](
		page, `({ commits: story.commits.a, frames: story.frames, tools: story.commits.tools })`)
	callsCount(page, map[string]any{"n": events})
	page.WaitWithin(roundLimit, element("data-call", "a")+`.dataset.state === "completed"`)
	shownCall(page, "completed", events)
	after := chrome.Eval[struct{ Commits, Frames, Tools int }](
		page, `({ commits: story.commits.a, frames: story.frames, tools: story.commits.tools })`)
	commits, frames := after.Commits-before.Commits, after.Frames-before.Frames
	t.Logf("%d events: drawn %d times in %d frames", events, commits, frames)
	if commits > frames+1 || commits < 2 { // its first frame may have begun before they were counted
		t.Errorf("drawn %d times in %d frames", commits, frames)
	}
	if after.Tools != before.Tools {
		t.Errorf("a list that has not changed was drawn %d times more", after.Tools-before.Tools)
	}
	uncancelled(t, p)
}

// TestFault337_KeptUntilItIsShown: with ack: "auto" a result that a component cannot draw is there for the
// next page, and gone once a page has shown it.
func TestFault337_KeptUntilItIsShown(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	url := reactPage(t, p.URL(), "") + "?ack=auto"
	page := connectedReact(t, url+"&throws")
	callsCount(page, map[string]any{"n": 2})
	waits(page, element("data-error", "a")+`?.textContent.includes("cannot be drawn") && `+
		element("data-error", "again"))
	if kept := chrome.Script[int](page, `return (await story.client.calls()).length;`); kept != 1 {
		t.Errorf("%d calls are kept", kept)
	}
	page.Navigate(url)
	shownCall(page, "completed", 2)
	waits(page, `(await story.client.calls()).length === 0`)
	shownCall(page, "completed", 2) // to be seen as long as the page is there
	page.Reload()
	waits(page, element("data-call", "a")+`?.dataset.state === "missing"`)
	uncancelled(t, p)
}

// TestStoryReactElicitation: a server asks a person, in a form that the app draws. What does not fit is
// refused in the form, and the question stays.
func TestStoryReactElicitation(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	p.Asking()
	page := connectedReact(t, reactPage(t, p.URL(), ""))
	chrome.Eval[chrome.Void](page, `void story.client.callTool("ask", { call: "a" }, { key: "a" })`)
	waits(page, element("data-question", "Question 1?"))
	chrome.Script[chrome.Void](page, `
		const form = `+element("data-question", "Question 1?")+`;
		form.elements.answer.value = "forty-two";
		form.requestSubmit();`)
	waits(page, element("data-question", "")+` === null && `+element("data-call", "a")+
		`.dataset.state === "completed"`)
	if got := chrome.Eval[string](page, element("data-call", "a")+`.textContent`); !strings.Contains(
		got, "forty-two") {
		t.Errorf("the server was answered %q", got)
	}
}

// TestStoryReactAgent: a session with an agent, over a reload in mid-turn and a permission.
func TestStoryReactAgent(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	agent := acppeer.New(t, acppeer.Options{})
	url := reactPage(t, p.URL(), agent.URL())
	page := connectedReact(t, url+"?prompt=count 5 @go")
	waits(page, element("data-chat", "missing"))
	clicks(page, "data-begin", "")
	waits(page, element("data-chat", "idle"))
	clicks(page, "data-say", "")
	agent.Pass("go", 2)
	waits(page, element("data-said", "")+`.textContent === `+chrome.JS(chunks(1, 2)))
	page.Reload()
	waits(page, element("data-said", "")+`?.textContent === `+chrome.JS(chunks(1, 2)))
	agent.Release("go")
	waits(page, element("data-said", "")+`.textContent === `+chrome.JS(chunks(1, 5))+` && `+
		element("data-chat", "idle"))
	page.Navigate(url + "?prompt=permission")
	waits(page, element("data-chat", "idle"))
	clicks(page, "data-say", "")
	waits(page, element("data-permission", "")+`?.querySelector("button")`)
	chrome.Eval[chrome.Void](page, element("data-permission", "")+`.querySelector("button").click()`)
	waits(page, element("data-permission", "")+` === null && `+element("data-chat", "idle"))
	if got := agent.Prompts(); len(got) != 2 {
		t.Errorf("the agent was asked %q", got)
	}
	if answers := agent.Answers(); len(answers) != 1 || !answers[0].Known {
		t.Errorf("the agent was answered %+v", answers)
	}
}

// TestStoryReactExample opens the app of web/examples/react: a tool is called from its form, and the page
// reloaded in the middle of it.
func TestStoryReactExample(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := chrome.OpenWindow(t, reactSite(t, bundledReact(t, "web/examples/react/main.tsx"), "")+"?server="+
		p.URL())
	waits(page, hook("composer")+`?.querySelector("option[value=count]")`)
	chrome.Script[chrome.Void](page, `
		const choice = `+hook("composer")+`.querySelector("select");
		choice.value = "count";
		choice.dispatchEvent(new Event("change", { bubbles: true }));`)
	waits(page, hook("composer")+`.textContent.includes("Counts to n.")`)
	chrome.Script[chrome.Void](page, `
		const form = `+hook("composer")+`;
		form.elements.arguments.value = `+chrome.JS(`{ "n": 4, "call": "a", "gate": "go", "retry_ms": 10 }`)+`;
		form.requestSubmit();`)
	passes(p, "go", 2)
	waits(page, hook("message")+`?.querySelector("progress").value === 2 && `+hook("message")+
		`.textContent.includes("A reload now: ")`)
	waits(page, `!`+hook("message")+`.textContent.includes("lost-on-reload")`)
	page.Reload()
	waits(page, hook("message")+`?.querySelector("progress")?.value === 2`)
	passes(p, "go", 3)
	waits(page, hook("message")+`.dataset.state === "completed" && `+hook("message")+
		`.textContent.includes("counted 4")`)
	chrome.Eval[chrome.Void](page, "void "+hook("message")+`.querySelector("button").click()`)
	waits(page, hook("message")+` === null`)
	uncancelled(t, p)
}

// TestStoryReactExampleAgent: the app's conversation with an agent goes on over a reload in mid-turn.
func TestStoryReactExampleAgent(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	agent := acppeer.New(t, acppeer.Options{})
	page := chrome.OpenWindow(t, reactSite(t, bundledReact(t, "web/examples/react/main.tsx"), "")+"?server="+
		p.URL()+"&agent="+agent.URL())
	waits(page, hook("agent")+`?.dataset.state === "missing"`)
	chrome.Eval[chrome.Void](page, hook("agent")+`.querySelector("button").click()`)
	waits(page, hook("agent")+`.dataset.state === "idle"`)
	chrome.Script[chrome.Void](page, `
		const form = `+hook("agent")+`.querySelector("form");
		form.elements.prompt.value = "count 5 @go";
		form.requestSubmit();`)
	agent.Pass("go", 2)
	said := element("data-said", "agent_message") + `?.textContent === `
	waits(page, said+chrome.JS(chunks(1, 2)))
	page.Reload()
	waits(page, said+chrome.JS(chunks(1, 2)))
	agent.Release("go")
	waits(page, said+chrome.JS(chunks(1, 5))+` && `+hook("agent")+`.dataset.state === "idle"`)
}
