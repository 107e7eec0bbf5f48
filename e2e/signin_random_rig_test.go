//go:build !js

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// userScript is a page of an app whose address says who its user is: /app-ada. It connects by itself, and
// again whenever its client is closed. Of each call that it has it notes in localStorage how it has
// ended, for which page, and whether it was acknowledged: what pages are told is looked at once all are
// gone. `click` is the button to sign in.
var userScript = appScript + gathersRows + `
const [SERVER, HOW, HOST] = SETTINGS;
const user = location.pathname.slice("/app-".length);
window.page = crypto.randomUUID();
const note = (what) => {
	localStorage.setItem("note " + crypto.randomUUID(), JSON.stringify({ ...what, user, page, at: Date.now() }));
};
const notes = () => Object.entries(localStorage)
	.filter(([name]) => name.startsWith("note ")).map(([, text]) => JSON.parse(text));
const auth = holdfast.oauth({ redirectUrl: location.origin + location.pathname, ...HOW });
auth.onchange = (signIn) => (window.signIn = signIn);
// What says how a call has ended, and not that the client, or the page's part of a worker, is over.
const ends = /^(?!closed$|runtime_exited$)./;
const followed = new Set();
const follow = (call) => {
	if (followed.has(call)) return;
	followed.add(call);
	call.result.then(() => "result", ({ code }) => code).then(async (told) => {
		note({ label: call.key, told });
		if (!ends.test(told)) return;
		await call.ack();
		note({ label: call.key, acked: true });
	}).catch((error) => note({ label: call.key, failed: String(error) }));
};
window.start = async () => {
	[window.opened, window.failed] = [false, undefined];
	const acked = notes().filter(({ acked }) => acked).map(({ label }) => label);
	const mcp = await holdfast.connect(SERVER, { auth, host: HOST, principal: user, ack: "manual" });
	window.mcp = mcp;
	mcp.on("state", ({ state }) => state === "closed" && window.mcp === mcp && leaving.then(begin));
	mcp.on("call", ({ call }) => follow(call));
	for (const call of await mcp.calls()) {
		note({ label: call.key, listed: true, again: acked.includes(call.key) });
		follow(call);
	}
	window.opened = mcp.state !== "closed";
	if (!opened) void leaving.then(begin);
};
const begin = () => start().catch((error) => (window.failed = error.code ?? String(error)));
// Whoever logs out connects again behind it.
let leaving = Promise.resolve();
window.leaves = (logout) => (leaving = logout);
window.make = async (label, tool, args) => {
	follow(mcp.callTool(tool, { call: label, ...args }, { key: label }));
	await mcp.stored();
	note({ label, made: true });
};
// Of those that were kept.
window.haveEnded = (labels) => labels.every((label) => {
	const own = notes().filter((note) => note.label === label);
	return !own.some(({ made }) => made) || own.some(({ told }) => ends.test(told ?? ""));
});
window.click = () => {
	window.failed = undefined;
	void signIn.signIn().then(() => opened || begin(), ({ code }) => (window.failed = code));
};
window.ready = true;
begin();
`

// A note is what a page of userScript has to say of a call.
type note struct {
	Label, User, Page, Told, Failed string
	Made, Acked, Listed, Again      bool
	At                              int64
}

// ends says whether a page was told how the call has ended, and not that its client, or the page's part
// of a worker, is over.
func (n note) ends() bool { return n.Told != "" && n.Told != "closed" && n.Told != "runtime_exited" }

// signInServer is an MCP server, at an address that is a secret, to which an authorization server lets
// people.
type signInServer struct {
	*peer.Peer
	as    *oauthserver.Server
	known secrets // of the address

	mu   sync.Mutex
	ran  map[string][]string // who has run the call of a label
	left map[string]int      // how often its request has come, with whatever token or none
	// The user whose token a session was first used with, and what came in it with another one.
	sessions map[string]string
	strays   []string
}

func newSignInServer(t *testing.T, site *chrome.Site) *signInServer {
	s := &signInServer{
		Peer: peer.Mounted(peer.Options{Path: "/mcp"}), as: oauthserver.Start(t),
		known: secrets{"path": secret(), "query": secret()},
		ran:   map[string][]string{}, left: map[string]int{}, sessions: map[string]string{},
	}
	t.Cleanup(s.Close)
	s.SideEffects()
	s.Counting(nil)
	site.Handle(s.path(), s.comes(s.as.Guard(site.URL+"/metadata", http.HandlerFunc(s.runs))))
	site.Handle("/metadata", s.as.Metadata(s.address(site)))
	return s
}

func (s *signInServer) path() string { return "/" + s.known["path"] + "/mcp" }

func (s *signInServer) address(site *chrome.Site) string {
	return site.URL + s.path() + "?key=" + s.known["query"]
}

// labelOf is that of a call; "" for any other request.
func labelOf(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		Method string
		Params struct{ Arguments struct{ Call string } }
	}
	if json.Unmarshal(body, &m) != nil || m.Method != "tools/call" {
		return ""
	}
	return m.Params.Arguments.Call
}

// comes notes what comes, whether or not it is let through.
func (s *signInServer) comes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if label := labelOf(r); label != "" {
			s.mu.Lock()
			s.left[label]++
			s.mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
}

// runs notes what is let through, and has the peer serve it.
func (s *signInServer) runs(w http.ResponseWriter, r *http.Request) {
	user, label := oauthserver.User(r), labelOf(r)
	s.mu.Lock()
	if label != "" {
		s.ran[label] = append(s.ran[label], user)
	}
	if session := r.Header.Get("Mcp-Session-Id"); session != "" {
		if s.sessions[session] == "" {
			s.sessions[session] = user
		}
		if was := s.sessions[session]; was != user {
			s.strays = append(s.strays,
				fmt.Sprintf("%s %s as %s in a session of %s", r.Method, label, user, was))
		}
	}
	s.mu.Unlock()
	r.URL.Path, r.URL.RawQuery = "/mcp", ""
	s.ServeHTTP(w, r)
}

// departures says how often the request of each of these calls has come.
func (s *signInServer) departures(labels []string) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]int{}
	for _, label := range labels {
		all[label] = s.left[label]
	}
	return all
}

// signInsOf counts what the authorization server got that begins a sign-in of that user, or goes on with
// one.
func (s *signInServer) signInsOf(user string) []int {
	return []int{
		s.as.Requests("GET /auth /app-" + user), s.as.Requests("POST /token authorization_code /app-" + user),
		s.as.Requests("POST /token refresh_token /app-" + user), s.as.Requests("stalled /app-" + user),
	}
}

// secrets are all that there are by now.
func (s *signInServer) secrets() secrets {
	known := secrets{"path": s.known["path"], "query": s.known["query"]}
	for text, what := range s.as.Secrets() {
		known[fmt.Sprintf("%s %d", what, len(known))] = text
	}
	return known
}

// notes are what pages have noted, in the order of their time.
func notesOf(page *chrome.Page) []note {
	all := chrome.Eval[[]note](page, `Object.entries(localStorage)
		.filter(([name]) => name.startsWith("note ")).map(([, text]) => JSON.parse(text))`)
	slices.SortStableFunc(all, func(a, b note) int { return int(a.At - b.At) })
	return all
}

// resting is what rests of a page's origin, and of the page itself: the rows and their keys, both
// storages, the names of locks.
const resting = `(async () => {
	const { storage, database } = await surfaces();
	const { held, pending } = await navigator.locks.query();
	const apart = (part) => Object.entries(part).filter(([name]) => !name.startsWith("note "));
	const own = JSON.parse(storage).map((part) => typeof part === "object" && part ? apart(part) : part);
	const locks = [...held, ...pending].map(({ name }) => name).join("\n");
	return { storage: JSON.stringify(own), database, keys: (await rows()).keys, locks };
})()`

// givesRows is how a page gives the keys of the rows of its origin.
var givesRows = candidSignInScript[strings.Index(candidSignInScript, "\nwindow.rows = "):]

// gathersRows is how it gives what rests there as well.
var gathersRows = candidScript[strings.Index(candidScript, "\nwindow.shown = "):] + givesRows
