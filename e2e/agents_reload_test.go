//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestAgentReload: the page is reloaded in mid-sentence. The next one has the
// transcript at once, and then the rest. Over HTTP it goes on with the connection;
// a WebSocket is the connection, so there is another one.
func TestAgentReload(t *testing.T) {
	t.Parallel()
	overBoth(t, acpserver.Options{}, reloadInMidSentence)
	t.Run("version 1", func(t *testing.T) {
		row(t)
		overBoth(t, acpserver.Options{Versions: []int{1}}, reloadInMidSentence)
	})
}

func reloadInMidSentence(t *testing.T, server *acpserver.Server, url string) {
	page := openChat(t, url)
	say(page, "count 40 @go")
	server.Pass("go", 10)
	shows(page, chunks(1, 10))
	rests(page, chunks(1, 1))
	page.Reload()
	page.WaitFor(`window.ready`)
	// What was shown is a moment ahead of the disk.
	if got := chrome.Eval[string](page, `chats.s1.atOnce`); got == "" ||
		!strings.HasPrefix(chunks(1, 10), got) {
		t.Errorf("at once it shows %q", got)
	}
	if !chrome.Eval[bool](page,
		`chats.s1.session.restored && !chats.s1.session.followed && chats.s1.session.cwd === "/w"`) {
		t.Error("the session is not as it was")
	}
	// A server that has not noticed that the page is gone writes to nobody, and what
	// version 1 says is not told again: the next stream is there when the first is gone.
	server.Await("stream of the next page", func(log []acpserver.Entry) bool {
		return len(slices.DeleteFunc(acpserver.Of(log, "open"),
			func(e acpserver.Entry) bool { return e.Session != "s1" && e.Text != "websocket" })) > 1
	})
	server.Release("go")
	shows(page, chunks(1, 40))
	page.WaitFor(`chats.s1.session.state === "idle" && chats.s1.session.pending.length === 0`)
	if got := chrome.Eval[string](page, `text("s1", "user_message")`); got != "count 40 @go" {
		t.Errorf("the user said %q", got)
	}
	again := 1
	if url == server.WebSocketURL() {
		again = 2
	}
	quietly(t, server, again, 1)

	// And it is of use.
	say(page, "count 2")
	ended(page)
	shows(page, chunks(1, 40)+chunks(1, 2))
}

// TestAgentKilled: the whole browser dies in a turn, with no time for anything, and
// its next start finds the session.
func TestAgentKilled(t *testing.T) {
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	url, profile := chatPage(chrome.NewSite(t), server.URL(), "{}"), t.TempDir()
	browser := startBrowser(t, profile, url)
	ask[chrome.Void](browser, `agent.newSession({ cwd: "/w" }).then((session) => { follow(session);`+
		` prompt("s1", "count 40 @go"); })`)
	server.Pass("go", 10)
	// What the app was shown may be a moment ahead of the disk.
	ask[bool](browser, until(`chats.s1 && text("s1") === "`+chunks(1, 10)+`"`))
	browser.kill()
	server.Pass("go", 10)
	browser = startBrowser(t, profile, url)
	// the page may load before its session is there
	ask[bool](browser, until(`chats.s1 && text("s1").includes("⟨20⟩")`))
	server.Release("go")
	ask[bool](browser, until(`text("s1") === "`+chunks(1, 40)+`" && chats.s1.session.state === "idle"`))
	quietly(t, server, 1, 1)
	browser.kill()
}

// TestAgentPermissionOverReload: what the agent asks waits for the next page, and
// is answered once, however often the app tries.
func TestAgentPermissionOverReload(t *testing.T) {
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		page := openChat(t, url)
		say(page, "permission")
		page.WaitFor(`chats.s1.requests.length === 1 && chats.s1.session.state === "requires_action"`)
		rests(page, "Delete the logs?")
		page.Reload()
		page.WaitFor(`window.ready && chats.s1.session.requests.length === 1`)
		got := chrome.Script[struct {
			Title, Second string
			Options       []string
		}](page, `
			const [request] = chats.s1.session.requests;
			const options = request.options.map(({ optionId }) => optionId);
			request.select("once");
			let second = "";
			try { request.select("always"); } catch (error) { second = error.code; }
			return { title: request.title, options, second };`)
		if got.Title != "Delete the logs?" || len(got.Options) != 3 || got.Second != "closed" {
			t.Errorf("asked %+v", got)
		}
		shows(page, "allowed: once")
		page.WaitFor(`chats.s1.session.state === "idle" && chats.s1.session.requests.length === 0`)
		if answers := server.Of("answer"); len(answers) != 1 {
			t.Errorf("answered %+v", answers)
		}
		if tool := chrome.Eval[string](page,
			`chats.s1.session.transcript.find(({ type }) => type === "tool_call").status`); tool !=
			"completed" {
			t.Errorf("the tool call is %s", tool)
		}
	})
}

// TestAgentPermissionWithdrawn: somebody else answers, and the agent takes back
// what it had asked here.
func TestAgentPermissionWithdrawn(t *testing.T) {
	long(t)
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		page := openChat(t, url)
		say(page, "permission")
		page.WaitFor(`chats.s1.requests.length === 1`)
		other := acpserver.StartOfficial(t, server.URL(), 2)
		other.Permit("always")
		other.Resume("s1")
		page.WaitFor(`chats.s1.withdrawn.join() === "agent"`)
		if !chrome.Eval[bool](page,
			`chats.s1.requests[0].signal.aborted && chats.s1.session.requests.length === 0`) {
			t.Error("the request still waits")
		}
		shows(page, "allowed: always")
		if stop := ended(page); stop != "end_turn" {
			t.Errorf("it ended with %q", stop)
		}
	})
}
