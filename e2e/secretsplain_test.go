//go:build !js

package e2e

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault115_NoCipher: on plain http there is no cipher, and no Web Locks
// either. Secrets then stay in memory: calls work, say that they end with the
// page, and do. Nothing secret is in the files.
func TestFault115_NoCipher(t *testing.T) {
	t.Parallel()
	known := secrets{"bearer token": secret(), "event id": secret()}
	plain := secrets{"a call's argument": secret()}
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Unauthorized(func(token string) bool { return token != known["bearer token"] })
	p.Tool("steps", peer.Script{peer.ID(known["event id"]), peer.Progress(1, 2, ""), peer.Gate("go"),
		peer.Cut(peer.FIN), peer.Progress(2, 2, ""), peer.Text("done")})
	site, profile := chrome.NewSite(t), t.TempDir()
	address, err := url.Parse(site.Page("/app", candidScript+`
		window.begin = async (token) => {
			window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { principal: "ada", token: () => token });
			window.calls = await mcp.calls();
		};
		window.told = [];
		// Resolves with its first progress.
		window.steps = (args) => new Promise((begun) => {
			watch(mcp.callTool("steps", args, { onprogress: ({ progress }) => begun(told.push(progress) > 0) }));
		});
		window.ready = true;`))
	if err != nil {
		t.Fatal(err)
	}
	address.Host = "holdfast.test:" + address.Port()
	plainly := chromedp.Flag("host-resolver-rules", "MAP holdfast.test 127.0.0.1")
	begin := `begin(` + chrome.JS(known["bearer token"]) + `)`

	first := startBrowser(t, profile, address.String(), plainly)
	got := ask[[]any](first, begin+`.then(async () => {
		await steps({ text: `+chrome.JS(plain["a call's argument"])+` });
		await mcp.ping();
		return [isSecureContext, typeof crypto.subtle, typeof navigator.locks, call.guarantee, (await mcp.stored()).calls];
	})`)
	if want := []any{false, "undefined", "undefined", "lost-on-reload", 1.0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	known["session id"] = sessionOf(t, p)
	// The stream is cut and resumed: the secrets are in memory.
	p.Release("go")
	went := `call.result.then(() => told.join() === "1,2" && call.guarantee === "lost-on-reload")`
	if !ask[bool](first, went) {
		t.Error("the call did not go on to its end")
	}
	p.Hold("go")
	ask[bool](first, `steps({})`)
	// The next page (of this browser: without locks, a killed one counts as
	// alive for a minute) knows the call and not its session.
	first.reload()
	ended := ask[[]string](first, begin+`.then(async () => [
		...await Promise.all(calls.filter((call) => !call.params.arguments.text).map((call) => call.result.then(() => "a result", (error) => error.code))),
		String((await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum),
	])`)
	if len(ended) != 2 || ended[0] != "outcome_unknown" && ended[0] != "lost" || ended[1] != "3" {
		t.Errorf("the next page sees %q", ended)
	}
	if n := p.Ran("steps"); n != 2 {
		t.Errorf("the tool ran %d times", n)
	}
	first.kill()
	searchDisk(t, profile, known, plain)
}

// TestFault115_CipherTakenAway: a page whose crypto.subtle is gone when it
// connects is in no other position.
func TestFault115_CipherTakenAway(t *testing.T) {
	t.Parallel()
	r := storeRig(t, `Object.defineProperty(crypto, "subtle", { value: undefined });`)
	page := r.open()
	begin(page)
	r.start(page)
	if got := chrome.Script[string](page, `await mcp.ping(); return call.guarantee;`); got !=
		"lost-on-reload" {
		t.Errorf("guarantee %s", got)
	}
	r.finish(page, "indexeddb")
}

// TestFault597_WithoutACipher: what calls can count on is what they do come to, which without a cipher is
// nothing.
func TestFault597_WithoutACipher(t *testing.T) {
	t.Parallel()
	r := storeRig(t, `Object.defineProperty(crypto, "subtle", { value: undefined });`)
	page := r.open()
	begin(page)
	if got := chrome.Script[string](page,
		`return [mcp.durability, mcp.guarantees.floor, mcp.guarantees.ceiling].join();`); got !=
		"indexeddb,lost-on-reload,lost-on-reload" {
		t.Errorf("it says %s", got)
	}
}

// TestFault115_SecretInTheAddress: a query may hold a key. It is in the requests,
// where the app wants it, and in nothing that the runtime writes.
func TestFault115_SecretInTheAddress(t *testing.T) {
	t.Parallel()
	known := secrets{"key in the query": secret()}
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Tool("steps", peer.Script{peer.Prime(0), peer.Progress(1, 1, ""), peer.Gate("go"), peer.Text("done")})
	page, _, listener := threePages(t)
	query := "?key=" + known["key in the query"]
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL()+query)+`);
		watch(mcp.callTool("steps"));`)
	page.WaitFor(`call.guarantee === "resumable"`)
	chrome.Eval[chrome.Void](listener, `eavesdrop(`+chrome.JS(chrome.Eval[[]string](page, `channels`))+`)`)
	p.Answer("tools/list", peer.Response{Status: 500})
	chrome.Eval[string](page, `fails(() => mcp.listTools())`)
	p.Answer("*", peer.Response{Status: 404, Body: "no"})
	chrome.Eval[string](page, `fails(() => holdfast.connect(`+chrome.JS(p.Origin()+"/elsewhere"+query)+`))`)
	p.Answer("*", peer.Response{Body: "{}"})
	chrome.Eval[string](page, `fails(() => holdfast.connect(`+chrome.JS(p.URL()+query)+
		`, { journal: false, revision: "2025-11-25" }))`)
	p.Down()
	chrome.Eval[string](page, `fails(() => holdfast.connect(`+chrome.JS(p.URL()+query)+
		`, { journal: false }))`)
	for _, each := range []*chrome.Page{page, listener} {
		surfaces := chrome.Eval[map[string]string](each, `surfaces()`)
		for _, where := range []string{"DOM", "storage", "database", "errors", "channel", "call"} {
			if found := known.in([]byte(surfaces[where])); len(found) > 0 {
				t.Errorf("found in %s: %.600s", where, surfaces[where])
			}
		}
	}
	if n := strings.Count(chrome.Eval[string](page, `errors.join("\n")`), "HoldfastError"); n < 4 {
		t.Errorf("only %d errors", n)
	}
}

// TestStoryJournalFalse: what an app does not want stored is not, of a whole client or of one call. The
// search finds what is.
func TestStoryJournalFalse(t *testing.T) {
	t.Parallel()
	texts := secrets{"stored": secret(), "of a client": secret(), "of a call": secret()}
	p := keeping(t, "")
	page := candid(chrome.NewProfile(t), chrome.NewSite(t))
	begin := func(options, text, call string) string {
		return `
			const mcp = await holdfast.connect(` + chrome.JS(p.URL()) + `, ` + options + `);
			const call = mcp.callTool("note", { text: ` + chrome.JS(text) + ` }, ` + call + `);
			for await (const event of call) if (event.type === "progress") break;
			window.kept = [...window.kept ?? [], call.guarantee];`
	}
	chrome.Script[chrome.Void](page,
		begin(`{ journal: false, principal: "ada" }`, texts["of a client"], `{}`))
	chrome.Script[chrome.Void](page, begin(`{ principal: "bob" }`, texts["of a call"], `{ journal: false }`))
	chrome.Script[chrome.Void](page, begin(`{ principal: "bob" }`, texts["stored"], `{ key: "k" }`)+`
		window.stored = call;`)
	page.WaitFor(`stored.guarantee === "resumable"`)
	if found := texts.in([]byte(chrome.Eval[string](page, left))); !slices.Equal(found, []string{"stored"}) {
		t.Errorf("there is %q", found)
	}
	if got := chrome.Eval[[]string](page, `kept.slice(0, 2)`); !slices.Equal(
		got, []string{"lost-on-reload", "lost-on-reload"}) {
		t.Errorf("they say %q", got)
	}
}
