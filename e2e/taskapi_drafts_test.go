//go:build !js

package e2e

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// typist is the options of a page at which somebody types: each request for input
// is in typed, with its draft and what saves the next; form(i).submit(text) answers it.
const typist = `{ handlers: { elicitation: (request, { draft, saveDraft }) => new Promise((resolve) => {
	window.typed ??= [];
	typed.push({ draft, saveDraft, submit: (answer) => resolve({ action: "accept", content: { answer } }) });
}) } }`

// TestTaskAPI_Drafts: a form that is half filled in survives a reload, whichever
// way it was asked for, and is gone with the answer. The server never sees it, and
// in the store nobody can read it.
func TestTaskAPI_Drafts(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(t *testing.T) (*peer.Peer, string){
		"a round of 2026-07-28": func(t *testing.T) (*peer.Peer, string) {
			p := rounds(t)
			p.Release("go")
			return p, `mcp.callTool("ask", { call: "a" })`
		},
		"a request of the server's": func(t *testing.T) (*peer.Peer, string) {
			p := peer.New(t, peer.Options{})
			p.Asking()
			return p, `mcp.callTool("ask", { call: "a" })`
		},
		"a key of a task": func(t *testing.T) (*peer.Peer, string) {
			return formTask(t, extensionDialect), `mcp.callTool("work", { call: "a", ask: 1 })`
		},
		"a key of tasks/continue": func(t *testing.T) (*peer.Peer, string) {
			return formTask(t, continueDialect), `mcp.callTool("work", { call: "a", ask: 1 })`
		},
		"the way to a result": func(t *testing.T) (*peer.Peer, string) {
			return formTask(t, coreDialect), `mcp.callTool("work", { call: "a", ask: 1 })`
		},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p, makeCall := serve(t)
			site, half := chrome.NewSite(t), secret()
			page := candid(chrome.NewProfile(t), site)
			begin := func() {
				page.WaitFor(`window.holdfast`)
				chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+
					`, `+typist+`); await mcp.listTools();`)
			}
			begin()
			chrome.Eval[chrome.Void](page, `void watch(`+makeCall+`)`)
			page.WaitFor(`window.typed?.length === 1 && typed[0].draft === undefined && call.guarantee !== ` +
				`"lost-on-reload"`)
			saved(page, `typed[0].saveDraft({ answer: `+chrome.JS(half)+`, at: 1 })`)
			search(t, secrets{"what was typed": half}, p, page)
			page.Reload()
			begin()
			chrome.Eval[chrome.Void](page, `void mcp.calls().then(([call]) => watch(call))`)
			page.WaitFor(`window.typed?.length === 1 && window.seen`)
			if got := chrome.Eval[string](page, `JSON.stringify(typed[0].draft ?? null)`); got !=
				`{"answer":"`+half+`","at":1}` {
				t.Fatalf("the draft is %s", got)
			}
			if got := chrome.Eval[failure](page,
				`attempt(() => typed[0].saveDraft("x".repeat(70_000)))`); got.Code != "bad_argument" {
				t.Errorf("too much: %+v", got)
			}
			chrome.Eval[chrome.Void](page, `typed[0].submit("Luca")`)
			outcome(t, page, "")
			if got := chrome.Eval[bool](page, `JSON.stringify(seen.result).includes("Luca")`); !got {
				t.Errorf("result %s", chrome.Eval[string](page, `JSON.stringify(seen.result)`))
			}
			if n := chrome.Eval[int](page, `typed.length`); n != 1 {
				t.Errorf("asked %d times more", n)
			}
			blameless(t, p)
		})
	}
}

// saved has the page save a draft, and waits until it is stored.
func saved(page *chrome.Page, js string) {
	rows := chrome.Eval[int](page, `mcp.stored().then(({ rows }) => rows)`)
	chrome.Eval[chrome.Void](page, js)
	page.WaitFor(fmt.Sprintf(`(await mcp.stored()).rows > %d`, rows))
}

// formTask is a server whose tool work is a task that asks on its way.
func formTask(t *testing.T, d dialect) *peer.Peer {
	p := peer.New(t, d.options)
	p.Tasks(d.server)
	p.Working(peer.AsTask(d.policy))
	return p
}

// TestTaskAPI_DraftsByHand: an app that answers by itself has the draft in the
// event, also after a reload, where it still answers by itself.
func TestTaskAPI_DraftsByHand(t *testing.T) {
	t.Parallel()
	p := rounds(t)
	p.Release("go")
	page := app(t, p.URL(),
		`{ ack: "manual", handlers: { elicitation: () => { throw new Error("not by hand"); } } }`)
	const asked = `window.request = () => seen.events.find(({ type }) => type === "input")?.requests.get("who");`
	chrome.Script[chrome.Void](page, asked+`watch(mcp.callTool("ask", { call: "a" }, { input: "manual" }));`)
	page.WaitFor(`request() && call.guarantee === "resumable"`)
	saved(page, `request().saveDraft(["half"])`)
	saved(page, `request().saveDraft(["half", "a", "form"])`)
	page.Reload()
	if n := connected(page, p.URL(),
		`{ ack: "manual", handlers: { elicitation: () => { throw new Error("not by hand"); } } }`); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	chrome.Script[chrome.Void](page, asked)
	page.WaitFor(`request()`)
	if got := chrome.Eval[string](page, `JSON.stringify([request().method, request().draft])`); got !=
		`["elicitation/create",["half","a","form"]]` {
		t.Errorf("the request is %s", got)
	}
	chrome.Eval[chrome.Void](page, `call.answer({ who: { action: "accept", content: { answer: "Luca" } } })`)
	outcome(t, page, "")
	blameless(t, p)
}
