//go:build !js

package e2e

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// keeping starts a peer whose tool shows a secret text to those who ask with the
// right token, and waits at gate "go" before its result.
func keeping(t *testing.T, text string) *peer.Peer {
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Tool("note", peer.Script{peer.Prime(0), peer.Progress(1, 2, text), peer.Gate("go"), peer.Text(text)})
	return p
}

// left is a script: what the origin still holds, as text.
const left = `(async () => {
	const { database, storage } = await surfaces();
	return storage + "\n" + database;
})()`

// jwt makes a token that says whose it is.
func jwt(subject string) string {
	part := func(json string) string { return base64.RawURLEncoding.EncodeToString([]byte(json)) }
	return part(`{"alg":"none"}`) + "." +
		part(fmt.Sprintf(`{"iss":"https://id.example","sub":%q,"name":"Zoë"}`, subject)) + ".signature"
}

// TestFault82_ServersAndUsersApart: two servers and two users of one origin see
// nothing of each other; forgetting one leaves the others untouched, and nothing
// of it.
func TestFault82_ServersAndUsersApart(t *testing.T) {
	t.Parallel()
	texts := secrets{"ada's": secret(), "bob's": secret(), "the other server's": secret()}
	one, other := keeping(t, ""), keeping(t, texts["the other server's"])
	for _, user := range []string{"ada", "bob"} {
		one.Tool("note "+user, peer.Script{peer.Prime(0), peer.Progress(1, 2, texts[user+"'s"]),
			peer.Gate("go"), peer.Text("done")})
	}
	for name, options := range map[string]func(user string) string{
		"by principal": func(user string) string { return `{ principal: ` + chrome.JS(user) + ` }` },
		"by JWT":       func(user string) string { return `{ token: () => ` + chrome.JS(jwt(user)) + ` }` },
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			page := candid(chrome.NewProfile(t), chrome.NewSite(t))
			connect := func(url, options string) string {
				return `await holdfast.connect(` + chrome.JS(url) + `, ` + options + `)`
			}
			chrome.Script[chrome.Void](page, `
				window.ada = `+connect(one.URL(), options("ada"))+`;
				window.bob = `+connect(one.URL(), options("bob"))+`;
				window.third = `+connect(other.URL(), "{}")+`;
				window.kept = [ada.callTool("note ada"), bob.callTool("note bob"), third.callTool("note")];
				for (const call of kept) while (call.guarantee !== "resumable") await new Promise((resolve) => setTimeout(resolve, 5));`)
			if found := texts.in([]byte(chrome.Eval[string](page, left))); len(found) != 3 {
				t.Fatalf("only %v is stored: the search proves nothing", found)
			}
			// Each sees its own, in this page and in the next.
			page.Reload()
			page.WaitFor(`window.surfaces`)
			mine := chrome.Script[[]string](page, `
				window.ada = `+connect(one.URL(), options("ada"))+`;
				window.bob = `+connect(one.URL(), options("bob"))+`;
				window.third = `+connect(other.URL(), "{}")+`;
				return Promise.all([ada, bob, third].map(async (mcp) => (await mcp.calls()).map((call) => call.params.name).join()));`)
			if !slices.Equal(mine, []string{"note ada", "note bob", "note"}) {
				t.Errorf("they see %q", mine)
			}
			// Ada logs out.
			state := chrome.Script[string](page, `await ada.forget(); return ada.state;`)
			if found := texts.in([]byte(chrome.Eval[string](page, left))); !slices.Equal(
				found, []string{"bob's", "the other server's"}) {
				t.Errorf("after ada was forgotten (%s) there is %v", state, found)
			}
			still := chrome.Script[[]string](page, `
				const again = `+connect(one.URL(), options("ada"))+`;
				return [...await Promise.all([again, bob, third].map(async (mcp) => (await mcp.calls()).length + " " + (await mcp.stored()).calls))];`)
			if !slices.Equal(still, []string{"0 0", "1 1", "1 1"}) {
				t.Errorf("then they have %q", still)
			}
			// Then everybody does.
			chrome.Script[chrome.Void](page, `await holdfast.wipe();`)
			text := chrome.Eval[string](page, left)
			if found := texts.in([]byte(text)); len(found) > 0 || strings.Contains(text, one.URL()) ||
				strings.Contains(text, other.URL()) {
				t.Errorf("after the wipe there is %v: %.300s", found, text)
			}
			page.WaitFor(`[bob, third].every((mcp) => mcp.durability === "memory")`)
			// What runs goes on to its end.
			one.Release("go")
			other.Release("go")
			ended := chrome.Script[[]string](page, `return Promise.all([bob,`+
				` third].map(async (mcp) => (await (await mcp.calls())[0].result).content[0].text.length > `+
				`0 ? "ended" : "empty"));`)
			if !slices.Equal(ended, []string{"ended", "ended"}) {
				t.Errorf("the calls: %q", ended)
			}
			if found := texts.in([]byte(chrome.Eval[string](page, left))); len(found) > 0 {
				t.Errorf("what ran wrote %v after the wipe", found)
			}
			one.Hold("go")
			other.Hold("go")
		})
	}
}

// TestFault82_NobodyKnowsWho: with an opaque token and no principal nothing is
// kept, since the next user of the origin might be another one.
func TestFault82_NobodyKnowsWho(t *testing.T) {
	t.Parallel()
	text := secrets{"the text": secret()}
	p := keeping(t, text["the text"])
	for name, token := range map[string]string{
		"opaque":              "abcdef",
		"a JWT without sub":   "e30.e30.x",
		"dots, and no base64": "a.!!.b",
		"sub is a number":     "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":7}`)) + ".x",
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			page := candid(chrome.NewProfile(t), chrome.NewSite(t))
			got := chrome.Script[[]any](page, `
				window.told = [];
				window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { token: () => `+chrome.JS(token)+` });
				mcp.on("durability", ({ durability, why }) => told.push(durability + " " + why));
				watch(mcp.callTool("note"));
				while (seen.progress.length === 0 || told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
				return [mcp.durability, ...told, await mcp.stored(), call.guarantee];`)
			if fmt.Sprint(got) != `[memory memory principal <nil> lost-on-reload]` {
				t.Errorf("got %v", got)
			}
			if found := text.in([]byte(chrome.Eval[string](page, left))); len(found) > 0 {
				t.Error("the text is stored")
			}
			page.Reload()
			page.WaitFor(`window.surfaces`)
			n := chrome.Script[int](page, `
				window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { token: () => `+chrome.JS(token)+` });
				return (await mcp.calls()).length;`)
			if n != 0 {
				t.Errorf("%d calls came back", n)
			}
		})
	}
}

// TestStoryLogoutWithASecondTab: a tab that still carries a call when another
// forgets the server writes nothing back.
func TestStoryLogoutWithASecondTab(t *testing.T) {
	t.Parallel()
	for name, logout := range map[string]string{"forget": `mcp.forget()`, "wipe": `holdfast.wipe()`} {
		t.Run(name, func(t *testing.T) {
			row(t)
			text := secrets{"a call's argument": secret(), "what came later": secret()}
			p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			p.Tool("note", peer.Script{peer.Prime(0), peer.Progress(1, 3, ""), peer.Gate("go"),
				peer.Progress(2, 3, text["what came later"]), peer.Gate("go"), peer.Text("done")})
			profile, site := chrome.NewProfile(t), chrome.NewSite(t)
			carrier, other := candid(profile, site), candid(profile, site)
			connect := `window.mcp = await holdfast.connect(` + chrome.JS(p.URL()) +
				`, { principal: "ada" });`
			chrome.Script[chrome.Void](carrier, connect+`watch(mcp.callTool("note", { text: `+
				chrome.JS(text["a call's argument"])+` }));`)
			carrier.WaitFor(`call.guarantee === "resumable"`)
			chrome.Script[chrome.Void](other, connect)
			if found := text.in([]byte(chrome.Eval[string](other, left))); len(found) != 1 {
				t.Fatal("nothing is stored")
			}
			chrome.Script[chrome.Void](other, `await `+logout+`;`)
			carrier.WaitFor(`mcp.durability === "memory" && call.guarantee === "lost-on-reload"`)
			p.Pass("go")
			carrier.WaitFor(`seen.progress.length === 2`)
			p.Pass("go")
			outcome(t, carrier, "")
			if remains := chrome.Eval[string](carrier, left); len(text.in([]byte(remains))) > 0 ||
				strings.Contains(remains, p.URL()) {
				t.Errorf("after the logout there is %v: %.400s", text.in([]byte(remains)), remains)
			}
		})
	}
}

// TestStoryPersist: an app can ask the browser to spare its calls, and sees what
// they take up.
func TestStoryPersist(t *testing.T) {
	t.Parallel()
	page := candid(chrome.NewProfile(t), chrome.NewSite(t))
	p := keeping(t, "x")
	got := chrome.Script[struct {
		Granted, Stored bool
		Refused, None   bool
	}](page, `
		window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`);
		mcp.callTool("note");
		const granted = await mcp.persist() === await navigator.storage.persisted();
		const { origin } = await mcp.stored();
		StorageManager.prototype.persist = () => Promise.reject(new TypeError("no"));
		const refused = await mcp.persist();
		Object.defineProperty(navigator, "storage", { value: undefined });
		return { granted, stored: origin.quota > 0 && origin.usage > 0, refused, none: await mcp.persist() };`)
	if !got.Granted || !got.Stored || got.Refused || got.None {
		t.Errorf("got %+v", got)
	}
}

// TestFault121_LateWordOfALogout: the word that one tab has forgotten the server
// arrives once another one has connected again. What is meant is the store before:
// the tab that had that hears it, the new one goes on.
func TestFault121_LateWordOfALogout(t *testing.T) {
	t.Parallel()
	p := keeping(t, "")
	profile, site := chrome.NewProfile(t), chrome.NewSite(t)
	before, other, next := candid(profile, site), candid(profile, site), candid(profile, site)
	connect := `window.mcp = await holdfast.connect(` + chrome.JS(p.URL()) + `, { principal: "ada" });`
	for _, page := range []*chrome.Page{before, other} {
		chrome.Script[chrome.Void](page, connect)
	}
	chrome.Script[chrome.Void](other, `
		window.words = [];
		const post = BroadcastChannel.prototype.postMessage;
		BroadcastChannel.prototype.postMessage = function (data) {
			if (data.message?.kind !== "wiped") return post.call(this, data);
			const late = new BroadcastChannel(this.name);
			words.push(() => post.call(late, data));
		};
		await mcp.forget();`)
	chrome.Script[chrome.Void](next, connect+`watch(mcp.callTool("note"));`)
	next.WaitFor(`call.guarantee === "resumable"`)
	chrome.Script[chrome.Void](other, `words.forEach((say) => say());`)
	before.WaitFor(`mcp.durability === "memory"`)
	// It has come by now: what is said after it is heard.
	chrome.Script[chrome.Void](next, `
		const heard = new BroadcastChannel("after");
		const word = new Promise((resolve) => (heard.onmessage = resolve));
		window.after = word;`)
	chrome.Script[chrome.Void](other, `new BroadcastChannel("after").postMessage("");`)
	chrome.Script[chrome.Void](next, `await after; await new Promise((turn) => setTimeout(turn, 0));`)
	if got := chrome.Script[string](next,
		`return mcp.durability + " " + call.guarantee + " " + (await mcp.stored()).calls;`); got !=
		"indexeddb resumable 1" {
		t.Errorf("the tab that came after the logout has %s", got)
	}
	p.Release("go")
}
