//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// faultyScript goes before a page's script: what another tab asks for can be lost on
// its way to it (deaf) or from it (dumb), and what it has stored never leave (stuck).
const faultyScript = `
window.deaf = window.dumb = window.stuck = false;
{
	const { set } = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, "onmessage");
	Object.defineProperty(BroadcastChannel.prototype, "onmessage", {
		set(heard) {
			set.call(this, (event) => { if (!(deaf && event.data.message?.kind === "forward")) heard.call(this, event); });
		},
	});
	const { postMessage } = BroadcastChannel.prototype;
	BroadcastChannel.prototype.postMessage = function (data) {
		if (!(dumb && data.message?.kind === "settled" && data.message.outcome !== 0)) postMessage.call(this, data);
	};
	const { fetch } = window;
	window.fetch = (request, init) => {
		if (!(stuck && (init?.method ?? request.method) === "POST")) return fetch(request, init);
		window.left = (window.left ?? 0) + 1;
		return new Promise(() => {});
	};
}
`

// faultyTabs opens a tab that carries session s1 and can be made faulty, and as many
// that look on.
func faultyTabs(t *testing.T, agent string, lookers int) (*chrome.Page, []*chrome.Page) {
	t.Helper()
	script := strings.NewReplacer("SERVER", chrome.JS(agent), "OPTIONS", "{}").Replace(
		faultyScript + chatScript)
	one := chrome.Open(t, chrome.NewSite(t).Page("/chat", script))
	one.WaitFor(`window.ready`)
	beginChat(one)
	var others []*chrome.Page
	for range lookers {
		others = append(others, lookOn(one))
	}
	return one, others
}

// carried waits until one of the tabs carries session s1.
func carried(t *testing.T, pages []*chrome.Page) {
	t.Helper()
	eventually(t, "a tab that carries the session", func() bool {
		for _, page := range pages {
			if !chrome.Eval[bool](page, `chats.s1.session.followed`) {
				return true
			}
		}
		return false
	})
}

// TestAgentTabsPromptBetween: the tab that carries the session dies with a prompt of
// another one's: before it heard of it, when it had stored and not sent it, when the
// agent had it and nobody else knew. It is sent once, or not at all, and the tab that
// asked knows which; whichever tab carries on.
func TestAgentTabsPromptBetween(t *testing.T) {
	t.Parallel()
	for _, at := range []struct {
		name, fault, dies string // dies: when the tab may die
		want              string // what the prompt ends with: "" is accepted
		prompts           int
	}{
		{"lost on the way", "deaf", `true`, "", 1},
		{"stored, and not sent", "stuck", `window.left === 1`, "outcome_unknown", 0},
		{"sent, and not told", "dumb", `text("s1", "user_message") === "count 3"`, "", 1},
	} {
		for lookers := 1; lookers <= 3; lookers += 2 {
			t.Run(fmt.Sprintf("%s, %d look on", at.name, lookers), func(t *testing.T) {
				row(t)
				t.Parallel()
				server := acpserver.Start(t, acpserver.Options{})
				one, others := faultyTabs(t, server.URL(), lookers)
				asks := others[0]
				defer func() {
					for _, page := range others {
						showChats(t, page)
					}
				}()
				chrome.Eval[chrome.Void](one, `window.`+at.fault+` = true`)
				say(asks, "count 3")
				one.WaitFor(at.dies)
				one.Close()
				carried(t, others)
				if got := chrome.Wait[string](asks,
					`(({ code, answer }) => code || answer && "accepted")(chats.s1.prompts[0])`); got !=
					at.want && (at.want != "" || got != "accepted") {
					t.Errorf("the prompt ended with %q", got)
				}
				if at.prompts > 0 {
					if stop := ended(asks); stop != "end_turn" {
						t.Errorf("the turn ended with %q", stop)
					}
				}
				for i, page := range others {
					page.WaitFor(`chats.s1.session.pending.length === 0`)
					want := strings.Repeat(chunks(1, 3), at.prompts)
					page.WaitFor(`text("s1") === ` + chrome.JS(want) +
						` && chats.s1.session.state === "idle"`)
					if got := chrome.Eval[string](page, `text("s1", "user_message")`); got != strings.Repeat(
						"count 3", at.prompts) {
						t.Errorf("in tab %d the user said %q", i, got)
					}
				}
				quietly(t, server, lookers+1, at.prompts) // each tab has a connection of its own
				// And the session is of use.
				say(asks, "count 1")
				if stop := ended(asks); stop != "end_turn" {
					t.Errorf("the next turn ended with %q", stop)
				}
			})
		}
	}
}

// secondTurn has a tab that looks on prompt for the second time, with a turn that the agent
// holds at a gate, and the tab that carries the session die there. It ends as the agent
// says, and not before.
func secondTurn(t *testing.T, prompt, during string) {
	t.Helper()
	server := acpserver.Start(t, acpserver.Options{})
	one, others := faultyTabs(t, server.URL(), 2)
	asks := others[0]
	defer func() {
		for _, page := range others {
			showChats(t, page)
		}
	}()
	say(asks, "count 1")
	if stop := ended(asks); stop != "end_turn" {
		t.Errorf("the first turn ended with %q", stop)
	}
	say(asks, prompt)
	server.Waiting("go")
	one.Close()
	carried(t, others)
	asks.WaitFor(`chats.s1.prompts[1].answer && chats.s1.session.state === ` + chrome.JS(during))
	if chrome.Eval[bool](asks, `chats.s1.prompts[1].settled !== undefined`) {
		t.Error("the turn has ended before its end")
	}
	server.Release("go")
	if stop := ended(asks); stop != "max_tokens" {
		t.Errorf("the turn ended with %q", stop)
	}
	for i, page := range others {
		page.WaitFor(`chats.s1.session.state === "idle" && chats.s1.session.stopReason === "max_tokens"`)
		// The tab that carries on may not have heard that it began.
		if got := chrome.Eval[string](page, `chats.s1.ends.join()`); got != "end_turn,max_tokens" &&
			(i == 0 || got != "end_turn") {
			t.Errorf("tab %d heard turns end with %q", i, got)
		}
	}
	quietly(t, server, 3, 2)
}

// TestFault369_TabGoesBeforeTheTurnBegins: the agent has taken the prompt, and has not
// begun its turn: whoever reads the history finds nobody at work.
func TestFault369_TabGoesBeforeTheTurnBegins(t *testing.T) {
	t.Parallel()
	secondTurn(t, "begin @go; stop max_tokens", "idle")
}

// TestFault378_TabGoesInTheSecondTurn: whoever reads the log from the start finds the end
// of the first turn in it.
func TestFault378_TabGoesInTheSecondTurn(t *testing.T) {
	t.Parallel()
	secondTurn(t, "wait @go; stop max_tokens", "running")
}

// TestAgentTabsAnswerBetween: the tab that carries the session dies with an answer of
// another one's, in the same ways. The person has answered, and is asked no more; the
// agent has the answer once.
func TestAgentTabsAnswerBetween(t *testing.T) {
	t.Parallel()
	for _, at := range []struct{ name, fault, dies string }{
		{"lost on the way", "deaf", `true`},
		{"stored, and not sent", "stuck", `window.left === 1`},
		{"at once", "dumb", `true`},
	} {
		for lookers := 1; lookers <= 3; lookers += 2 {
			t.Run(fmt.Sprintf("%s, %d look on", at.name, lookers), func(t *testing.T) {
				row(t)
				t.Parallel()
				server := acpserver.Start(t, acpserver.Options{})
				one, others := faultyTabs(t, server.URL(), lookers)
				asks := others[0]
				say(one, "permission")
				for _, page := range others {
					page.WaitFor(`chats.s1.session.requests.length === 1`)
				}
				chrome.Eval[chrome.Void](one, `window.`+at.fault+` = true`)
				chrome.Eval[chrome.Void](asks, `chats.s1.session.requests[0].select("once")`)
				one.WaitFor(at.dies)
				one.Close()
				carried(t, others)
				for _, page := range others {
					shows(page, "allowed: once")
					page.WaitFor(
						`chats.s1.session.state === "idle" && chats.s1.session.requests.length === 0`)
				}
				if n := chrome.Eval[int](asks, `chats.s1.requests.length`); n != 1 {
					t.Errorf("the person was asked %d times", n)
				}
				if answers := server.Of("answer"); len(answers) != 1 {
					t.Errorf("answered %+v", answers)
				}
				quietly(t, server, lookers+1, 1)
			})
		}
	}
}

// TestAgentTabsAskedAgain: a question that was open in the tab that looked on is still
// there, and of use, once that tab carries the session itself.
func TestAgentTabsAskedAgain(t *testing.T) {
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	one, others := faultyTabs(t, server.URL(), 1)
	two := others[0]
	say(one, "permission")
	two.WaitFor(`chats.s1.session.requests.length === 1`)
	one.Close()
	two.WaitFor(`!chats.s1.session.followed && chats.s1.session.requests.length === 1`)
	if got := chrome.Eval[string](two, `chats.s1.withdrawn.join()`); got != "moved" {
		t.Errorf("the first was withdrawn for %q", got)
	}
	chrome.Eval[chrome.Void](two, `chats.s1.session.requests[0].select("always")`)
	shows(two, "allowed: always")
	quietly(t, server, 2, 1)
}

// TestAgentTabsTakenOver: a tab is stopped in mid-prompt without a word, and thaws once
// another one carries the session. What it was about to send it does not send, and its
// app hears what became of it.
func TestAgentTabsTakenOver(t *testing.T) {
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	one, others := faultyTabs(t, server.URL(), 1)
	two := others[0]
	say(one, "count 40 @go")
	server.Pass("go", 3)
	shows(two, chunks(1, 3))
	say(one, "held")
	two.WaitFor(`chats.s1.session.pending.length === 1`)
	one.Freeze()
	carried(t, others)
	server.Release("go")
	shows(two, chunks(1, 40)+"held")
	one.Thaw()
	one.WaitFor(`chats.s1.session.followed`)
	shows(one, chunks(1, 40)+"held")
	// Its answer has gone to the other tab.
	if stop := ended(one); stop != "end_turn" {
		t.Errorf("it ended with %q", stop)
	}
	for i, page := range []*chrome.Page{one, two} {
		page.WaitFor(`chats.s1.session.pending.length === 0 && chats.s1.session.state === "idle"`)
		if got := chrome.Eval[string](page, `text("s1", "user_message")`); got != "count 40 @goheld" {
			t.Errorf("in tab %d the user said %q", i, got)
		}
	}
	quietly(t, server, 2, 2)
	say(one, "count 1")
	if stop := ended(one); stop != "end_turn" {
		t.Errorf("the next turn ended with %q", stop)
	}
}
