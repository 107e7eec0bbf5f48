//go:build !js

package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// whoAmI is what may tell a server who its user is, as options of connect for a
// user; and what the page does besides when that user signs in.
var whoAmI = map[string]struct {
	options func(user string) string
	cookie  bool
}{
	"a header": {options: func(user string) string {
		return `headers: { authorization: "Bearer ` + user +
			`" }`
	}},
	"a header beside a token": {options: func(user string) string {
		return `headers: { "x-user": "` + user + `" }, token: () => ` + chrome.JS(jwt("the app"))
	}},
	"cookies of the page's own origin": {options: func(string) string { return `credentials: "same-origin"` },
		cookie: true},
	"cookies of any origin": {options: func(string) string { return `credentials: "include"` }, cookie: true},
}

// onSite serves a peer of 2024-11-05 or later on a site, and counts the requests that
// bring a cookie.
func onSite(site *chrome.Site, p *peer.Peer) *atomic.Int32 {
	var cookies atomic.Int32
	for _, path := range []string{"/mcp", "/messages"} {
		site.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Cookie") != "" {
				cookies.Add(1)
			}
			p.ServeHTTP(w, r)
		}))
	}
	return &cookies
}

// TestFault123_TwoUsersInTurn: two people use one browser, one after the other, and
// what tells the server who they are tells the page nothing. What the first one has
// called the second one never sees, nor is it on the disk; the page says why.
func TestFault123_TwoUsersInTurn(t *testing.T) {
	t.Parallel()
	for name, who := range whoAmI {
		t.Run(name, func(t *testing.T) {
			row(t)
			t.Parallel()
			text := secrets{"ada's argument": secret()}
			site := chrome.NewSite(t)
			p := peer.Mounted(peer.Options{Path: "/mcp"})
			t.Cleanup(p.Close)
			p.Tool("note", peer.Script{peer.Prime(0), peer.Progress(1, 2, ""), peer.Gate("go"),
				peer.Text("done")})
			cookies := onSite(site, p)
			page := candid(chrome.NewProfile(t), site)
			signIn := func(user, principal string) string {
				return `document.cookie = "user=` + user + `";
					window.told = [];
					window.mcp = await holdfast.connect("/mcp", { ` + who.options(user) + principal + ` });
					mcp.on("durability", ({ durability, why }) => told.push(durability + " " + why));`
			}
			call := `watch(mcp.callTool("note", { text: ` + chrome.JS(text["ada's argument"]) + ` }));
				while (seen.progress.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));`
			chrome.Script[chrome.Void](page, signIn("ada", "")+call)
			page.WaitFor(`told.length > 0`)
			if got := chrome.Eval[string](page, `[mcp.durability, ...told, call.guarantee].join()`); got !=
				"memory,memory principal,lost-on-reload" {
				t.Errorf("ada's page says %s", got)
			}
			if found := text.in([]byte(chrome.Eval[string](page, left))); len(found) > 0 {
				t.Errorf("on the disk: %v", found)
			}
			if sent := cookies.Load() > 0; sent != who.cookie {
				t.Errorf("cookies went along: %v", sent)
			}
			page.Reload()
			page.WaitFor(`window.surfaces`)
			if n := chrome.Script[int](page, signIn("bob", "")+`return (await mcp.calls()).length;`); n != 0 {
				t.Errorf("bob sees %d calls of ada's", n)
			}

			// Whoever says who it is keeps what is theirs.
			for _, principal := range []string{`, principal: "ada"`, `, principal: "shared"`} {
				page.Reload()
				page.WaitFor(`window.surfaces`)
				chrome.Script[chrome.Void](page, signIn("ada", principal)+call)
				page.WaitFor(`call.guarantee === "resumable" && seen.progress.length > 0`)
				page.Reload()
				page.WaitFor(`window.surfaces`)
				mine := chrome.Script[int](page, signIn("ada", principal)+
					`return (await mcp.calls()).length;`)
				page.Reload()
				page.WaitFor(`window.surfaces`)
				bobs := chrome.Script[int](page, signIn("bob", `, principal: "bob"`)+
					`return (await mcp.calls()).length;`)
				if mine != 1 || bobs != 0 {
					t.Errorf("%s: she has %d calls, bob %d", principal, mine, bobs)
				}
			}
		})
	}
}

// TestFault123_NobodySignedIn: where nothing says who the user is, there is one, and
// calls are kept: the page's own origin sees no cookie.
func TestFault123_NobodySignedIn(t *testing.T) {
	t.Parallel()
	site := chrome.NewSite(t)
	p := peer.Mounted(peer.Options{Path: "/mcp", Revision: peer.Revision20241105})
	t.Cleanup(p.Close)
	p.Tool("note", peer.Script{peer.Text("done")})
	cookies := onSite(site, p)
	page := candid(chrome.NewProfile(t), site)
	got := chrome.Script[[]string](page, `
		document.cookie = "user=ada";
		window.plain = await holdfast.connect("/mcp");
		const { content } = await plain.callTool("note", {}, { ack: "manual" }).result;
		return [content[0].text, plain.durability];`)
	if !slices.Equal(got, []string{"done", "indexeddb"}) || cookies.Load() > 0 {
		t.Errorf("got %v, and %d requests with cookies", got, cookies.Load())
	}
	got = chrome.Script[[]string](page, `
		const shared = await holdfast.connect("/mcp", { principal: "shared", credentials: "same-origin" });
		return [shared.durability, String((await shared.calls()).length)];`)
	if !slices.Equal(got, []string{"indexeddb", "1"}) || cookies.Load() == 0 {
		t.Errorf("shared: got %v, and %d requests with cookies", got, cookies.Load())
	}
}

// TestFault123_AgentOverAWebSocket: a WebSocket sends cookies whatever it is told, so
// that a session with an agent is kept only where the app says whose it is.
func TestFault123_AgentOverAWebSocket(t *testing.T) {
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	for options, want := range map[string]string{"{}": "memory principal 0", signedIn: "indexeddb  1"} {
		page := chrome.Open(t, chrome.NewSite(t).Page("/app", withAgents(appScript)))
		page.WaitFor(`window.holdfast`)
		connect := `
			window.agent = await holdfast.connectAgent(` + chrome.JS(server.WebSocketURL()) + `, ` + options + `);
			let why = "";
			agent.on("durability", (event) => (why = event.why));
			if (agent.durability === "memory") while (why === "") await new Promise((resolve) => setTimeout(resolve, 5));`
		chrome.Script[chrome.Void](page, connect+`
			const session = await agent.newSession({ cwd: "/w" });
			await session.prompt("count 3");
			await session.settled();`)
		page.Reload()
		page.WaitFor(`window.holdfast`)
		if got := chrome.Script[string](page,
			connect+`return agent.durability + " " + why + " " + (await agent.sessions()).length;`); got !=
			want {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
	}
}

// signing connects a page whose token provider gives the token of whoever is signed in.
func signing(page *chrome.Page, url, token string) {
	chrome.Script[chrome.Void](page, `
		window.token = `+chrome.JS(token)+`;
		window.mcp = await holdfast.connect(`+chrome.JS(url)+`, { ack: "manual", token: () => token });
		window.told = [];
		mcp.on("state", ({ state }) => told.push(state));`)
}

// whose is a script: the calls that the page's user has, and how each ended.
const whose = `return (await mcp.calls()).map((call) => call.params.arguments.call).sort().join();`

// TestFault123_TheUserChangesInMidSession: the provider gives a token of another user.
// What is under way ends in this page and stays the first user's: in that user's
// other tab it goes on, and the second user has a store and a session of their own.
func TestFault123_TheUserChangesInMidSession(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	var revoked atomic.Value
	p.Unauthorized(func(token string) bool { return token == revoked.Load() })
	texts := secrets{"ada's": secret(), "bob's": secret()}
	p.Tool("note", peer.Script{peer.Prime(0), peer.Progress(1, 2, ""), peer.Gate("go"), peer.Text("done")})
	profile, site := chrome.NewProfile(t), chrome.NewSite(t)
	page, hers := candid(profile, site), candid(profile, site)
	signing(page, p.URL(), jwt("ada"))
	chrome.Script[chrome.Void](page, `watch(mcp.callTool("note", { call: `+chrome.JS(texts["ada's"])+` }));`)
	page.WaitFor(`call.guarantee === "resumable" && seen.progress.length > 0`)
	signing(hers, p.URL(), jwt("ada")+"2")
	session := sessionOf(t, p)

	// Bob signs in on the first page, and the token that it had expires.
	revoked.Store(jwt("ada"))
	got := chrome.Script[[]string](page, `
		token = `+chrome.JS(jwt("bob"))+`;
		const codes = [];
		const waits = mcp.callTool("note", { call: "waits for its token" }).result.catch((error) => codes.push(error.code));
		const hers = call.result.catch((error) => codes.push(error.code));
		await Promise.all([waits, hers]);
		const ada = call;
		watch(mcp.callTool("note", { call: `+chrome.JS(texts["bob's"])+` })); // the store is being opened
		while (call.guarantee !== "resumable" || seen.progress.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		ada.ack(); // of a call that is not his
		return [...codes, mcp.state, mcp.durability];`)
	if fmt.Sprint(got) != "[closed closed open indexeddb]" {
		t.Errorf("the page says %v", got)
	}
	if got := chrome.Script[string](page, whose); got != texts["bob's"] {
		t.Errorf("bob has %q", got)
	}
	for _, r := range p.Of("tools/call") {
		if token := r.Header.Get("Authorization"); (token == "Bearer "+jwt("bob")) != (len(texts.in(r.Body)) > 0 && texts.in(r.Body)[0] == "bob's") {
			t.Errorf("%s went out with %s", r.Body, token)
		} else if token == "Bearer "+jwt("bob") && r.Session == session {
			t.Error("bob's call went out in ada's session")
		}
	}

	// Her own tab carries what is hers, all of it, and nothing of his.
	chrome.Script[chrome.Void](hers, `
		for (const call of await mcp.calls()) if (call.params.arguments.call === `+chrome.JS(texts["ada's"])+`) watch(call);
		while (call.followed) await new Promise((resolve) => setTimeout(resolve, 5));`)
	p.Release("go")
	hers.WaitFor(`seen.done && seen.result`)
	if got := chrome.Script[string](hers, whose); len(texts.in([]byte(got))) != 1 ||
		texts.in([]byte(got))[0] != "ada's" {
		t.Errorf("ada has %q", got)
	}

	// And so do the next pages of both.
	for _, user := range []string{"ada", "bob"} {
		next := candid(profile, site)
		signing(next, p.URL(), jwt(user)+"3")
		if got := texts.in([]byte(chrome.Script[string](next, whose))); len(got) != 1 || got[0] != user+"'s" {
			t.Errorf("%s comes back to %v", user, got)
		}
	}
}

// TestFault123_CookieHint: a server that knows its users by cookies refuses a page
// that sends it none. The error says which option sends them, to the page's own
// origin alone.
func TestFault123_CookieHint(t *testing.T) {
	t.Parallel()
	site, other := chrome.NewSite(t), chrome.NewSite(t)
	for _, s := range []*chrome.Site{site, other} {
		for path, status := range map[string]int{"/401": 401, "/403": 403} {
			s.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Access-Control-Allow-Origin", "*")
				w.Header().Set("Access-Control-Allow-Headers", "*")
				if r.Method != http.MethodOptions {
					w.WriteHeader(status)
				}
			}))
		}
	}
	page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
	page.WaitFor(`window.holdfast`)
	for _, connect := range []string{"connect", "connectAgent"} {
		for _, path := range []string{"/401", "/403"} {
			for _, c := range []struct {
				url, options string
				want         bool
			}{
				{site.URL, `{}`, true}, {site.URL, `{ credentials: "omit" }`, true},
				{site.URL, `{ credentials: "same-origin" }`, false}, {other.URL, `{}`, false},
			} {
				got := chrome.Script[failure](page, `return attempt(() => holdfast.`+connect+`(`+
					chrome.JS(c.url+path)+`, `+c.options+`));`)
				if strings.Contains(got.Hint, `credentials: "same-origin"`) != c.want ||
					strings.Contains(got.Hint, "principal") != c.want {
					t.Errorf("%s %s %s: %s: %s", connect, path, c.options, got.Code, got.Hint)
				}
			}
		}
	}
}
