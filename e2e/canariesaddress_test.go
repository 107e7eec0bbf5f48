//go:build !js

package e2e

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// addressScript is a page that signs in at a server whose address is a secret. It gathers the names of its
// locks, those of the whole origin while something is under way, what is said on the channel of the sign-ins,
// and what is stored.
const addressScript = `
window.locks = [];
const { request } = LockManager.prototype;
LockManager.prototype.request = function (name, ...more) { locks.push(name); return request.call(this, name, ...more); };
window.underWay = async () => {
	const { held, pending } = await navigator.locks.query();
	locks.push(...[...held, ...pending].map(({ name }) => name));
};
const { connect, oauth } = await import("/holdfast.mjs");
eavesdrop(["holdfast.auth"]);
window.ready = true;
window.auth = oauth({ redirectUrl: location.origin + "/app", clientName: CLIENT });
auth.onchange = (signIn) => void (window.signIn = signIn);
connect(SERVER, { auth, principal: PRINCIPAL, host: HOST, client: { name: "app", version: "1" } }).then((mcp) => Object.assign(window, { mcp, opened: true }), (error) => (window.failed = String(error) + error.cause));
window.surfacesOfSignIn = async () => {
	const { storage, database, channel } = await surfaces();
	return { storage, database, channel, "keys of rows": (await rows()).keys, locks: locks.join("\n") };
};
`

// TestFault716_AddressOfTheServer: path and query of the server, the user's name and the client's rest
// nowhere in plain, and nobody hears them: not in rows and their keys, in either storage of the page, in what
// tabs tell each other, in the names of locks, on the console, and in the files of all that a site can store.
// It is looked for while somebody is asked, while a token is refreshed, and behind that.
func TestFault716_AddressOfTheServer(t *testing.T) {
	t.Parallel()
	for _, host := range signInHosts {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			s, site, profile := oauthserver.Start(t), chrome.NewSite(t), t.TempDir()
			known := secrets{"path": secret(), "query": secret(), "principal": secret(),
				"name of the client": secret()}
			plain := secrets{"an app's own": secret()}
			path := "/" + known["path"] + "/mcp"
			p := peer.Mounted(peer.Options{Path: "/mcp"})
			p.Tool("pay", peer.Script{peer.Text("paid")})
			site.Handle(path, s.Guard(site.URL+"/metadata",
				http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					r.URL.Path, r.URL.RawQuery = "/mcp", ""
					p.ServeHTTP(w, r)
				})))
			address := site.URL + path + "?key=" + known["query"]
			site.Handle("/metadata", s.Metadata(address))
			consts := `const [SERVER, PRINCIPAL, CLIENT, HOST] = ` +
				chrome.JS([]string{address, known["principal"], known["name of the client"], host}) + ";\n"
			gathers := strings.TrimPrefix(
				candidSignInScript[strings.Index(candidSignInScript, "\nwindow.rows = "):], appScript)
			browser := startBrowser(t, profile, site.Page("/app", candidScript+gathers+consts+addressScript))
			console := browser.console()
			shown := map[string]string{}
			look := func(when string) {
				t.Helper()
				for where, text := range ask[map[string]string](browser,
					`underWay().then(surfacesOfSignIn)`) {
					shown[when+": "+where] = text
				}
			}
			ask[bool](browser, until(`window.signIn?.state === "authorizing"`))
			look("while somebody is asked")
			s.Person("ada")
			ask[bool](browser, until(`window.opened || window.failed`))
			s.Expire()
			s.Stall()
			ask[chrome.Void](browser,
				`void (window.paid = mcp.callTool("pay", {}, { ack: "manual" }).result)`)
			eventually(t, "the token to be refreshed", func() bool { return s.Requests("stalled") > 0 })
			look("while a token is refreshed")
			s.GoOn()
			ask[chrome.Void](browser, `void localStorage.setItem("own", `+chrome.JS(plain["an app's own"])+
				`)`)
			look("behind that")
			shown["behind that: console"] = console()
			browser.quit()
			for where, text := range shown {
				if found := known.in([]byte(text)); len(found) > 0 {
					t.Errorf("%s shows %q", where, found)
				}
			}
			for _, where := range []string{"while somebody is asked: keys of rows",
				"while a token is refreshed: locks", "behind that: database", "behind that: channel",
				"behind that: console"} {
				if shown[where] == "" {
					t.Errorf("nothing of %s was looked at", where)
				}
			}
			// What else a browser writes are the addresses that it has fetched, and those that a person went
			// to.
			stored := maps.Collect(func(yield func(string, []byte) bool) {
				for path, content := range files(t, profile) {
					if strings.Contains(path, "IndexedDB") || strings.Contains(path, "Storage") {
						if !yield(path, content) {
							return
						}
					}
				}
			})
			searchFiles(t, stored, known, plain)
		})
	}
}
