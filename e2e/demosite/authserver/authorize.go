//go:build !js

package authserver

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Scopes are what a client can ask for, and what that means to a person.
var Scopes = []Scope{{"harbour:read", "read the harbour's log"}, {"harbour:write", "write into it"}}

// A Scope is one of these.
type Scope struct{ Name, Words string }

// A request waits for a person to choose.
type request struct {
	grant                      grant // nobody's yet
	redirect, state, challenge string
	until                      time.Time
}

// A code is what a person's yes comes back as. It works once.
type code struct {
	grant               *grant
	redirect, challenge string
	until               time.Time
	used                bool
}

// challenges of S256 are 32 bytes in base64url.
var goodChallenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// authorize shows who asks for what, and lets a person choose who they are.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	s.mu.Lock()
	by, known := s.clients[asked.Get("client_id")]
	s.mu.Unlock()
	redirect := asked.Get("redirect_uri")
	if !known || !slices.Contains(by.redirects, redirect) {
		// Nobody is sent to an address that nobody has registered.
		showPage(w, http.StatusBadRequest, "", errorPage, nil)
		return
	}
	one := request{
		grant: grant{issuer: issuerAt(r), client: asked.Get("client_id"), resource: asked.Get("resource"),
			scopes: strings.Fields(asked.Get("scope"))},
		redirect: redirect, state: asked.Get("state"), challenge: asked.Get("code_challenge"),
		until: s.now().Add(requestTime),
	}
	var words []string
	for _, scope := range Scopes {
		if slices.Contains(one.grant.scopes, scope.Name) {
			words = append(words, scope.Words)
		}
	}
	switch {
	case asked.Get("response_type") != "code":
		one.back(w, r, "error", "unsupported_response_type")
	case asked.Get("code_challenge_method") != "S256" || !goodChallenge.MatchString(one.challenge):
		one.back(w, r, "error", "invalid_request")
	case one.grant.resource == "":
		one.back(w, r, "error", "invalid_target")
	case len(words) == 0 || len(words) != len(one.grant.scopes):
		one.back(w, r, "error", "invalid_scope")
	default:
		id := rand.Text()
		s.mu.Lock()
		sweep(s.requests, func(old request) bool { return s.now().After(old.until) })
		s.requests[id] = one
		s.mu.Unlock()
		showPage(w, http.StatusOK, redirect, choicePage,
			map[string]any{"ID": id, "Client": by.name, "Words": words, "People": people})
	}
}

// decide takes what a person chose.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	id, person := r.PostFormValue("request"), r.PostFormValue("person")
	s.mu.Lock()
	one, waits := s.requests[id]
	delete(s.requests, id)
	s.mu.Unlock()
	switch {
	case !waits || s.now().After(one.until):
		showPage(w, http.StatusBadRequest, "", errorPage, nil)
	case !slices.Contains(people, person):
		one.back(w, r, "error", "access_denied")
	default:
		granted := one.grant
		granted.person = person
		key := rand.Text()
		s.mu.Lock()
		sweep(s.codes, func(old *code) bool { return s.now().After(old.until) })
		s.codes[key] = &code{grant: &granted, redirect: one.redirect, challenge: one.challenge,
			until: s.now().Add(codeTime)}
		s.mu.Unlock()
		one.back(w, r, "code", key)
	}
}

// back sends the person back, with an answer that says whose it is (RFC 9207).
func (one request) back(w http.ResponseWriter, r *http.Request, name, value string) {
	to, _ := url.Parse(one.redirect) // it was checked when it was registered
	query := to.Query()
	query.Set(name, value)
	query.Set("iss", one.grant.issuer)
	if one.state != "" {
		query.Set("state", one.state)
	}
	to.RawQuery = query.Encode()
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}
