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
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// byCookie is a server on a page's own site that knows its user by a cookie, or else by a token.
type byCookie struct {
	*peer.Peer
	mu       sync.Mutex
	sessions map[string]string // whose each session was when it began
	runs     []string          // "ada: one", in the order of their coming
	strays   []string          // what came in a session of another user's, but for what ends something
}

// knowsCookies mounts such a server at /mcp.
func knowsCookies(t *testing.T, site *chrome.Site, options peer.Options) *byCookie {
	options.Path = "/mcp"
	s := &byCookie{Peer: peer.Mounted(options), sessions: map[string]string{}}
	t.Cleanup(s.Close)
	s.SideEffects()
	site.Handle("/mcp", s)
	return s
}

func (s *byCookie) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		Method string
		Params struct{ Arguments struct{ Call string } }
	}
	json.Unmarshal(body, &m)
	user := ""
	if c, err := r.Cookie("user"); err == nil {
		user = c.Value
	}
	s.mu.Lock()
	if m.Method == "tools/call" {
		s.runs = append(s.runs, user+": "+m.Params.Arguments.Call)
	}
	if session := r.Header.Get("Mcp-Session-Id"); session != "" {
		if s.sessions[session] == "" {
			s.sessions[session] = user
		}
		ends := r.Method == http.MethodDelete || m.Method == "notifications/cancelled"
		if was := s.sessions[session]; was != user && !ends {
			s.strays = append(s.strays, fmt.Sprintf("%s %s as %s in a session of %s", r.Method, m.Method,
				user, was))
		}
	}
	s.mu.Unlock()
	s.Peer.ServeHTTP(w, r)
}

// ran returns the calls that a user has run, in order.
func (s *byCookie) ran(user string) (labels []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, run := range s.runs {
		if label, ok := strings.CutPrefix(run, user+": "); ok {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels)
	return labels
}

// six makes six calls, c0 to c5, of which three have the connections there are, and three wait for one.
// window.told[label] is how each has ended.
const six = `
	window.told = {};
	for (let i = 0; i < 6; i++) {
		const label = "c" + i;
		mcp.callTool("sideeffect", { call: label, gate: label, opened: true }).result.then(
			() => (told[label] = "result"),
			(error) => (told[label] = error.code),
		);
	}`

// TestFault718_WaitingCallsOfWhoHasLoggedOut: ada has six calls, three of which wait for a connection. She
// logs out, in this tab or another one, and bob signs in in that tab and connects. What waited ends unsent;
// nothing runs as bob but what he calls, and nothing leaves in a session of hers but what ends it.
func TestFault718_WaitingCallsOfWhoHasLoggedOut(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared", "worker"} {
		for _, logout := range []string{"wipe", "forget"} {
			for _, here := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, %s, here %v", host, logout, here), func(t *testing.T) {
					row(t)
					t.Parallel()
					site, profile := chrome.NewSite(t), chrome.NewProfile(t)
					s := knowsCookies(t, site, peer.Options{})
					page := candid(profile, site)
					leaver := page
					if !here {
						leaver = candid(profile, site)
					}
					connect := func(user string) string {
						return fmt.Sprintf(`document.cookie = "user=%s";
							window.mcp = await holdfast.connect("/mcp", { principal: %[1]q, credentials: "include", host: %q });`, user, host)
					}
					chrome.Script[chrome.Void](page, connect("ada"))
					if !here {
						chrome.Script[chrome.Void](leaver, connect("ada"))
					}
					chrome.Script[chrome.Void](page, six)
					for _, label := range []string{"c0", "c1", "c2"} {
						s.Waiting(label)
					}
					chrome.Script[chrome.Void](leaver,
						map[string]string{"wipe": `await holdfast.wipe();`,
							"forget": `await mcp.forget();`}[logout])
					chrome.Script[chrome.Void](leaver, connect("bob"))
					for i := range 6 {
						s.Release(fmt.Sprintf("c%d", i))
					}
					chrome.Script[chrome.Void](leaver,
						`await mcp.callTool("sideeffect", { call: "bob's" }).result;`)
					page.WaitFor(`Object.keys(told).length === 6`)
					under := "result"
					if logout == "forget" && here {
						under = "closed" // she has closed the client
					}
					told := chrome.Eval[map[string]string](page, `told`)
					for i, want := range []string{under, under, under, "unsent", "unsent", "unsent"} {
						if got := told[fmt.Sprintf("c%d", i)]; got != want {
							t.Errorf("c%d ended with %q, want %q", i, got, want)
						}
					}
					if got := s.ran("ada"); !slices.Equal(got, []string{"c0", "c1", "c2"}) {
						t.Errorf("as ada ran %v", got)
					}
					if got := s.ran("bob"); !slices.Equal(got, []string{"bob's"}) {
						t.Errorf("as bob ran %v", got)
					}
					s.mu.Lock()
					defer s.mu.Unlock()
					if len(s.strays) > 0 {
						t.Errorf("behind the logout: %v", s.strays)
					}
				})
			}
		}
	}
}

// TestFault718_NothingKept: a client that keeps nothing waits for a token when all users are wiped, in this
// tab or another one, and then gets one. What it was asked for has not left, and does not.
func TestFault718_NothingKept(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		for _, here := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, here %v", host, here), func(t *testing.T) {
				row(t)
				t.Parallel()
				site, profile := chrome.NewSite(t), chrome.NewProfile(t)
				s := knowsCookies(t, site, peer.Options{})
				s.Unauthorized(func(token string) bool {
					return token == "old" &&
						len(s.Of("tools/call")) > 0
				})
				page := candid(profile, site)
				leaver := page
				if !here {
					leaver = candid(profile, site)
				}
				chrome.Script[chrome.Void](page, fmt.Sprintf(`
					window.given = 0;
					const token = () => given++ === 0 ? "old" : new Promise((resolve) => (window.give = resolve));
					window.mcp = await holdfast.connect("/mcp", { token, journal: false, host: %q });
					watch(mcp.callTool("sideeffect", { call: "waits" }));`, host))
				page.WaitFor(`window.give`)
				chrome.Script[chrome.Void](leaver, `await holdfast.wipe();`)
				page.WaitFor(`seen.done`)
				outcome(t, page, "unsent")
				chrome.Eval[chrome.Void](page, `give("new")`)
				page.WaitFor(`mcp.state === "closed"`)
				if n := s.Oracle().Runs("waits"); n != 0 {
					t.Errorf("it has run %d times", n)
				}
			})
		}
	}
}

// TestFault744_ForgottenWhereNothingIsKept: a client that keeps nothing has six calls of ada's, three of
// which wait for a connection. She is forgotten in another tab, by a client that keeps something or by one
// that does not. What waited ends unsent. That carl is forgotten is nothing to it.
func TestFault744_ForgottenWhereNothingIsKept(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		for _, forgets := range []struct{ who, journal string }{
			{"ada", "true"}, {"ada", "false"}, {"carl", "true"}} {
			t.Run(fmt.Sprintf("%s, %s is forgotten, journal %s", host, forgets.who, forgets.journal),
				func(t *testing.T) {
					row(t)
					t.Parallel()
					site, profile := chrome.NewSite(t), chrome.NewProfile(t)
					s := knowsCookies(t, site, peer.Options{})
					page, leaver := candid(profile, site), candid(profile, site)
					connect := func(user, journal string) string {
						return fmt.Sprintf(`document.cookie = "user=ada";
						window.mcp = await holdfast.connect("/mcp", { principal: %q, credentials: "include", host: %q, journal: %s });`, user, host, journal)
					}
					chrome.Script[chrome.Void](page, connect("ada", "false"))
					chrome.Script[chrome.Void](leaver, connect(forgets.who, forgets.journal))
					chrome.Script[chrome.Void](page, six)
					for _, label := range []string{"c0", "c1", "c2"} {
						s.Waiting(label)
					}
					waits := "result"
					chrome.Script[chrome.Void](leaver, `await mcp.forget();`)
					if forgets.who == "ada" {
						waits = "unsent"
						page.WaitFor(`["c3", "c4", "c5"].every((label) => told[label])`)
					}
					for i := range 6 {
						s.Release(fmt.Sprintf("c%d", i))
					}
					page.WaitFor(`Object.keys(told).length === 6`)
					told := chrome.Eval[map[string]string](page, `told`)
					for i, want := range []string{"result", "result", "result", waits, waits, waits} {
						if got := told[fmt.Sprintf("c%d", i)]; got != want {
							t.Errorf("c%d ended with %q, want %q", i, got, want)
						}
					}
				})
		}
	}
}
