//go:build !js

package authserver

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A refreshToken works once. Used again it has been stolen, or is the thief's.
type refreshToken struct {
	grant *grant
	until time.Time
	used  bool
}

type accessToken struct {
	grant *grant
	until time.Time
}

// Whose says what an access token is good for.
type Whose struct {
	Person, Resource string
	Scopes           []string
	Until            time.Time
}

// Token says whose a token is; false for one that is over, revoked or none of ours.
func (s *Server) Token(token string) (Whose, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, known := s.access[token]
	if !known || one.grant.ended || !s.now().Before(one.until) {
		return Whose{}, false
	}
	return Whose{one.grant.person, one.grant.resource, slices.Clone(one.grant.scopes), one.until}, true
}

// token exchanges a code or a refresh token.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil {
		refuse(w, "invalid_request")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.clients[r.PostForm.Get("client_id")]; !known {
		refuse(w, "invalid_client")
		return
	}
	var granted *grant
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		granted = s.redeem(r)
	case "refresh_token":
		granted = s.rotate(r)
	default:
		refuse(w, "unsupported_grant_type")
		return
	}
	switch resource := r.PostForm.Get("resource"); {
	case granted == nil:
		refuse(w, "invalid_grant")
	case resource != "" && resource != granted.resource:
		refuse(w, "invalid_target")
	default:
		answer(w, http.StatusOK, s.issue(granted))
	}
}

// redeem takes a code. One that comes twice ends all that came of it (RFC 6749 section 4.1.2).
func (s *Server) redeem(r *http.Request) *grant {
	one := s.codes[r.PostForm.Get("code")]
	switch {
	case one == nil || one.grant.client != r.PostForm.Get("client_id"):
		return nil
	case one.used:
		one.grant.ended = true
		return nil
	}
	one.used = true
	hash := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	good := one.redirect == r.PostForm.Get("redirect_uri") &&
		one.challenge == base64.RawURLEncoding.EncodeToString(hash[:])
	if !good || s.now().After(one.until) || one.grant.issuer != issuerAt(r) {
		return nil
	}
	return one.grant
}

// rotate takes a refresh token. One that comes twice ends the grant (RFC 9700 section 4.14.2).
func (s *Server) rotate(r *http.Request) *grant {
	one := s.refresh[r.PostForm.Get("refresh_token")]
	switch {
	case one == nil || one.grant.client != r.PostForm.Get("client_id") || one.grant.ended:
		return nil
	case one.used:
		one.grant.ended = true
		return nil
	}
	one.used = true
	if s.now().After(one.until) {
		return nil
	}
	return one.grant
}

// issue makes the tokens of a grant. s.mu is held.
func (s *Server) issue(g *grant) map[string]any {
	now := s.now()
	sweep(s.access, func(old accessToken) bool { return now.After(old.until) })
	sweep(s.refresh, func(old *refreshToken) bool { return now.After(old.until) })
	access, refresh := s.signed(g, now), rand.Text()
	s.access[access] = accessToken{g, now.Add(accessTime)}
	s.refresh[refresh] = &refreshToken{grant: g, until: now.Add(refreshTime)}
	return map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": int(accessTime.Seconds()),
		"refresh_token": refresh, "scope": strings.Join(g.scopes, " "),
	}
}

// signed makes an access token that says whose it is (RFC 9068). The server that takes it asks
// [Server.Token], so that a revoked one is over at once; nobody else has to check the signature.
func (s *Server) signed(g *grant, now time.Time) string {
	part := func(value map[string]any) string {
		text, _ := json.Marshal(value)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(map[string]any{"alg": "HS256", "typ": "at+jwt"}) + "." + part(map[string]any{
		"iss": g.issuer, "sub": strings.ToLower(g.person), "aud": g.resource, "client_id": g.client,
		"scope": strings.Join(g.scopes, " "),
		"iat":   now.Unix(), "exp": now.Add(accessTime).Unix(), "jti": rand.Text(),
	})
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// revoke ends the grant of a token; whatever else comes is answered in the same way (RFC 7009 section 2.2).
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil {
		refuse(w, "invalid_request")
		return
	}
	token, by := r.PostForm.Get("token"), r.PostForm.Get("client_id")
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.refresh[token]; one != nil && one.grant.client == by {
		one.grant.ended = true
	}
	if one, known := s.access[token]; known && one.grant.client == by {
		delete(s.access, token)
	}
	w.WriteHeader(http.StatusOK)
}
