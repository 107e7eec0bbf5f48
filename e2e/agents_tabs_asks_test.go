//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// lookOn opens a tab beside one that carries session s1: it follows it.
func lookOn(one *chrome.Page) *chrome.Page {
	two := one.Profile().Open(chrome.Eval[string](one, `location.href`))
	two.WaitFor(`window.ready && chats.s1?.session.followed`)
	return two
}

// overAll runs a story over both transports of the official server, with version 1
// of it, and with the peer.
func overAll(t *testing.T, story func(t *testing.T, url string, prompts func() int)) {
	official := func(i int, o acpserver.Options, url func(*acpserver.Server) string) func(t *testing.T) {
		return func(t *testing.T) {
			rowOf(t, i, 4)
			server := acpserver.Start(t, o)
			story(t, url(server), func() int { return len(server.Of("prompt")) })
		}
	}
	t.Run("http", official(0, acpserver.Options{}, (*acpserver.Server).URL))
	t.Run("websocket", official(1, acpserver.Options{}, (*acpserver.Server).WebSocketURL))
	t.Run("version 1", official(2, acpserver.Options{Versions: []int{1}}, (*acpserver.Server).URL))
	t.Run("older draft", func(t *testing.T) {
		rowOf(t, 3, 4)
		p := acppeer.New(t, acppeer.Options{EmptyAck: true, State: "state_change"})
		story(t, p.URL(), func() int { return len(p.Prompts()) })
	})
}

// TestAgentTabsAnswer: a permission is answered in the tab that looks on. The agent
// has it once, and the tab that carries the session asks no more.
func TestAgentTabsAnswer(t *testing.T) {
	long(t)
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		one := openChat(t, url)
		two := lookOn(one)
		say(one, "permission")
		for _, page := range []*chrome.Page{one, two} {
			page.WaitFor(`chats.s1.session.requests.length === 1`)
		}
		if second := chrome.Script[string](two, `
			const [request] = chats.s1.session.requests;
			request.select("once");
			try { request.select("always"); } catch (error) { return error.code; }`); second != "closed" {
			t.Errorf("the second answer ended with %q", second)
		}
		for _, page := range []*chrome.Page{one, two} {
			shows(page, "allowed: once")
			page.WaitFor(`chats.s1.session.state === "idle" && chats.s1.session.requests.length === 0`)
		}
		if got := chrome.Eval[string](one, `chats.s1.withdrawn.join()`); got != "answered" {
			t.Errorf("the tab that carries it was told %q", got)
		}
		if got := chrome.Eval[string](two, `chats.s1.withdrawn.join()`); got != "" {
			t.Errorf("the tab that answered was told %q", got)
		}
		if answers := server.Of("answer"); len(answers) != 1 {
			t.Errorf("answered %+v", answers)
		}
	})
}

// TestAgentTabsAnswerAtOnce: both tabs answer in one instant, and not the same. The
// agent gets one answer; who was not first is told.
func TestAgentTabsAnswerAtOnce(t *testing.T) {
	long(t)
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		one := openChat(t, url)
		two := lookOn(one)
		const armed = `
			window.shots = new BroadcastChannel("shots");
			window.shoot = () => chats.s1.session.requests[0].select(ANSWER);
			shots.onmessage = shoot;`
		for page, answer := range map[*chrome.Page]string{one: "once", two: "always"} {
			chrome.Script[chrome.Void](page, strings.ReplaceAll(armed, "ANSWER", chrome.JS(answer)))
		}
		for round, first := range []*chrome.Page{one, two, one, two} {
			say(one, "permission")
			for _, page := range []*chrome.Page{one, two} {
				page.WaitFor(`chats.s1.session.requests.length === 1`)
			}
			chrome.Eval[chrome.Void](first, `shots.postMessage(0), shoot()`)
			for _, page := range []*chrome.Page{one, two} {
				page.WaitFor(`chats.s1.session.state === "idle" && chats.s1.session.requests.length === 0 ` +
					`&& text("s1").split("allowed: ").length === ` + chrome.JS(round+2))
			}
			if a, b := chrome.Eval[string](one, `text("s1")`),
				chrome.Eval[string](two, `text("s1")`); a != b {
				t.Errorf("one shows %q, the other %q", a, b)
			}
			told := chrome.Eval[int](one, `chats.s1.withdrawn.length`) +
				chrome.Eval[int](two, `chats.s1.withdrawn.length`)
			if answers := server.Of("answer"); len(answers) != round+1 || told != round+1 {
				t.Errorf("round %d: answered %+v, %d told that they were late", round, answers, told)
			}
		}
	})
}

// TestAgentTabsPrompt: the tab that looks on prompts, and hears what the agent makes
// of it, as the tab that carries the session would.
func TestAgentTabsPrompt(t *testing.T) {
	t.Parallel()
	overAll(t, func(t *testing.T, url string, prompts func() int) {
		one := openChat(t, url)
		two := lookOn(one)
		say(two, "count 3")
		if stop := ended(two); stop != "end_turn" {
			t.Errorf("it ended with %q", stop)
		}
		for _, page := range []*chrome.Page{one, two} {
			shows(page, chunks(1, 3))
			page.WaitFor(`chats.s1.session.pending.length === 0 && text("s1", "user_message") === "count 3"`)
		}
		// What is refused, is refused here as there.
		var refused [2]string
		for i, page := range []*chrome.Page{one, two} {
			say(page, "refuse")
			refused[i] = chrome.Wait[string](page, `(({ code, answer, settled }) => code ||`+
				` answer && settled?.stopReason)(chats.s1.prompts.at(-1))`)
		}
		if refused[0] != refused[1] || refused[0] == "end_turn" {
			t.Errorf("a prompt that is refused ends with %q", refused)
		}
		if !chrome.Eval[bool](two, `chats.s1.session.followed`) {
			t.Error("the tab that asks carries the session")
		}
		if n := prompts(); n > 3 {
			t.Errorf("%d prompts", n)
		}
	})
}

// TestAgentTabsCancel: the tab that looks on ends the turn of the other, and takes
// back what the agent holds.
func TestAgentTabsCancel(t *testing.T) {
	long(t)
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		one := openChat(t, url)
		two := lookOn(one)
		say(one, "count 40 @go")
		server.Pass("go", 3)
		shows(two, chunks(1, 3))
		chrome.Script[chrome.Void](two, `
			window.back = new AbortController();
			window.given = chats.s1.session.prompt("held", { signal: back.signal }).catch(({ code }) => code);`)
		two.WaitFor(`chats.s1.session.pending.length === 1`)
		if code := chrome.Eval[string](two, `back.abort(), given`); code != "cancelled" {
			t.Errorf("what was taken back ended with %q", code)
		}
		one.WaitFor(`chats.s1.session.pending.length === 0`)
		chrome.Eval[chrome.Void](two, `chats.s1.session.cancel()`)
		if stop := ended(one); stop != "cancelled" {
			t.Errorf("it ended with %q", stop)
		}
		two.WaitFor(`chats.s1.session.state === "idle" && chats.s1.session.stopReason === "cancelled"`)
		if n := len(server.Of("cancel")); n != 1 {
			t.Errorf("%d cancels", n)
		}
	})
}

// TestAgentTabsSettings: a setting that is changed in the tab that looks on is
// changed in both, and one that the agent refuses in neither.
func TestAgentTabsSettings(t *testing.T) {
	long(t)
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		one := openChat(t, url)
		two := lookOn(one)
		const model = `chats.s1.session.configOptions.find(({ configId }) => configId === "model")?.currentValue`
		two.WaitFor(model + ` === "fast"`)
		chrome.Eval[chrome.Void](two, `chats.s1.session.setConfigOption("model", "deep")`)
		for _, page := range []*chrome.Page{one, two} {
			page.WaitFor(model + ` === "deep"`)
		}
		if code := chrome.Eval[string](two,
			`chats.s1.session.setConfigOption("nothing", "x").catch(({ code }) => code)`); code !=
			"rpc_error" {
			t.Errorf("an unknown setting ended with %q", code)
		}
		if code := chrome.Eval[string](two,
			`chats.s1.session.setMode("x").catch(({ code }) => code)`); code != "unsupported" {
			t.Errorf("a mode where there are none ended with %q", code)
		}
	})
}

// TestAgentTabsForget: the tab that looks on forgets the session. It is gone in both
// and from the store; the agent hears nothing of it, and has it.
func TestAgentTabsForget(t *testing.T) {
	long(t)
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	one := openChat(t, server.URL())
	two := lookOn(one)
	say(one, "count 2")
	shows(two, chunks(1, 2))
	chrome.Eval[chrome.Void](two, `chats.s1.session.forget()`)
	for _, page := range []*chrome.Page{one, two} {
		page.WaitFor(`chats.s1.session.closed && (await agent.sessions()).length === 0`)
	}
	one.WaitFor(`(await agent.stored()).rows === 0`)
	one.Close()
	two.Reload()
	two.WaitFor(`window.ready`)
	if n := chrome.Eval[int](two, `agent.sessions().then(({ length }) => length)`); n != 0 {
		t.Errorf("%d sessions came back", n)
	}
	log := server.Log()
	if n := len(acpserver.Of(log, "close")) + len(acpserver.Of(log, "delete")) +
		len(acpserver.Requests(log, "DELETE")); n != 0 {
		t.Errorf("the agent was told %d times", n)
	}
	if got := chrome.Eval[string](two,
		`agent.resumeSession("s1", { cwd: "/w" }).then((session) => { follow(session); return text("s1"); })`); got != chunks(1, 2) {
		t.Errorf("taken up again it shows %q", got)
	}
}

// TestAgentTabsClose: the tab that looks on ends the session at the agent.
func TestAgentTabsClose(t *testing.T) {
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	one := openChat(t, server.URL())
	two := lookOn(one)
	chrome.Eval[chrome.Void](two, `chats.s1.session.close()`)
	for _, page := range []*chrome.Page{one, two} {
		page.WaitFor(`chats.s1.session.closed`)
	}
	if n := len(server.Of("close")); n != 1 {
		t.Errorf("%d closes", n)
	}
}
