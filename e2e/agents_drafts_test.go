//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// atRest is all that the databases of a page's origin hold, as text.
const atRest = `(async () => {
	const done = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
	const text = (value) => {
		if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return new TextDecoder().decode(value);
		if (value && typeof value === "object") return Object.values(value).map(text).join(" ");
		return String(value);
	};
	let all = "";
	for (const { name } of await indexedDB.databases()) {
		const db = await done(indexedDB.open(name));
		for (const store of db.objectStoreNames) all += text(await done(db.transaction(store).objectStore(store).getAll()));
		db.close();
	}
	return all;
})()`

// rests waits until a text is on the disk: what a page shows is a moment ahead of it.
func rests(page *chrome.Page, text string) {
	page.WaitFor(atRest + `.then((all) => all.includes(` + chrome.JS(text) + `))`)
}

// TestAgentDrafts: a form of the agent's that is half filled in is there again after
// a reload, and in the tab that takes the session over. It rests encrypted, the agent
// never sees it, and it is gone with the answer.
func TestAgentDrafts(t *testing.T) {
	long(t)
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	one := chrome.Open(t, chatPage(chrome.NewSite(t), server.URL(), `{ input: "manual" }`))
	one.WaitFor(`window.ready`)
	beginChat(one)
	two := lookOn(one)
	say(one, "ask")
	const asked = `chats.s1.session.requests.length === 1`
	const form = `chats.s1.session.requests[0]`
	one.WaitFor(asked)
	saved := 0
	save := func(page *chrome.Page, colour string) {
		chrome.Eval[chrome.Void](page, form+`.saveDraft({ colour: `+chrome.JS(colour)+` })`)
		// A draft is sealed, and not to be seen on the disk. A session that is made
		// behind it is, and what is written is stored in order.
		saved++
		behind := fmt.Sprintf("/saved/%d", saved)
		chrome.Script[chrome.Void](page, `await agent.newSession({ cwd: `+chrome.JS(behind)+` });`)
		rests(page, behind)
	}
	save(one, "halfway-to-red")
	if rest := chrome.Eval[string](one, atRest); strings.Contains(rest, "halfway-to-red") ||
		!strings.Contains(rest, "What shall I buy?") {
		t.Error("what was typed is in the open, or nothing is there at all")
	}
	two.WaitFor(asked)
	if got := chrome.Eval[bool](two, form+`.draft === undefined`); !got {
		t.Error("the tab that looks on has the draft")
	}
	one.Close()
	two.WaitFor(`!chats.s1.session.followed && ` + asked)
	two.WaitFor(form + `.draft?.colour === "halfway-to-red"`)
	// The history is told again to who takes over, and what was stored is replaced.
	two.WaitFor(`chats.s1.resumed.length > 0`)
	save(two, "red")
	two.Reload()
	two.WaitFor(`window.ready && ` + asked)
	if got := chrome.Eval[string](two, `JSON.stringify(`+form+`.draft)`); got != `{"colour":"red"}` {
		t.Errorf("the draft is %s", got)
	}
	if got := chrome.Eval[failure](two, `(async () => { try { `+form+
		`.saveDraft("x".repeat(70_000)); return { code: "" }; } catch ({ code }) { return { code }; } })()`); got.Code != "bad_argument" {
		t.Errorf("too much: %+v", got)
	}
	chrome.Eval[chrome.Void](two, form+`.accept(`+form+`.draft)`)
	two.WaitFor(`chats.s1.session.state === "idle" && text("s1").includes('"colour":"red"')`)
	if answers := server.Of("answer"); len(answers) != 1 ||
		strings.Contains(string(answers[0].Data), "halfway") {
		t.Errorf("answered %+v", answers)
	}
}

// TestAgentModes: a mode is set with version 1's own method, or with the setting that
// took its place, also from a tab that looks on.
func TestAgentModes(t *testing.T) {
	long(t)
	t.Parallel()
	for name, test := range map[string]struct {
		version              int
		update, method, want string
	}{
		"version 2": {2, `{"sessionUpdate":"config_option_update","configOptions":[{"configId":"m",` +
			`"name":"Mode","category":"mode","type":"select","currentValue":"ask",` +
			`"options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}`,
			"session/set_config_option", `"value":"code"`},
		"version 1": {1, `{"sessionUpdate":"current_mode_update","currentModeId":"ask"}`, "session/set_mode",
			`"modeId":"code"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := acppeer.New(t, acppeer.Options{Version: test.version})
			one := openChat(t, p.URL())
			two := lookOn(one)
			p.Push("s1", test.update)
			for i, page := range []*chrome.Page{two, one} {
				page.WaitFor(`chats.s1.session.mode === "ask"`)
				chrome.Eval[string](page,
					`chats.s1.session.setMode("code").then(() => "", ({ code }) => code)`)
				sent := p.Of(test.method)
				if len(sent) != i+1 || !strings.Contains(sent[i].Body, test.want) {
					t.Errorf("sent %+v", sent)
				}
				p.Push("s1", test.update)
			}
		})
	}
}
