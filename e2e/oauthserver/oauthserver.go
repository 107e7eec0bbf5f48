//go:build !js

// Package oauthserver runs an authorization server that others wrote, oidc-provider, in
// front of the official TypeScript server (@modelcontextprotocol/server): two origins of
// this machine, with CORS for every origin. Clients register themselves; the person at the
// browser is whom the test names.
//
//	s := oauthserver.Start(t)
//	s.Person("ada")               // who signs in from here on; "" has the page wait, "nobody" says no,
//	                              // and "*" is whom the redirect address names: /app-ada
//	... connect a client to s.URL ...
//	s.Expire()                    // every access token of before is refused
//	s.Requests("POST /token")     // how many of these the authorization server got
//	s.Ran()                       // which tool ran for whom: "pay ada"
//
// Tools: pay, and admin, which wants the scope of that name (403, insufficient_scope).
package oauthserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
)

// A Server is both of them, running.
type Server struct {
	// URL is the MCP server's endpoint, Issuer the authorization server.
	URL, Issuer string

	t testing.TB
}

// Start runs them on free loopback ports until t ends. The test fails if the packages are
// not installed or they do not come up.
func Start(t testing.TB) *Server { return start(t) }

// StartBound does the same; tokens are bound to keys (RFC 9449), and both servers want nonces.
func StartBound(t testing.TB) *Server { return start(t, "dpop") }

// StartSecretive does so as well, and gives each client a secret: there is one of each kind of secret.
func StartSecretive(t testing.TB) *Server { return start(t, "dpop", "secret") }

func start(t testing.TB, more ...string) *Server {
	t.Helper()
	if _, err := nodeserver.Installed("oidc-provider", "package.json"); err != nil {
		t.Fatal("oauthserver: ", err)
	}
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal("oauthserver: ", err)
	}
	process := nodeserver.Start(t, nil, append([]string{filepath.Join(root, "e2e", "oauthserver", "server.mjs")}, more...)...)
	line, err := process.Line()
	if err != nil {
		t.Fatalf("oauthserver: %v\n%s", err, process.Output())
	}
	var where struct{ Issuer, Mcp string }
	if err := json.Unmarshal([]byte(line), &where); err != nil {
		t.Fatalf("oauthserver: %v: %s", err, line)
	}
	return &Server{URL: where.Mcp, Issuer: where.Issuer, t: t}
}

// Person says who signs in from here on: whoever waits at a form, too.
func (s *Server) Person(name string) { s.control("person", name) }

// Expire has every access token refused that was issued before.
func (s *Server) Expire() { s.control("expire", "") }

// Revoke does the same, and no refresh token brings another: somebody has to sign in again.
func (s *Server) Revoke() { s.control("revoke", "") }

// Down has the authorization server answer nothing but 503, and Up ends that.
func (s *Server) Down() { s.control("down", "yes") }

// Up ends [Server.Down].
func (s *Server) Up() { s.control("down", "no") }

// Stall has the authorization server take requests for tokens and answer none, until [Server.GoOn].
func (s *Server) Stall() { s.control("stalls", "yes") }

// GoOn ends [Server.Stall]. What came meanwhile is never answered.
func (s *Server) GoOn() { s.control("stalls", "no") }

// Open has the MCP server take requests without a token: they are nobody's.
func (s *Server) Open() { s.control("open", "yes") }

// Guard lets requests to another server through that carry a token for it. Its metadata is for
// [Server.Metadata] to serve, at that address.
func (s *Server) Guard(metadata string, server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, carried := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		users, err := s.ask("user", token)
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		case !carried || len(users) == 0:
			w.Header().Set("WWW-Authenticate", `Bearer scope="openid tools", resource_metadata="`+metadata+`"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		server.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), user{}, users[0])))
	})
}

type user struct{}

// User says whose token a request carries that [Server.Guard] has let through.
func User(r *http.Request) string { return r.Context().Value(user{}).(string) }

// Metadata serves the metadata of that server: it trusts this authorization server.
func (s *Server) Metadata(resource string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"resource": resource, "authorization_servers": []string{s.Issuer}, "scopes_supported": []string{"openid", "tools"},
		})
	})
}

// Requests counts the requests of the authorization server's that begin so.
func (s *Server) Requests(prefix string) int {
	s.t.Helper()
	n := 0
	for _, one := range s.control("requests", "") {
		if strings.HasPrefix(one, prefix) {
			n++
		}
	}
	return n
}

// Ran returns which tool ran for whom, in the order of their calls.
func (s *Server) Ran() []string { return s.control("ran", "") }

// Secrets returns what the two and their clients have told each other that is nobody else's business, and
// what each is: "code_verifier".
func (s *Server) Secrets() map[string]string {
	s.t.Helper()
	all, pairs := map[string]string{}, s.control("secrets", "")
	for i := 0; i+1 < len(pairs); i += 2 {
		all[pairs[i+1]] = pairs[i]
	}
	return all
}

// Referrers returns what requests said of the page that they came from.
func (s *Server) Referrers() []string { return s.control("referrers", "") }

func (s *Server) control(name, value string) []string {
	s.t.Helper()
	said, err := s.ask(name, value)
	if err != nil {
		s.t.Fatal("oauthserver: ", err)
	}
	return said
}

func (s *Server) ask(name, value string) (said []string, err error) {
	response, err := nodeserver.Client.Get(s.Issuer + "/control?" + url.Values{name: {value}}.Encode())
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	err = json.NewDecoder(response.Body).Decode(&said)
	return said, err
}
