//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

// demoAgent opens the page of the agent, and waits until something can be said.
func demoAgent(t *testing.T) (*acppeer.Peer, *chrome.Page) {
	t.Helper()
	site, url := newDemo(t, demosite.Options{Haste: 3})
	page := chrome.OpenWindow(t, url+"/demo/agent.html")
	agentIs(page, "idle")
	return site.Agent(), page
}

// agentIs waits until the page says that the agent stands so.
func agentIs(page *chrome.Page, state string) {
	page.WaitFor(hook("agent-state") + `?.dataset.state === ` + chrome.JS(state))
}

// suggested asks for one of the three things.
func suggested(page *chrome.Page, prompt string) {
	page.WaitFor(`document.querySelector('[data-prompt=` + chrome.JS(prompt) + `]')?.disabled === false`)
	press(page, `[data-prompt=`+chrome.JS(prompt)+`]`)
}

// hears waits until the transcript has a text.
func hears(page *chrome.Page, text string) {
	page.WaitFor(hook("transcript") + `.textContent.includes(` + chrome.JS(text) + `)`)
}

const tides = "How do the tides work?"

// tidesEnd is the end of the answer to tides.
const tidesEnd = "This is why every harbour keeps a table of its own."

// nearest is how many words are thought and said up to "nearest", in what the agent
// says of the tides; beneath is how many more there are up to "beneath both".
const (
	nearest = 17 + 14
	beneath = 28
)

// halfSaid asks about the tides, and lets the agent speak up to "nearest" and no further.
func halfSaid(agent *acppeer.Peer, page *chrome.Page) {
	agent.Hold(demosite.GateAgent)
	suggested(page, tides)
	agent.Pass(demosite.GateAgent, nearest)
	hears(page, "most at the water that is nearest")
}

// lastSaid is the newest of the agent's messages as it stands on the page.
func lastSaid(page *chrome.Page) string {
	return chrome.Eval[string](page, `[...document.querySelectorAll('[data-type="agent_message"] `+
		`[data-testid="said"]')].at(-1)?.innerText ?? ""`)
}

// agentVerdict waits until the page says what was lost.
func agentVerdict(t *testing.T, page *chrome.Page, want string) {
	t.Helper()
	page.WaitFor(hook("agent-verdict") + `.dataset.lost !== undefined`)
	if got := chrome.Eval[string](page, hook("agent-verdict")+`.textContent`); got != want {
		t.Errorf("the verdict is %q, want %q", got, want)
	}
}

// entries are the types of what is drawn, in order.
func entries(page *chrome.Page) []string {
	return chrome.Eval[[]string](page,
		`[...document.querySelectorAll('[data-testid="entry"]')].map((entry) => entry.dataset.type)`)
}

// TestStoryDemoAgent: the page is reloaded in mid-sentence. What was said is back
// before the agent says anything more; then it goes on where it was.
func TestStoryDemoAgent(t *testing.T) {
	t.Parallel()
	agent, page := demoAgent(t)
	halfSaid(agent, page)
	agent.Waiting(demosite.GateAgent)
	page.Reload()
	agentIs(page, "working")
	hears(page, "most at the water that is nearest")
	half := lastSaid(page)
	if strings.Contains(half, tidesEnd) {
		t.Fatalf("the answer was over before the reload: %q", half)
	}
	page.WaitFor(hook("agent-verdict") +
		`.textContent === "It goes on in mid-sentence, after 1 reload. Nothing is lost so far."`)
	agent.Release(demosite.GateAgent)
	hears(page, tidesEnd)
	agentIs(page, "idle")
	agentVerdict(t, page, "What was lost: nothing. All 158 words are here, each once, over 1 reload.")
	if whole := lastSaid(page); !strings.HasPrefix(whole, strings.TrimSpace(half)) {
		t.Errorf("it went on from %q to %q", half, whole)
	}
	if got := entries(page); !slices.Equal(got, []string{"user_message", "agent_thought", "agent_message"}) {
		t.Errorf("the transcript has %q", got)
	}
	if open := chrome.Eval[bool](page,
		`document.querySelector('[data-type="agent_thought"] details').open`); open {
		t.Error("thoughts are not folded")
	}
	// The next answer has lived through nothing.
	suggested(page, "Check the lights")
	hears(page, "9 of 9 as charted")
	hears(page, "good to know.")
	agentVerdict(t, page, "What was lost: nothing. All 20 words are here, each once.")
	if got := agent.Prompts(); !slices.Equal(got, []string{tides, "Check the lights"}) {
		t.Errorf("the agent was asked %q", got)
	}
	if lines := page.Console(); len(lines) > 0 {
		t.Errorf("the console says %q", lines)
	}
}

// TestStoryDemoAgentPermission: the agent asks, and waits over a reload. It is
// answered once, goes on with its plan, and says something more when nobody has
// asked.
func TestStoryDemoAgentPermission(t *testing.T) {
	long(t)
	t.Parallel()
	agent, page := demoAgent(t)
	suggested(page, "Write the harbour log")
	page.WaitFor(hook("permission"))
	agentIs(page, "asks")
	rests(page, "May I write the file?")
	page.Reload()
	page.WaitFor(hook("permission"))
	agentIs(page, "asks")
	page.WaitFor(hook("agent-verdict") +
		`.textContent === "It waits for your answer. It has waited over 1 reload."`)
	if added := chrome.Eval[int](page, hook("diff")+`.querySelectorAll('[data-line="add"]').length`); added !=
		3 {
		t.Errorf("the diff adds %d lines", added)
	}
	press(page, `[data-option="write"]`)
	page.WaitFor(hook("permission") + ` === null`)
	agentIs(page, "background")
	hears(page, "I told you while you were idle.")
	agentIs(page, "idle")
	steps := chrome.Eval[string](page,
		`[...document.querySelectorAll('[data-testid="step"]')].map((step) => step.dataset.step).join()`)
	if steps != "completed,completed,completed" {
		t.Errorf("the plan is %s", steps)
	}
	calls := chrome.Eval[string](page,
		`[...document.querySelectorAll('[data-type="tool_call"]')].map((call) => call.dataset.status).join()`)
	if calls != "completed,completed,completed" {
		t.Errorf("the tool calls are %s", calls)
	}
	agentVerdict(t, page, "What was lost: nothing. All 55 words are here, each once, over 1 reload.")
	answers := agent.Answers()
	if len(answers) != 1 || !answers[0].Known || !strings.Contains(answers[0].Result, `"write"`) {
		t.Errorf("the agent was answered %+v", answers)
	}
}

// TestStoryDemoAgentDenied: the answer is no, and the tool call fails.
func TestStoryDemoAgentDenied(t *testing.T) {
	long(t)
	t.Parallel()
	_, page := demoAgent(t)
	suggested(page, "Write the harbour log")
	page.WaitFor(hook("permission"))
	press(page, `[data-option="leave"]`)
	hears(page, "Then I leave the file as it is.")
	agentIs(page, "idle")
	page.WaitFor(
		`[...document.querySelectorAll('[data-type="tool_call"]')].at(-1).dataset.status === "failed"`)
}

// TestStoryDemoAgentCut: the streams break in mid-sentence, and nothing is lost.
func TestStoryDemoAgentCut(t *testing.T) {
	long(t)
	t.Parallel()
	agent, page := demoAgent(t)
	halfSaid(agent, page)
	press(page, selector("agent-cut"))
	page.WaitFor(hook("agent-word") + `.textContent.startsWith("The server has dropped ")`)
	agent.Pass(demosite.GateAgent, beneath)
	hears(page, "The earth turns beneath both")
	page.WaitFor(hook("agent-verdict") +
		`.textContent === "It goes on in mid-sentence, after 1 cut. Nothing is lost so far."`)
	agent.Release(demosite.GateAgent)
	hears(page, tidesEnd)
	agentIs(page, "idle")
	agentVerdict(t, page, "What was lost: nothing. All 158 words are here, each once, over 1 cut.")
	if got := agent.Prompts(); len(got) != 1 {
		t.Errorf("the agent was asked %q", got)
	}
}

// TestStoryDemoAgentStop: whoever has heard enough stops it, types something else,
// and at last starts over.
func TestStoryDemoAgentStop(t *testing.T) {
	long(t)
	t.Parallel()
	agent, page := demoAgent(t)
	halfSaid(agent, page)
	press(page, selector("say-stop"))
	agentIs(page, "idle")
	agent.Release(demosite.GateAgent)
	if said := lastSaid(page); strings.Contains(said, tidesEnd) {
		t.Errorf("it was not stopped: %q", said)
	}
	page.Type(selector("say-text"), "<b>hello</b>\r")
	hears(page, "I am an actor, not a mind")
	if markup := chrome.Eval[int](page, hook("transcript")+`.querySelectorAll("b").length`); markup != 0 {
		t.Error("what was said is markup")
	}
	agentIs(page, "idle")
	press(page, selector("agent-again"))
	page.WaitFor(`document.querySelector('[data-testid="entry"]') === null`)
	agentIs(page, "idle")
	if got := agent.Sessions(); len(got) != 1 {
		t.Errorf("the agent has the sessions %q", got)
	}
}

// TestStoryDemoAgentSecondTab: a second tab has the conversation as the first one has it, since
// both are of one worker, and it goes on when that is closed.
func TestStoryDemoAgentSecondTab(t *testing.T) {
	long(t)
	t.Parallel()
	agent, page := demoAgent(t)
	halfSaid(agent, page)
	second := page.Profile().Open(chrome.Eval[string](page, hook("agent-tab")+`.href`))
	agentIs(second, "working")
	hears(second, "most at the water that is nearest")
	page.Close()
	agentIs(second, "working")
	agent.Release(demosite.GateAgent)
	hears(second, tidesEnd)
	agentIs(second, "idle")
	page = second
	agentVerdict(t, page, "What was lost: nothing. All 158 words are here, each once.")
}

// TestStoryDemoAgentFits: nothing of the page is wider than the page, from a
// phone's width up, in light and in dark, and the line to type into is in view.
func TestStoryDemoAgentFits(t *testing.T) {
	long(t)
	t.Parallel()
	_, page := demoAgent(t)
	suggested(page, "Write the harbour log")
	page.WaitFor(hook("permission"))
	for _, width := range []int{360, 390, 768, 1280} {
		for _, dark := range []bool{false, true} {
			page.Viewport(width, 900, dark)
			if over := chrome.Eval[int](page,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("%d px wide, dark %v: %d px too wide", width, dark, over)
			}
			inside := chrome.Eval[bool](page, `(() => {
				const box = `+hook("transcript")+`;
				return box.scrollWidth <= box.clientWidth;
			})()`)
			if !inside {
				t.Errorf("%d px wide, dark %v: the transcript is wider than its place", width, dark)
			}
			if tall := chrome.Eval[float64](page,
				`document.querySelector(".chat").getBoundingClientRect().height`); tall > 900 {
				t.Errorf("%d px wide, dark %v: the panel is %v px high", width, dark, tall)
			}
		}
	}
}

// TestStoryDemoAgentPlace: the other demonstrations lead here, and back.
func TestStoryDemoAgentPlace(t *testing.T) {
	long(t)
	t.Parallel()
	_, page := demo(t)
	press(page, selector("place-agent"))
	agentIs(page, "idle")
	press(page, selector("place-calls"))
	page.WaitFor(hook("state") + `?.dataset.state === "open"`)
}
