//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// sharedChats are pages of one profile that talk to an agent from one shared worker.
type sharedChats struct {
	t       *testing.T
	server  *acpserver.Server
	profile *chrome.Profile
	url     string
}

// answering are the options of a page that allows everything once, unless localStorage has it
// silent; it counts there how often it was asked.
const answering = `handlers: { permission: () => {
	localStorage.asked = Number(localStorage.asked ?? 0) + 1;
	return localStorage.silent ? new Promise(() => {}) : "once";
} }`

func newSharedChats(t *testing.T, server *acpserver.Server, url, options string) *sharedChats {
	t.Helper()
	page := chatPage(chrome.NewSite(t), url, `{ principal: "ada", host: "shared", `+options+` }`)
	return &sharedChats{t: t, server: server, profile: chrome.NewProfile(t).InWindows(), url: page}
}

// open opens one more page.
func (c *sharedChats) open() *chrome.Page {
	c.t.Helper()
	page := c.profile.Open(c.url)
	page.WaitFor(`window.ready`)
	if host := chrome.Eval[string](page, `agent.host`); host != "shared" {
		c.t.Fatalf("the host is %q", host)
	}
	return page
}

// uncut checks at the server that it was spoken to on one connection: a handshake,
// that many prompts, and one stream for the session and for the connection.
func (c *sharedChats) uncut(prompts int) {
	c.t.Helper()
	quietly(c.t, c.server, 1, prompts)
	streams := map[string]int{}
	for _, open := range acpserver.Of(c.server.Log(), "open") {
		streams[open.Session]++
	}
	for session, n := range streams {
		if n != 1 {
			c.t.Errorf("session %q was read by %d streams", session, n)
		}
	}
}

// overBothShared tells a story over both transports.
func overBothShared(t *testing.T, options string, story func(c *sharedChats)) {
	t.Parallel()
	overBoth(t, acpserver.Options{}, func(t *testing.T, server *acpserver.Server, url string) {
		story(newSharedChats(t, server, url, options))
	})
}

// TestFault214_SharedAgentReload: the page is reloaded in mid-prompt, twice. The agent sees
// nothing of it, and the page has the transcript at once, and the rest as it comes.
func TestFault214_SharedAgentReload(t *testing.T) {
	overBothShared(t, "", func(c *sharedChats) {
		page := c.open()
		beginChat(page)
		say(page, "count 30 @go")
		for come := 10; come <= 20; come += 10 {
			c.server.Pass("go", 10)
			shows(page, chunks(1, come))
			page.Reload()
			page.WaitFor(`window.ready`)
			if got := chrome.Eval[string](page, `chats.s1.atOnce`); got != chunks(1, come) {
				c.t.Errorf("at once it shows %q", got)
			}
		}
		if !chrome.Eval[bool](page,
			`chats.s1.session.restored && !chats.s1.session.followed && chats.s1.session.state === "running"`) {
			c.t.Error("the session is not as it was")
		}
		c.server.Release("go")
		shows(page, chunks(1, 30))
		page.WaitFor(`chats.s1.session.state === "idle" && chats.s1.session.pending.length === 0`)
		if resumed := chrome.Eval[int](page, `chats.s1.resumed.length + chats.s1.resets`); resumed != 0 {
			c.t.Errorf("it was told %d times that it goes on", resumed)
		}
		say(page, "count 2")
		ended(page)
		shows(page, chunks(1, 30)+chunks(1, 2))
		c.uncut(2)
		showChats(c.t, page)
	})
}

// TestFault215_SharedAgentAskedWhileNobodyIsThere: the agent asks for permission while no page is
// there. The next page is asked, once, and the turn goes on on the same connection.
func TestFault215_SharedAgentAskedWhileNobodyIsThere(t *testing.T) {
	long(t)
	overBothShared(t, answering, func(c *sharedChats) {
		page := c.open()
		beginChat(page)
		say(page, "permission @go")
		c.server.Waiting("go")
		page.Navigate("about:blank")
		c.server.Release("go")
		c.server.AwaitKind("ask", 1)
		page = c.open()
		shows(page, "allowed: once")
		page.WaitFor(`chats.s1.session.state === "idle" && chats.s1.session.requests.length === 0`)
		if asked := chrome.Eval[string](page, `localStorage.asked`); asked != "1" {
			c.t.Errorf("the app was asked %s times", asked)
		}
		if answers := c.server.Of("answer"); len(answers) != 1 {
			c.t.Errorf("answered %+v", answers)
		}
		c.uncut(1)
	})
}

// TestFault216_SharedAgentTwoTabs: two tabs have one connection, and both show the turn. What the
// agent asks the newer one is asked; it closes, and the other one answers.
func TestFault216_SharedAgentTwoTabs(t *testing.T) {
	long(t)
	overBothShared(t, answering, func(c *sharedChats) {
		first := c.open()
		beginChat(first)
		second := c.open()
		chrome.Eval[chrome.Void](second, `void (localStorage.silent = "yes")`)
		say(second, "permission")
		for _, page := range []*chrome.Page{first, second} {
			page.WaitFor(`chats.s1.session.requests.length === 1`)
		}
		second.WaitFor(`localStorage.asked === "1"`)
		chrome.Eval[chrome.Void](first, `localStorage.removeItem("silent")`)
		second.Close()
		shows(first, "allowed: once")
		first.WaitFor(`chats.s1.session.state === "idle" && localStorage.asked === "2"`)
		say(first, "count 3")
		ended(first)
		if answers := c.server.Of("answer"); len(answers) != 1 {
			c.t.Errorf("answered %+v", answers)
		}
		c.uncut(2)
	})
}

// TestFault217_SharedAgentKilled: the worker is killed in a turn. Another one goes on from the
// journal: the same objects in the page have the rest, and no prompt is sent twice.
func TestFault217_SharedAgentKilled(t *testing.T) {
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	c := newSharedChats(t, server, server.URL(), "")
	page := c.open()
	beginChat(page)
	chrome.Eval[chrome.Void](page, `void (window.same = chats.s1.session)`)
	say(page, "count 30 @go")
	server.Pass("go", 10)
	shows(page, chunks(1, 10))
	workers := c.profile.SharedWorkers()
	if len(workers) != 1 {
		t.Fatalf("%d workers", len(workers))
	}
	workers[0].Kill()
	page.WaitFor(`states.includes("reconnecting") && agent.state === "open"`)
	server.Release("go")
	shows(page, chunks(1, 30))
	page.WaitFor(`chats.s1.session === same && same.state === "idle" && same.pending.length === 0`)
	quietly(t, server, 1, 1)
	say(page, "count 2")
	ended(page)
	showChats(t, page)
}
