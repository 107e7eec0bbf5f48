//go:build !js

package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// heldDatabase is a script that lets transactions that write wait at a gate: another
// one has the whole database until then. begun counts those that wait.
const heldDatabase = `
	const { transaction } = IDBDatabase.prototype;
	window.begun = 0;
	IDBDatabase.prototype.transaction = function (names, mode, ...rest) {
		if (mode === "readwrite" && window.letDatabaseGo) begun++;
		return transaction.call(this, names, mode, ...rest);
	};
	window.holdDatabase = () => new Promise((held) => {
		const open = indexedDB.open("holdfast");
		open.onsuccess = () => {
			const db = open.result;
			db.onversionchange = () => db.close();
			const tx = transaction.call(db, [...db.objectStoreNames], "readwrite");
			let over = false;
			const stay = () => { if (!over) tx.objectStore("keys").get("").onsuccess = stay; else db.close(); };
			stay();
			window.begun = 0;
			window.letDatabaseGo = () => { over = true; window.letDatabaseGo = undefined; };
			held();
		};
	});`

// logouts are all ways in which what is stored of a user is deleted, as scripts of the
// page that does it.
var logouts = []struct {
	name   string
	script string
	here   bool // in the page that carries the call
	ends   bool // that page's client, too
}{
	{"forget in this page", `mcp.forget()`, true, true},
	{"close, then forget in this page", `Promise.all([mcp.close(), mcp.forget()])`, true, true},
	{"wipe in this page", `holdfast.wipe()`, true, false},
	{"the database deleted in this page", deletedDatabase, true, false},
	{"forget in another page", `mcp.forget()`, false, false},
	{"wipe in another page", `holdfast.wipe()`, false, false},
	{"the database deleted in another page", deletedDatabase, false, false},
	{"Clear-Site-Data", `fetch("/logout")`, false, false},
}

const deletedDatabase = `new Promise((resolve, reject) => { const it = indexedDB.deleteDatabase("holdfast");` +
	` it.onsuccess = resolve; it.onerror = () => reject(it.error); })`

// clearing is a site with an address that clears all that the origin has stored.
func clearing(t *testing.T) *chrome.Site {
	site := chrome.NewSite(t)
	site.Handle("/logout", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Clear-Site-Data", `"storage"`)
	}))
	return site
}

// TestFault121_EveryLogoutWithACommitHeld: every way of logging out, while a commit of
// a streaming call waits at a gate, for the cipher or for the database. Once the logout
// is over and the commit has landed, nothing of the user is there, and the next page of
// that user finds no call.
func TestFault121_EveryLogoutWithACommitHeld(t *testing.T) {
	t.Parallel()
	for _, gate := range []struct{ name, hold, waits, letGo string }{
		{"cipher", `hold()`, `held > 0`, `letGo()`},
		{"database", `holdDatabase()`, `begun > 0`, `letDatabaseGo()`},
	} {
		t.Run(gate.name, func(t *testing.T) {
			row(t)
			t.Parallel()
			text := secrets{"the argument": secret(), "what came later": secret()}
			other := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			for i, logout := range logouts {
				if i%lengthOf(t, 3, 1) > 0 {
					continue
				}
				// a logout ends the session, and with it a run that waits at a gate
				p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
				p.Tool("note", peer.Script{peer.Prime(0), peer.Progress(1, 3, ""), peer.Gate("go"),
					peer.Progress(2, 3, text["what came later"]), peer.Gate("go"), peer.Text("done")})
				profile, site := chrome.NewProfile(t), clearing(t)
				carrier := candid(profile, site)
				leaver := carrier
				if !logout.here {
					leaver = candid(profile, site)
				}
				chrome.Script[chrome.Void](carrier, heldCommits+heldDatabase)
				connect := `window.mcp = await holdfast.connect(` + chrome.JS(p.URL()) + `, { principal: ` +
					chrome.JS(fmt.Sprintf("ada %d", i)) + ` });`
				chrome.Script[chrome.Void](carrier, connect+`
					window.told = [];
					mcp.on("durability", ({ durability, why }) => told.push(durability + " " + why));
					watch(mcp.callTool("note", { text: `+chrome.JS(text["the argument"])+` }, { ack: "manual" }));`)
				carrier.WaitFor(`call.guarantee === "resumable"`)
				if !logout.here {
					chrome.Script[chrome.Void](leaver, connect)
				}
				if found := text.in([]byte(chrome.Eval[string](leaver, left))); !slices.Contains(
					found, "the argument") {
					t.Fatal("nothing is stored: the search proves nothing")
				}
				chrome.Eval[chrome.Void](carrier, gate.hold)
				p.Pass("go")
				carrier.WaitFor(gate.waits)
				if gate.name == "cipher" && !logout.ends {
					chrome.Script[chrome.Void](leaver, `await `+logout.script+`;`)
					chrome.Eval[chrome.Void](carrier, gate.letGo)
				} else { // the logout waits for the same gate
					chrome.Eval[chrome.Void](leaver, `void (window.leaving = `+logout.script+`)`)
					chrome.Eval[chrome.Void](carrier, gate.letGo)
					chrome.Script[chrome.Void](leaver, `await leaving;`)
				}
				if !logout.ends {
					carrier.WaitFor(`mcp.durability === "memory" && call.guarantee === "lost-on-reload" && ` +
						`seen.progress.length === 2`)
				}
				p.Pass("go")
				carrier.WaitFor(`seen.done`)
				if !logout.ends {
					outcome(t, carrier, "")
					if told := chrome.Eval[[]string](carrier, `told`); !slices.Equal(
						told, []string{"memory closed"}) {
						t.Errorf("%s: the app is told %q", logout.name, told)
					}
				}
				// What else was under way has landed once another store has been written and read.
				chrome.Script[chrome.Void](carrier, `const mcp = await holdfast.connect(`+
					chrome.JS(other.URL())+`); await mcp.stored(); await mcp.forget();`)
				if remains := chrome.Eval[string](carrier, left); len(text.in([]byte(remains))) > 0 ||
					strings.Contains(remains, p.URL()) {
					t.Errorf("%s: there is %v: %.600s", logout.name, text.in([]byte(remains)), remains)
				}
				next := candid(profile, site)
				if n := chrome.Script[int](next, connect+`return (await mcp.calls()).length;`); n != 0 {
					t.Errorf("%s: the next page of that user has %d calls", logout.name, n)
				}
				for _, page := range []*chrome.Page{next, carrier} {
					page.Close()
				}
				if !logout.here {
					leaver.Close()
				}
			}
		})
	}
}

// TestFault121_UserChangesWithACommitHeld: the provider's next token is another user's,
// while a commit of the first one's call waits at a gate. It lands in the store of the
// user whose it is, and is deleted with that.
func TestFault121_UserChangesWithACommitHeld(t *testing.T) {
	t.Parallel()
	text := secrets{"the argument": secret(), "what came later": secret()}
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Tool("note", peer.Script{peer.Prime(0), peer.Progress(1, 3, ""), peer.Gate("go"),
		peer.Progress(2, 3, text["what came later"]), peer.Gate("go"), peer.Text("done")})
	page := candid(chrome.NewProfile(t), chrome.NewSite(t))
	chrome.Script[chrome.Void](page, heldCommits)
	as := func(user string) string {
		return `await holdfast.connect(` + chrome.JS(p.URL()) + `, { token: () => ` + chrome.JS(jwt(user)) +
			` })`
	}
	chrome.Script[chrome.Void](page, `
		window.user = `+chrome.JS(jwt("ada"))+`;
		window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { token: () => user });
		watch(mcp.callTool("note", { text: `+chrome.JS(text["the argument"])+` }, { ack: "manual" }));`)
	page.WaitFor(`call.guarantee === "resumable"`)
	chrome.Eval[chrome.Void](page, `hold()`)
	p.Pass("go")
	page.WaitFor(`held > 0`)
	// The server refuses the token, and the next one is bob's.
	p.Answer("tools/list", peer.Response{Status: http.StatusUnauthorized})
	chrome.Eval[chrome.Void](page, `(window.user = `+chrome.JS(jwt("bob"))+
		`, void mcp.listTools().catch(() => {}))`)
	page.WaitFor(`seen.done`)
	outcome(t, page, "closed")
	chrome.Eval[chrome.Void](page, `letGo()`)
	got := chrome.Script[[]int](page, `
		const bob = `+as("bob")+`, ada = `+as("ada")+`;
		const mine = (await bob.calls()).length, hers = (await ada.calls()).length;
		await bob.close();
		await ada.forget();
		return [mine, hers];`)
	if !slices.Equal(got, []int{0, 1}) {
		t.Errorf("bob has %d calls, ada %d", got[0], got[1])
	}
	chrome.Script[chrome.Void](page, `await mcp.forget();`)
	if remains := chrome.Eval[string](page, left); len(text.in([]byte(remains))) > 0 {
		t.Errorf("there is %v: %.600s", text.in([]byte(remains)), remains)
	}
	p.Release("go")
}

// TestFault121_AgentLogoutWithACommitHeld: the same for a session with an agent.
func TestFault121_AgentLogoutWithACommitHeld(t *testing.T) {
	long(t)
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	for _, logout := range []struct {
		name, script string
		here         bool
	}{{"forget", `agent.forget()`, true}, {"forget", `agent.forget()`, false},
		{"wipe", `holdfast.wipe()`, true}, {"wipe", `holdfast.wipe()`, false}} {
		site, word := chrome.NewSite(t), secret()
		address := chatPageAfter(heldDatabase, site, server.URL(), signedIn)
		one := chrome.Open(t, address)
		one.WaitFor(`window.ready`)
		id := beginChat(one)
		chrome.Eval[chrome.Void](one, `prompt(`+chrome.JS(id)+`, `+chrome.JS("count 3 @go; say "+word)+`)`)
		server.Pass("go", 1)
		one.WaitFor(`text(` + chrome.JS(id) + `) === ` + chrome.JS(chunks(1, 1)))
		two, watcher := one, candid(one.Profile(), site)
		if !logout.here {
			two = one.Profile().Open(address)
			two.WaitFor(`window.ready && chats.` + id)
		}
		if remains := chrome.Eval[string](watcher, left); !strings.Contains(remains, word) {
			t.Fatal("nothing is stored: the search proves nothing")
		}
		chrome.Eval[chrome.Void](one, `holdDatabase()`)
		server.Pass("go", 2)
		one.WaitFor(`begun > 0`)
		chrome.Eval[chrome.Void](two, `void (window.leaving = `+logout.script+`)`)
		chrome.Eval[chrome.Void](one, `letDatabaseGo()`)
		chrome.Script[chrome.Void](two, `await leaving;`)
		if remains := chrome.Eval[string](watcher, left); strings.Contains(remains, word) ||
			strings.Contains(remains, server.URL()) {
			t.Errorf("%s, here: %v: there is %.600s", logout.name, logout.here, remains)
		}
		watcher.Close()
		if two != one {
			two.Close()
		}
		one.Close()
	}
}
