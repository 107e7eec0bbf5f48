//go:build !js

// Package authserver is the authorization server of the demo, and for the demo only: whoever
// clicks on a name is that person, nothing is stored, and all of it is gone when the program ends.
// Else it does what OAuth 2.1 asks of one that serves clients without a secret: metadata
// (RFC 8414), dynamic registration (RFC 7591), codes with PKCE S256 that work once, iss in
// every answer (RFC 9207), resource indicators (RFC 8707), refresh tokens that work once, and
// revocation (RFC 7009).
//
//	as := authserver.New(authserver.Options{})
//	mux.Handle("/as/", as)
//	mux.Handle("/.well-known/oauth-authorization-server/as", as)
//	... as.Token("eyJ...") says whose token it is
//
// Its issuer is the address that it is asked at: http://HOST/as.
package authserver

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Path is where the server is mounted, and MetadataPath where its metadata is.
const (
	Path         = "/as"
	MetadataPath = "/.well-known/oauth-authorization-server" + Path
)

// How long things are good.
const (
	requestTime = time.Hour // a person takes to choose
	codeTime    = time.Minute
	accessTime  = 5 * time.Minute
	refreshTime = 8 * time.Hour
)

// Options choose what the server is made of.
type Options struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Secret signs access tokens; nil means random bytes.
	Secret []byte
}

// people are those who can sign in.
var people = []string{"Ada", "Bob"}

// A Server is an authorization server. Use [New].
type Server struct {
	mux    *http.ServeMux
	now    func() time.Time
	secret []byte

	mu       sync.Mutex
	clients  map[string]client
	requests map[string]request
	codes    map[string]*code
	refresh  map[string]*refreshToken
	access   map[string]accessToken
}

// A grant is what one person has let one client do. Codes and tokens are of a grant, and end with it.
type grant struct {
	issuer, client, person, resource string
	scopes                           []string
	ended                            bool
}

// New makes a server that knows no client yet.
func New(o Options) *Server {
	s := &Server{
		mux: http.NewServeMux(), now: o.Now, secret: o.Secret,
		clients: map[string]client{}, requests: map[string]request{}, codes: map[string]*code{},
		refresh: map[string]*refreshToken{}, access: map[string]accessToken{},
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.secret == nil {
		s.secret = []byte(rand.Text())
	}
	s.mux.HandleFunc("GET "+MetadataPath, open(s.metadata))
	s.mux.HandleFunc("GET "+Path+"/authorize", s.authorize)
	s.mux.HandleFunc("POST "+Path+"/authorize", s.decide)
	for path, serve := range map[string]http.HandlerFunc{
		"/register": s.register, "/token": s.token, "/revoke": s.revoke} {
		s.mux.HandleFunc("POST "+Path+path, open(serve))
		s.mux.HandleFunc("OPTIONS "+Path+path, open(permit))
	}
	return s
}

// ServeHTTP serves the endpoints, the metadata and the page that asks a person.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// issuerAt is the issuer at the address that a request came to.
func issuerAt(r *http.Request) string { return "http://" + r.Host + Path }

// open lets pages of every origin read the answer: no cookie is ever looked at.
func open(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		serve(w, r)
	}
}

// permit answers a preflight.
func permit(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) metadata(w http.ResponseWriter, r *http.Request) {
	issuer := issuerAt(r)
	answer(w, http.StatusOK, map[string]any{
		"issuer":                                         issuer,
		"authorization_endpoint":                         issuer + "/authorize",
		"token_endpoint":                                 issuer + "/token",
		"registration_endpoint":                          issuer + "/register",
		"revocation_endpoint":                            issuer + "/revoke",
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"authorization_response_iss_parameter_supported": true,
	})
}

// answer writes JSON.
func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// refuse writes an error of OAuth.
func refuse(w http.ResponseWriter, code string) {
	answer(w, http.StatusBadRequest, map[string]string{"error": cmp.Or(code, "invalid_request")})
}

// sweep forgets what is over, before something new is kept.
func sweep[V any](kept map[string]V, over func(V) bool) {
	for key, value := range kept {
		if over(value) {
			delete(kept, key)
		}
	}
}
