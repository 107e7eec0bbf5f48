//go:build !js

package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// portsScript gathers in window.overheard all that the page says to its workers and hears of them, by
// whatever port. Nothing else of the page is in the way of that: a listener beside the page's own takes
// nothing from it.
const portsScript = `
window.overheard = [];
{
const overhear = (what) => overheard.push(shown(what instanceof ArrayBuffer ? new Uint8Array(what) : what));
for (const { prototype } of [MessagePort, Worker]) {
	const { postMessage } = prototype;
	prototype.postMessage = function (message, ...rest) {
		overhear(message);
		return postMessage.call(this, message, ...rest);
	};
}
const listening = (target) => (target.addEventListener("message", ({ data }) => overhear(data)), target);
globalThis.SharedWorker = class extends SharedWorker {
	constructor(...how) {
		super(...how);
		listening(this.port);
	}
};
globalThis.Worker = class extends Worker {
	constructor(...how) {
		super(...how);
		listening(this);
	}
};
globalThis.MessageChannel = class extends MessageChannel {
	constructor() {
		super();
		listening(this.port1);
		listening(this.port2);
	}
};
}
// What the search has to find, said and heard in ways that the module uses as well.
window.audible = async (said, heard) => {
	const { port1, port2 } = new MessageChannel();
	port1.postMessage({ said });
	const script = "onconnect = ({ ports: [port] }) => port.postMessage({ t: " + JSON.stringify([heard]) + " });";
	const worker = new SharedWorker("data:text/javascript," + encodeURIComponent(script));
	await new Promise((resolve) => (worker.port.onmessage = resolve));
	port2.close();
};
`

// candidSignInScript is the page of signInScript, which gathers what it shows as well, the keys of its rows,
// and what it says to workers and hears of them.
var candidSignInScript = candidScript + portsScript + strings.TrimPrefix(signInScript, appScript) + `
window.rows = async () => {
	const found = { keys: [], sealing: [] };
	for (const { name } of await indexedDB.databases()) {
		const db = await new Promise((resolve) => { const open = indexedDB.open(name); open.onsuccess = () => resolve(open.result); });
		for (const store of db.objectStoreNames) {
			const all = (how) => new Promise((resolve) => { const got = db.transaction(store).objectStore(store)[how](); got.onsuccess = () => resolve(got.result); });
			found.keys.push(...await all("getAllKeys"));
			const walk = (value) => {
				if (value instanceof CryptoKey) found.sealing.push(value);
				else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) Object.values(value).forEach(walk);
			};
			(await all("getAll")).forEach(walk);
		}
		db.close();
	}
	return { keys: shown(found.keys), held: found.sealing.filter(({ type }) => type !== "public").length, readable: found.sealing.filter(({ type, extractable }) => type !== "public" && extractable).length };
};`

// signInSecrets are the secrets of a sign-in, each kind of which has to be there.
func signInSecrets(t *testing.T, s *oauthserver.Server) secrets {
	t.Helper()
	known := secrets{}
	var kinds []string
	for text, what := range s.Secrets() {
		known[fmt.Sprintf("%s %d", what, len(known))] = text
		kinds = append(kinds, what)
	}
	slices.Sort(kinds)
	want := []string{"access_token", "client_secret", "code", "code_verifier", "credentials", "id_token",
		"nonce", "nonce of the resource", "proof", "refresh_token"}
	for _, kind := range want {
		if !slices.Contains(kinds, kind) {
			t.Errorf("there was no %s: the search for it proves nothing (only %q)", kind,
				slices.Compact(kinds))
		}
	}
	return known
}

// TestFault122_CanariesOfSignIn: of what a sign-in is made of, access, refresh and id tokens, codes,
// verifiers, nonces, proofs, the client's secret, none shows: not in what the page shows its user,
// in errors, addresses, storage, the rows of the database and their keys, on channels, the ports of
// workers and the console, and in the referrers of the two servers. It is looked for while a
// person is asked, while somebody is signed in, after a refresh, after a person has
// said no, and after an answer that nobody has asked for. No key can be read out.
func TestFault122_CanariesOfSignIn(t *testing.T) {
	long(t)
	t.Parallel()
	for _, how := range []string{
		`{"interaction":"popup"}`,
		`{"interaction":"redirect"}`,
		`{"interaction":"redirect","storage":"memory"}`,
	} {
		t.Run(how, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site := oauthserver.StartSecretive(t), chrome.NewSite(t)
			profile := chrome.NewProfile(t).InWindows()
			listener := candid(profile, site)
			chrome.Eval[chrome.Void](listener, `eavesdrop(["holdfast.auth"])`)
			shown := map[string]string{} // by when and where
			look := func(when string, page *chrome.Page) {
				t.Helper()
				for where, text := range chrome.Eval[map[string]string](page, `surfaces()`) {
					shown[when+": "+where] = text
				}
				// What the browser says of how this page was come to, nobody can change: there a code stays
				// that is used.
				shown[when+": addresses"] = chrome.Eval[string](page,
					`[location.href, document.referrer, ...performance.getEntries().filter(({ entryType }) `+
						`=> entryType !== "navigation").map(({ name }) => name)].join("\n")`)
				rows := chrome.Eval[struct {
					Keys           string
					Held, Readable int
				}](page, `rows()`)
				shown[when+": keys of rows"] = rows.Keys
				shown[when+": console"] = strings.Join(page.Console(), "\n")
				shown[when+": ports"] = chrome.Eval[string](page, `overheard.join("\n")`)
				if host := chrome.Eval[string](page, `window.mcp?.host ?? "page"`); host != "page" &&
					shown[when+": ports"] == "" {
					t.Errorf("%s: nothing was heard of the worker that the client is in", when)
				}
				shown[when+": channel"] += chrome.Eval[string](listener, `heard.join("\n")`)
				if rows.Held == 0 || rows.Readable > 0 {
					t.Errorf("%s: of %d keys in the database %d can be read", when, rows.Held, rows.Readable)
				}
			}
			address := site.Page("/signed-in", candidSignInScript)
			page := profile.Open(address + "#" + url.PathEscape(
				`{"url":`+chrome.JS(s.URL)+`,"how":`+strings.Replace(
					how, "{", `{"redirectUrl":`+chrome.JS(address)+`,`, 1)+`}`))
			if strings.Contains(how, "popup") {
				page.WaitFor(`window.signIn?.state === "authorizing"`)
				look("while a person is asked", page)
			}
			s.Person("ada")
			page.WaitFor(`window.opened || window.failed`)
			look("signed in", page)
			chrome.Script[chrome.Void](page,
				`await mcp.callTool("pay", {}, { key: "bill", ack: "manual" }).result;`)
			s.Expire()
			chrome.Script[chrome.Void](page, `await mcp.callTool("pay", {}).result;`)
			look("refreshed", page)

			s.Revoke()
			s.Person("nobody")
			chrome.Eval[chrome.Void](page, `void (window.before = true)`)
			page.Reload()
			// a client that has opened from what is stored waits on
			failed := `window.failed ?? window.signIn?.failure`
			page.WaitFor(`(` + failed + `) && !window.before`)
			if code := chrome.Script[string](page, `confess(`+failed+`); return (`+failed+`).code;`); code !=
				"oauth_denied" {
				t.Errorf("a no fails with %s", code)
			}
			look("after a no", page)

			page.Navigate(address + `?state=unknown&code=CODE`)
			page.WaitFor(failed)
			chrome.Script[chrome.Void](page, `confess(`+failed+`);`)
			look("after an answer that nobody has asked for", page)

			ear := secrets{"said": secret(), "heard": secret()}
			chrome.Script[chrome.Void](page, `await audible(`+chrome.JS(ear["said"])+`, `+
				chrome.JS(ear["heard"])+`);`)
			if found := ear.in([]byte(chrome.Eval[string](page, `overheard.join("\n")`))); len(found) != len(
				ear) {
				t.Errorf("of what is said to a worker, and heard of it, the search finds %q", found)
			}
			known := signInSecrets(t, s)
			shown["referrers"] = strings.Join(s.Referrers(), "\n")
			for where, text := range shown {
				if found := known.in([]byte(text)); len(found) > 0 {
					t.Errorf("%s shows %q", where, found)
				}
			}
			for _, where := range []string{"after a no: errors", "signed in: keys of rows",
				"signed in: database", "refreshed: channel", "referrers"} {
				if shown[where] == "" {
					t.Errorf("nothing of %s was looked at", where)
				}
			}
			t.Logf("%d secrets in %d places", len(known), len(shown))
		})
	}
}

// TestFault122_CanariesOfSignInOnDisk: the browser is killed while somebody is signed in. The files of its
// profile show nothing of that but what it writes itself: the addresses that answers came to, whose codes are
// used.
func TestFault122_CanariesOfSignInOnDisk(t *testing.T) {
	long(t)
	t.Parallel()
	for _, storage := range []string{"persistent", "memory"} {
		t.Run(storage, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site, profile := oauthserver.StartSecretive(t), chrome.NewSite(t), t.TempDir()
			s.Person("ada")
			plain := secrets{"an app's own": secret()}
			browser := startBrowser(t, profile, site.Page("/app", candidSignInScript)+"#"+
				url.PathEscape(`{"url":`+chrome.JS(s.URL)+`,"how":{"storage":"`+storage+`"}}`))
			ask[bool](browser, until(`window.opened`))
			s.Expire()
			ask[chrome.Void](browser, `mcp.callTool("pay", {}, { key: "bill",`+
				` ack: "manual" }).result.then(() => localStorage.setItem("own", `+
				chrome.JS(plain["an app's own"])+`))`)
			browser.quit()
			known := signInSecrets(t, s)
			for name := range known {
				if strings.HasPrefix(name, "code ") {
					delete(known, name)
				}
			}
			searchDisk(t, profile, known, plain)
		})
	}
}
