//go:build !js

package acppeer

import (
	"net/http"
	"strings"
)

// CORS is what the Peer tells browsers. The zero value is that of a careful host:
// the page's origin, the headers that ACP needs, Acp-Connection-Id exposed, no
// credentials.
type CORS struct {
	// Off sends no CORS header at all; preflights get 405, as from the official
	// server itself.
	Off bool
	// Origin is the value of Access-Control-Allow-Origin; "" means the origin that
	// asks.
	Origin string
	// Credentials allows them.
	Credentials bool
	// NoExpose hides Acp-Connection-Id from the page.
	NoExpose bool
	// Allow is the list of request headers allowed; nil means those of ACP and
	// Authorization.
	Allow []string
}

// The variants of the notes on browsers (TestPagesAndCORS), besides CORS{}.
var (
	// CORSNone is the official server without a host's help.
	CORSNone = CORS{Off: true}
	// CORSAny allows every origin, and so nobody with credentials.
	CORSAny = CORS{Origin: "*"}
	// CORSHidden allows everything and exposes nothing.
	CORSHidden = CORS{Credentials: true, NoExpose: true}
	// CORSCredentials allows credentials.
	CORSCredentials = CORS{Credentials: true}
	// CORSRust is the reference server's own: it knows neither Authorization nor
	// Last-Event-ID.
	CORSRust = CORS{Allow: []string{"content-type", "accept", "acp-connection-id", "acp-session-id"}}
	// CORSNoConnection lets initialize through, and nothing that comes after it.
	CORSNoConnection = CORS{Allow: []string{"content-type", "accept", "acp-session-id", "authorization"}}
	// CORSNoSession lets everything through but what is of a session.
	CORSNoSession = CORS{Allow: []string{"content-type", "accept", "acp-connection-id", "authorization"}}
)

func (c CORS) decorate(w http.ResponseWriter, r *http.Request) {
	origin := c.Origin
	if origin == "" {
		origin = r.Header.Get("Origin")
	}
	if c.Off || origin == "" {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	if c.Credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	if !c.NoExpose {
		h.Set("Access-Control-Expose-Headers", "Acp-Connection-Id, Acp-Session-Id")
	}
}

func (c CORS) preflight(w http.ResponseWriter, r *http.Request) {
	if c.Off {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	allow := c.Allow
	if allow == nil {
		allow = []string{"Content-Type", "Accept", "Acp-Connection-Id", "Acp-Session-Id", "Last-Event-ID",
			"Authorization"}
	}
	c.decorate(w, r)
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	w.Header().Set("Access-Control-Allow-Headers", strings.Join(allow, ", "))
	w.WriteHeader(http.StatusNoContent)
}
