//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// chatScript is a page that talks to an agent, whenever and however often it is
// loaded: chats has what it has of each session, by the session's id.
var chatScript = withAgents(`
import * as holdfast from "/holdfast.mjs";
window.holdfast = holdfast;
window.chats = {};
window.text = (id, type = "agent_message") =>
	chats[id].session.transcript.filter((item) => item.type === type).flatMap(({ content }) => content.map((block) => block.text)).join("");
window.follow = (session) => {
	if (chats[session.id]) return;
	const chat = { session, requests: [], withdrawn: [], ends: [], resumed: [], status: [], integrity: [], resets: 0, prompts: [] };
	chats[session.id] = chat;
	chat.atOnce = text(session.id);
	session.on("request", ({ request }) => chat.requests.push(request));
	session.on("withdrawn", ({ reason }) => chat.withdrawn.push(reason));
	session.on("turn", (turn) => { if (turn.ended) chat.ends.push(turn.stopReason ?? ""); });
	session.on("resumed", ({ outcome }) => chat.resumed.push(outcome));
	session.on("status", ({ state }) => chat.status.push(state));
	session.on("integrity", ({ what }) => chat.integrity.push(what));
	session.on("reset", () => chat.resets++);
};
window.prompt = (id, content) => {
	const made = { answer: undefined, code: "", settled: undefined };
	chats[id].prompts.push(made);
	chats[id].session.prompt(content).then(
		(answer) => {
			made.answer = answer;
			chats[id].session.settled().then((end) => (made.settled = end), (error) => (made.code = error.code));
		},
		(error) => (made.code = error.code),
	);
};
window.states = [];
window.told = [];
window.agent = await holdfast.connectAgent(SERVER, OPTIONS);
agent.on("integrity", ({ what }) => told.push(what));
agent.on("state", ({ state }) => states.push(state));
agent.on("session", ({ session }) => follow(session));
for (const session of await agent.sessions()) follow(session);
window.ready = true;
`)

// chatPage is the address of such a page, for an agent.
func chatPage(site *chrome.Site, agent, options string) string {
	return chatPageAfter("", site, agent, options)
}

// chatPageAfter is the same with a script that the page runs first.
func chatPageAfter(first string, site *chrome.Site, agent, options string) string {
	return site.Page("/chat", first+strings.NewReplacer(
		"SERVER", chrome.JS(agent), "OPTIONS", options).Replace(chatScript))
}

// signedIn are the options of a page whose user is known: over a WebSocket nothing
// is kept otherwise.
const signedIn = `{ principal: "ada" }`

// openChat opens such a page, with a session: s1, unless the agent has more.
func openChat(t *testing.T, agent string) *chrome.Page {
	t.Helper()
	page := chrome.Open(t, chatPage(chrome.NewSite(t), agent, signedIn))
	page.WaitFor(`window.ready`)
	beginChat(page)
	return page
}

// beginChat begins another session and returns its id.
func beginChat(page *chrome.Page) string {
	return chrome.Script[string](page,
		`const session = await agent.newSession({ cwd: "/w" }); follow(session); return session.id;`)
}

// say prompts in session s1, without waiting for anything.
func say(page *chrome.Page, text string) {
	chrome.Eval[chrome.Void](page, `prompt("s1", `+chrome.JS(text)+`)`)
}

// shows waits until the agent's messages in session s1 are exactly that.
func shows(page *chrome.Page, want string) {
	page.WaitFor(`text("s1") === ` + chrome.JS(want))
}

// ended waits until the turn of the latest prompt in session s1 has ended for who
// waits for it, and returns the stopReason.
func ended(page *chrome.Page) string {
	return chrome.Wait[string](page,
		`chats.s1.prompts.at(-1).settled && (chats.s1.prompts.at(-1).settled.stopReason || "none")`)
}

// chunks is what an agent says that counts from one number to another.
func chunks(from, to int) string {
	var b strings.Builder
	for n := from; n <= to; n++ {
		fmt.Fprintf(&b, "⟨%d⟩", n)
	}
	return b.String()
}

// showChats prints what a page has of its sessions, where the story has failed.
func showChats(t *testing.T, page *chrome.Page) {
	if t.Failed() {
		t.Log(chrome.Eval[string](page, `Object.values(chats).map(({ session, ...chat }) =>
			session.id + " " + session.state + " " + text(session.id) + " " + JSON.stringify(chat)).join("\n")`))
	}
}

// quietly checks at the official server that it was spoken to no more than that:
// so many handshakes and prompts, and no connection ended by the client.
func quietly(t *testing.T, server *acpserver.Server, initializes, prompts int) {
	t.Helper()
	log := server.Log()
	if n := len(acpserver.Of(log, "initialize")); n != initializes {
		t.Errorf("%d initializes, want %d", n, initializes)
	}
	if n := len(acpserver.Of(log, "prompt")); n != prompts {
		t.Errorf("%d prompts, want %d", n, prompts)
	}
	if n := len(acpserver.Requests(log, "DELETE")); n != 0 {
		t.Errorf("%d DELETEs", n)
	}
}

// overBoth runs a story over both transports of the official server.
func overBoth(t *testing.T, o acpserver.Options,
	story func(t *testing.T, server *acpserver.Server, url string)) {
	t.Run("http", func(t *testing.T) {
		rowOf(t, 0, 2)
		server := acpserver.Start(t, o)
		story(t, server, server.URL())
	})
	t.Run("websocket", func(t *testing.T) {
		rowOf(t, 1, 2)
		server := acpserver.Start(t, o)
		story(t, server, server.WebSocketURL())
	})
}
