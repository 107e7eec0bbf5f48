//go:build !js

package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// tamperScript changes what is sealed in the database, as a script of the same
// origin could: it opens each secret with the stored key, writes hostile bytes
// over a text in it, and seals it again.
const tamperScript = `
window.tamper = async (text, hostile) => {
	const from = new TextEncoder().encode(text);
	const { key, rows } = await raw("readonly", async (tx, got) => ({
		key: (await got(tx.objectStore("keys").get(["key"]))).value,
		rows: [
			...(await got(tx.objectStore("servers").getAll())).map((row) => ({ store: "servers", row, name: ["servers", row.server] })),
			...(await got(tx.objectStore("log").getAll())).map((row) => ({ store: "log", row, name: ["log", row.server, row.call, row.epoch, row.n] })),
		],
	}));
	let changed = 0;
	for (const { row, name } of rows) {
		if (!row.secret) continue;
		const algorithm = { name: "AES-GCM", iv: row.secret.slice(0, 12), additionalData: new TextEncoder().encode(JSON.stringify(name)) };
		const plain = new Uint8Array(await crypto.subtle.decrypt(algorithm, key, row.secret.slice(12)));
		for (let i = 0; i + from.length <= plain.length; i++) {
			if (!from.every((byte, j) => plain[i + j] === byte)) continue;
			from.forEach((_, j) => (plain[i + j] = hostile[j % hostile.length]));
			changed++;
		}
		const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, plain));
		row.secret = new Uint8Array([...row.secret.slice(0, 12), ...sealed]);
	}
	await raw("readwrite", async (tx) => { for (const { store, row } of rows) tx.objectStore(store).put(row); });
	return changed;
};`

// TestFault114_HostileStoredSecrets: a session id, an event id or a resume token
// that no header or message could carry, although it lies sealed in the database,
// is as good as none: the page loads, says what became of its call, and works.
func TestFault114_HostileStoredSecrets(t *testing.T) {
	t.Parallel()
	hostile := map[string][]int{
		"CR LF":         {'a', '\r', '\n', 'X', ':', ' ', 'y'},
		"NUL":           {0},
		"DEL":           {'a', 0x7f},
		"outside ASCII": {0xc3, 0xa9},
		"no UTF-8":      {0xff, 0xfe},
	}
	for what, resumable := range map[string]bool{"session id": false, "event id": false,
		"resume token": true} {
		for name, bytes := range hostile {
			t.Run(what+" "+name, func(t *testing.T) {
				row(t)
				t.Parallel()
				r := storeRig(t, tamperScript)
				r.profile.InWindows()
				id := secret()
				if resumable {
					r.p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600}))
				} else {
					r.p.Tool("count", peer.Script{peer.ID(id), peer.Progress(1, 2, ""), peer.Gate("go"),
						peer.Progress(2, 2, ""), peer.Text("done")})
				}
				page := r.open()
				begin(page)
				chrome.Eval[chrome.Void](page,
					`void watch(mcp.callTool("count", { n: 2, call: "a", gate: "go" }))`)
				page.WaitFor(`call.guarantee === "resumable"`)
				text := map[string]string{"session id": sessionOf(t, r.p), "event id": id}[what]
				if resumable {
					text = r.p.Oracle().Tokens("a")[0].Token
				}
				page.Navigate(r.site.URL)
				page.Navigate(r.address)
				page.WaitFor(`window.ready`)
				if n := chrome.Eval[int](page, `tamper(`+chrome.JS(text)+`, `+chrome.JS(bytes)+`)`); n == 0 {
					t.Fatal("the text is not in the database")
				}
				if n := begin(page); n != 1 {
					t.Errorf("%d calls came back", n)
				}
				chrome.Eval[chrome.Void](page, `void (calls[0] && watch(calls[0]))`)
				// Some of it is text that the server just does not know.
				r.p.Release("go")
				code := chrome.Script[string](page,
					`return calls[0].result.then(() => "a result", (error) => error.code);`)
				if !slices.Contains([]string{"lost", "outcome_unknown", "a result"}, code) {
					t.Errorf("the call ended with %q", code)
				}
				if sum := chrome.Script[int](page,
					`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`); sum != 3 {
					t.Errorf("sum %d", sum)
				}
				for _, request := range r.p.Requests() {
					for field, values := range request.Header {
						if strings.ContainsAny(strings.Join(values, ""), "\r\n\x00\x7f") {
							t.Errorf("%s: %q was sent", field, values)
						}
					}
				}
			})
		}
	}
}

// TestFault114_HostileTokensAndSessions: what the app's provider or the server
// gives and no header can carry is refused with an error that does not show it.
func TestFault114_HostileTokensAndSessions(t *testing.T) {
	t.Parallel()
	page := candid(chrome.NewProfile(t), chrome.NewSite(t))
	known := secrets{"token": secret(), "session id": secret()}
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	for _, part := range []string{"\r\nX-Evil: 1", "\x00", "\x7f", " b", "é", "\U0001f511"} {
		token := chrome.JS(known["token"] + part)
		got := chrome.Eval[string](page, `fails(() => holdfast.connect(`+chrome.JS(p.URL())+
			`, { principal: "ada", token: () => `+token+` }))`)
		if got != "bad_argument" {
			t.Errorf("token with %q: %q", part, got)
		}
	}
	for _, odd := range []string{`undefined`, `null`, `""`, `42`, `{}`, `Symbol("x")`,
		`Promise.reject(new Error("no"))`} {
		got := chrome.Eval[string](page, `fails(() => holdfast.connect(`+chrome.JS(p.URL())+
			`, { token: () => `+odd+` }))`)
		if got != "unauthorized" {
			t.Errorf("a provider that gives %s: %q", odd, got)
		}
	}
	for _, part := range []string{"\x7f", " b", "é"} {
		p.Answer("initialize", peer.Response{
			Header: map[string]string{"Mcp-Session-Id": known["session id"] + part},
			Body:   `{"jsonrpc":"2.0","id":$ID,"result":$RESULT}`,
		})
		got := chrome.Eval[string](page, `fails(() => holdfast.connect(`+chrome.JS(p.URL())+
			`, { revision: "2025-11-25" }))`)
		if got != "session_rejected" {
			t.Errorf("session id with %q: %q", part, got)
		}
	}
	search(t, known, p, page)
}

// TestFault117_StrictPolicyWithAJournal: the strictest policy that lets the
// module run at all sees no violation in a call's whole life.
func TestFault117_StrictPolicyWithAJournal(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	r.site.Header(func(_ string, h http.Header) {
		h.Set("Content-Security-Policy",
			"default-src 'none'; img-src data:; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' "+
				r.p.Origin()+"; require-trusted-types-for 'script'; trusted-types 'none'")
	})
	// Listening before anything of the module runs.
	r.site.File("/first.js", `window.violations = []; addEventListener("securitypolicyviolation",`+
		` (e) => violations.push(e.violatedDirective + " " + e.blockedURI));`)
	r.site.File("/app", `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,`+
		`"><title>strict</title><script src="/first.js"></script><script type="module" `+
		`src="/app.mjs"></script></html>`)
	r.p.Tool("measured", peer.Script{peer.Result(`{"content":[],"structuredContent":{"n":1}}`)},
		peer.Output(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	page := r.open()
	begin(page)
	r.start(page)
	page.WaitFor(`call.guarantee === "resumable"`)
	other := r.open()
	if n := begin(other); n != 1 {
		t.Errorf("the other tab sees %d calls", n)
	}
	page.Reload()
	page.WaitFor(`window.ready`)
	begin(page)
	chrome.Eval[chrome.Void](page, `void watch(calls[0])`)
	r.finish(page, "indexeddb")
	chrome.Script[chrome.Void](page, `await mcp.listTools(); await mcp.callTool("measured").result;`+
		` await mcp.persist(); await mcp.forget(); await holdfast.wipe();`)
	for i, each := range []*chrome.Page{page, other} {
		if v := chrome.Eval[[]string](each, `violations`); len(v) > 0 {
			t.Errorf("page %d: %q", i, v)
		}
		if text := strings.Join(each.Console(), "\n"); strings.Contains(text, "Content Security Policy") {
			t.Errorf("page %d: %s", i, text)
		}
	}
	// And a violation would have been seen.
	chrome.Eval[chrome.Void](page, `void fetch("http://127.0.0.1:1/").catch(() => {})`)
	page.WaitFor(`violations.length === 1`)
}

// TestFault118_AnotherServersCalls: a server, and an app that speaks to it,
// reaches nothing of another server's: not by key, not by a number or a token
// that the other one uses as well.
func TestFault118_AnotherServersCalls(t *testing.T) {
	t.Parallel()
	page := candid(chrome.NewProfile(t), chrome.NewSite(t))
	victim, rogue := peer.New(t, peer.Options{CORS: peer.CORSResuming()}),
		peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	victim.Counting(nil)
	id := make(chan string, 1)
	rogue.ToolFunc("count", func(c peer.Call) peer.Script {
		their := <-id
		return peer.Script{
			peer.Prime(0),
			// What belongs to the other server's call, by its own names.
			peer.Message(`{"jsonrpc":"2.0","id":` + their +
				`,"result":{"content":[{"type":"text","text":"forged"}]}}`),
			peer.Message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` +
				their + `,"progress":99}}`),
			peer.Message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` +
				their + `}}`),
			peer.Message(
				`{"jsonrpc":"2.0","method":"notifications/requests/resumePolicy","params":{"requestId":` +
					their + `,"resumeToken":"forged"}}`),
			peer.Text("mine"),
		}
	})
	chrome.Script[chrome.Void](page, `
		window.victim = await holdfast.connect(`+chrome.JS(victim.URL())+`);
		window.rogue = await holdfast.connect(`+chrome.JS(rogue.URL())+`);
		watch(victim.callTool("count", { n: 2, call: "a", gate: "go" }, { key: "k" }));`)
	victim.Pass("go")
	page.WaitFor(`seen.progress.length === 1 && call.guarantee === "resumable"`)
	id <- victim.Of("tools/call")[0].ID
	got := chrome.Script[[]any](page, `
		const other = rogue.callTool("count", { n: 2, call: "a", gate: "go" }, { key: "k" });
		const text = (await other.result).content[0].text;
		return [other === call, text, (await rogue.calls()).some((c) => c === call), call.settled, seen.progress.length];`)
	if want := []any{false, "mine", false, false, 1.0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	victim.Pass("go")
	victim.Pass("go")
	outcome(t, page, "")
	counted(t, page, 2)
	if text := chrome.Eval[string](page, `seen.result.content[0].text`); text != "counted 2" {
		t.Errorf("the victim's call ended with %q", text)
	}
	if n := chrome.Eval[int](page, `victim.counters.foreignMessages + victim.counters.unknownResponses`); n !=
		0 {
		t.Errorf("%d of the rogue's messages reached the other client", n)
	}
}
