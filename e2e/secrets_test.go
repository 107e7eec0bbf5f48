//go:build !js

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/uuid"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// secrets are what a server or an app trusts to the runtime alone, by what they
// are. Each is unlike any other text, so that finding one proves a leak.
type secrets map[string]string

// secret makes one up.
func secret() string { return strings.ReplaceAll(uuid.NewString(), "-", "") }

// disguises returns the forms in which a text may be written down: as it is, in
// the two bytes of JavaScript's strings, in hex, in base64 at each offset, in a URL.
func disguises(text string) [][]byte {
	wide := make([]byte, 0, 2*len(text))
	for _, unit := range utf16.Encode([]rune(text)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	forms := [][]byte{[]byte(text), wide, []byte(hex.EncodeToString([]byte(text))),
		[]byte(url.QueryEscape(text))}
	for shift := range 3 {
		// Without the characters at either end, which hold bits of others.
		code := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), text...))
		forms = append(forms, []byte(code[4:len(code)-4]))
	}
	return forms
}

// in names the secrets that content shows.
func (s secrets) in(content []byte) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if slices.ContainsFunc(disguises(s[name]),
			func(form []byte) bool { return bytes.Contains(content, form) }) {
			found = append(found, name)
		}
	}
	return found
}

// candidScript gathers what a page shows: to its user, to other scripts, to the
// developer's console, to error reports.
const candidScript = appScript + `
window.channels = [];
const Real = BroadcastChannel;
globalThis.BroadcastChannel = class extends Real {
	constructor(name) {
		super(name);
		channels.push(name);
	}
};
window.shown = (value) => value instanceof Uint8Array ? Array.from(value, (byte) => String.fromCharCode(byte)).join("")
	: typeof value === "object" && value !== null ? Object.entries(value).map(([k, v]) => k + "=" + shown(v)).join() : String(value);
window.errors = [];
// All that an error report could hold of an error.
window.confess = (error) => {
	for (let e = error; e !== undefined && e !== null; e = e.cause) {
		errors.push([String(e), e.stack, JSON.stringify(e), ...Object.getOwnPropertyNames(e).map((name) => shown(e[name]))].join("\n"));
	}
};
window.fails = (run) => Promise.resolve().then(run).then(() => "", (error) => { confess(error); return error.code ?? String(error); });
window.eavesdrop = (names) => {
	window.heard = [];
	for (const name of names) new Real(name).onmessage = ({ data }) => heard.push(shown(data));
};
window.surfaces = async () => {
	const records = [];
	for (const { name } of await indexedDB.databases()) {
		const db = await new Promise((resolve) => { const open = indexedDB.open(name); open.onsuccess = () => resolve(open.result); });
		for (const store of db.objectStoreNames) {
			records.push(...await new Promise((resolve) => { const all = db.transaction(store).objectStore(store).getAll(); all.onsuccess = () => resolve(all.result); }));
		}
		db.close();
	}
	return {
		DOM: document.documentElement.outerHTML,
		addresses: [location.href, document.referrer, ...performance.getEntries().map((e) => e.name)].join("\n"),
		cookies: document.cookie,
		storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }, window.name, history.state]),
		database: shown(records),
		errors: errors.join("\n"),
		client: [JSON.stringify(window.mcp), shown({ ...window.mcp }), ...["server", "capabilities", "counters", "negotiation", "guarantees", "state", "url"].map((k) => JSON.stringify(window.mcp?.[k]))].join("\n"),
		call: [JSON.stringify(window.seen ?? null), JSON.stringify(window.call ?? null)].join("\n"),
		channel: (window.heard ?? []).join("\n"),
	};
};
`

// candid opens a page of site that gathers what it shows.
func candid(profile *chrome.Profile, site *chrome.Site) *chrome.Page {
	page := profile.Open(site.Page("/app", candidScript))
	page.WaitFor(`window.holdfast && window.surfaces`)
	return page
}

// search reports where in the pages a secret shows, and in what a server logs by
// itself: addresses and referrers.
func search(t *testing.T, known secrets, p *peer.Peer, pages ...*chrome.Page) {
	t.Helper()
	for i, page := range pages {
		surfaces := chrome.Eval[map[string]string](page, `surfaces()`)
		surfaces["console"] = strings.Join(page.Console(), "\n")
		for where, text := range surfaces {
			if found := known.in([]byte(text)); len(found) > 0 {
				t.Errorf("page %d shows %v in: %s", i, found, where)
			}
		}
	}
	for _, r := range p.Requests() {
		if found := known.in([]byte(r.URL + "\n" + r.Header.Get("Referer"))); len(found) > 0 {
			t.Errorf("the server's log shows %v: %s", found, r.URL)
		}
	}
}

// sessionOf is the session id of the newest request that has one.
func sessionOf(t *testing.T, p *peer.Peer) string {
	t.Helper()
	for _, r := range slices.Backward(p.Requests()) {
		if r.Session != "" {
			return r.Session
		}
	}
	t.Fatal("no request has a session")
	return ""
}

// TestFault115_SecretsStayInside: bearer token, session id, event ids, resume
// tokens and requestState show nowhere, through reloads, cuts, errors and a
// second tab, not even in the database.
func TestFault115_SecretsStayInside(t *testing.T) {
	t.Parallel()
	t.Run("event ids", func(t *testing.T) {
		row(t)
		known := secrets{"bearer token": secret(), "first event id": secret(), "second event id": secret(),
			"third event id": secret()}
		p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
		p.Unauthorized(func(token string) bool { return token != known["bearer token"] })
		p.Tool("steps", peer.Script{
			peer.ID(known["first event id"]), peer.Progress(1, 3, ""), peer.Gate("go"),
			peer.ID(known["second event id"]), peer.Progress(2, 3, ""), peer.Gate("go"),
			peer.ID(known["third event id"]), peer.Progress(3, 3, ""), peer.Gate("go"), peer.Text("done"),
		})
		connect := `window.mcp = await holdfast.connect(` + chrome.JS(p.URL()) +
			`, { principal: "ada", token: () => ` + chrome.JS(known["bearer token"]) + ` });`
		page, other, listener := threePages(t)
		chrome.Script[chrome.Void](page, connect)
		chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
		page.WaitFor(`call.guarantee === "resumable"`)
		known["session id"] = sessionOf(t, p)
		chrome.Eval[chrome.Void](listener, `eavesdrop(`+chrome.JS(chrome.Eval[[]string](page, `channels`))+
			`)`)
		chrome.Script[chrome.Void](other, connect+`watch((await mcp.calls())[0]);`)
		p.CutStreams(peer.FIN)
		p.Pass("go")
		other.WaitFor(`seen.progress.length === 2`)
		search(t, known, p, page, other, listener)
		page.Reload()
		page.WaitFor(`window.surfaces`)
		chrome.Script[chrome.Void](page, connect+`watch((await mcp.calls())[0]);`)
		p.Pass("go")
		page.WaitFor(`seen.progress.length === 3`)
		search(t, known, p, page, other, listener)
		if n := len(p.Of("RESUME")); n == 0 {
			t.Error("no event id was ever sent: the search for them proves nothing")
		}
		// Errors of all sorts, last of all those that end the call.
		p.Answer("tools/list", peer.Response{Status: 500, Body: "no"})
		p.Answer("prompts/list", peer.Response{Header: map[string]string{"Content-Type": "text/html"},
			Body: "<p>no"})
		codes := []string{chrome.Eval[string](page, `fails(() => mcp.listTools())`),
			chrome.Eval[string](page, `fails(() => mcp.listPrompts())`)}
		p.Unauthorized(func(string) bool { return true })
		codes = append(codes, chrome.Eval[string](page, `fails(() => mcp.ping())`))
		p.Unauthorized(nil)
		p.Expire()
		p.CutStreams(peer.Reset)
		codes = append(codes, chrome.Eval[string](page, `fails(() => call.result)`))
		p.Down()
		last := chrome.Eval[string](page, `fails(() => mcp.ping({ timeouts: { answer: 500 } }))`)
		if !slices.Equal(codes, []string{"http_error", "protocol_error", "unauthorized", "lost"}) ||
			last != "network_error" && last != "timeout" {
			t.Errorf("the errors were %q, then %q", codes, last)
		}
		search(t, known, p, page, other, listener)
	})

	t.Run("resume tokens", func(t *testing.T) {
		row(t)
		p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
		p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600}))
		page, other, listener := threePages(t)
		connect := `window.mcp = await holdfast.connect(` + chrome.JS(p.URL()) + `);`
		chrome.Script[chrome.Void](page, connect)
		chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 4, call: "a", gate: "go" }))`)
		page.WaitFor(`call.guarantee === "resumable"`)
		chrome.Eval[chrome.Void](listener, `eavesdrop(`+chrome.JS(chrome.Eval[[]string](page, `channels`))+
			`)`)
		chrome.Script[chrome.Void](other, connect+`watch((await mcp.calls())[0]);`)
		p.Pass("go")
		other.WaitFor(`seen.progress.length === 1`)
		page.Reload()
		page.WaitFor(`window.surfaces`)
		chrome.Script[chrome.Void](page, connect+`watch((await mcp.calls())[0]);`)
		placed(t, p, "a", 0)
		p.Pass("go")
		page.WaitFor(`seen.progress.length === 2`)
		known := secrets{"session id": sessionOf(t, p)}
		for i, issued := range p.Oracle().Tokens("a") {
			known[fmt.Sprintf("resume token %d", i)] = strings.TrimPrefix(issued.Token, "resume-")
		}
		if len(known) < 2 || len(p.Of("requests/resume")) == 0 {
			t.Errorf("%d secrets, %d resumes: the search proves nothing", len(known),
				len(p.Of("requests/resume")))
		}
		search(t, known, p, page, other, listener)
		p.Expire()
		p.CutStreams(peer.Reset)
		if code := chrome.Eval[string](page, `fails(() => call.result)`); code != "lost" {
			t.Errorf("the call ended with %q", code)
		}
		search(t, known, p, page, other, listener)
	})

	t.Run("requestState", func(t *testing.T) {
		row(t)
		known := secrets{"first state": secret(), "second state": secret()}
		p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
		question := `{"who":` + peer.Elicitation("Who?", `{"type":"object","properties":{}}`) + `}`
		p.ToolFunc("ask", func(c peer.Call) peer.Script {
			switch c.RequestState {
			case "":
				return peer.Script{peer.InputRequired(question, known["first state"])}
			case known["first state"]:
				return peer.Script{peer.InputRequired(question, known["second state"])}
			}
			// without a head the browser would send it twice
			return peer.Script{peer.Open(), peer.Cut(peer.Reset)}
		})
		page, other, listener := threePages(t)
		connect := `window.mcp = await holdfast.connect(` + chrome.JS(p.URL()) + `, { handlers: { ` +
			`elicitation: () => new Promise((accept) => { window.answer = () => { window.answer = undefined;` +
			` accept({ action: "accept", content: {} }); }; }) } });`
		chrome.Script[chrome.Void](page, connect)
		chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("ask"))`)
		page.WaitFor(`window.answer && call.guarantee === "resumable"`)
		chrome.Eval[chrome.Void](listener, `eavesdrop(`+chrome.JS(chrome.Eval[[]string](page, `channels`))+
			`)`)
		chrome.Script[chrome.Void](other, connect+`watch((await mcp.calls())[0]);`)
		chrome.Eval[chrome.Void](page, `answer()`)
		page.WaitFor(`window.answer`)
		search(t, known, p, page, other, listener)
		page.Reload()
		page.WaitFor(`window.surfaces`)
		chrome.Script[chrome.Void](page, connect+`watch((await mcp.calls())[0]);`)
		var asked *chrome.Page
		eventually(t, "a page that asks", func() bool {
			for _, candidate := range []*chrome.Page{page, other} {
				if chrome.Eval[bool](candidate, `Boolean(window.answer)`) {
					asked = candidate
				}
			}
			return asked != nil
		})
		chrome.Eval[chrome.Void](asked, `answer()`)
		if code := chrome.Eval[string](asked, `fails(() => call.result)`); code != "outcome_unknown" {
			t.Errorf("the call ended with %q", code)
		}
		if n := len(p.Of("tools/call")); n != 3 {
			t.Errorf("%d requests: the states were not sent back", n)
		}
		search(t, known, p, page, other, listener)
	})
}

// threePages opens two pages for one server and one that only listens.
func threePages(t *testing.T) (page, other, listener *chrome.Page) {
	t.Helper()
	site, profile := chrome.NewSite(t), chrome.NewProfile(t)
	return candid(profile, site), candid(profile, site), candid(profile, site)
}

// TestFault115_SearchFindsWhatIsPlain keeps the search honest: what a page says
// openly is found in every place that is looked at.
func TestFault115_SearchFindsWhatIsPlain(t *testing.T) {
	t.Parallel()
	page := candid(chrome.NewProfile(t), chrome.NewSite(t))
	places := []string{"DOM", "addresses", "cookies", "storage", "database", "errors", "client", "call",
		"channel", "console"}
	known := secrets{}
	for _, place := range places {
		known[place] = secret()
	}
	say := chrome.JS(known)
	surfaces := chrome.Script[map[string]string](page, `
		const say = `+say+`;
		document.body.append(say.DOM);
		history.replaceState(null, "", "?q=" + say.addresses);
		document.cookie = "c=" + btoa(say.cookies);
		localStorage.setItem("s", say.storage);
		await new Promise((resolve) => {
			const open = indexedDB.open("plain");
			open.onupgradeneeded = () => open.result.createObjectStore("rows").put(new TextEncoder().encode("xy" + say.database), 1);
			open.onsuccess = () => { open.result.close(); resolve(); };
		});
		confess(new Error("outer", { cause: Object.assign(new Error("inner"), { token: say.errors }) }));
		window.mcp = { url: say.client };
		window.seen = { events: [{ data: say.call }] };
		console.warn("careless", say.console);
		eavesdrop(["plain"]);
		new BroadcastChannel("plain").postMessage({ deep: [new TextEncoder().encode(say.channel)] });
		while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve));
		return surfaces();`)
	surfaces["console"] = strings.Join(page.Console(), "\n")
	for _, place := range places {
		if found := known.in([]byte(surfaces[place])); !slices.Contains(found, place) {
			t.Errorf("what is plain was not found in: %s", place)
		}
	}
	for _, form := range disguises("canary-canary-canary") {
		if known := (secrets{"it": "canary-canary-canary"}); len(
			known.in(append([]byte("x"), form...))) != 1 {
			t.Errorf("%q is not recognized", form)
		}
	}
}
