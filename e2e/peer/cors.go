//go:build !js

package peer

import (
	"net/http"
	"strconv"
	"strings"
)

// CORS is what the Peer tells browsers (spec 3.5). The zero value allows every
// origin, reflects every requested header and exposes all that a client reads.
type CORS struct {
	// Off sends no CORS header at all; preflights get 405.
	Off bool
	// Origin is the value of Access-Control-Allow-Origin; "" means "*".
	Origin string
	// Methods is the list allowed to preflights; nil means GET, POST, DELETE.
	Methods []string
	// Allow is the list of request headers allowed to preflights; nil means
	// whatever the preflight asks for.
	Allow []string
	// Expose is the list of readable response headers; nil means
	// Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate and Retry-After;
	// an empty list exposes nothing.
	Expose []string
	// Timing tells pages of other origins how an answer came (Timing-Allow-Origin): by which protocol, among
	// others.
	Timing bool
	// MaxAge in seconds lets browsers keep a preflight answer; 0 sends none.
	MaxAge int
}

// CORS2025 is the allow list that 2025-era server guides prescribe: it names
// neither Last-Event-ID nor any Mcp-Method, so that a page of another origin
// can call tools but never resume.
func CORS2025() CORS {
	return CORS{
		Methods: []string{"GET", "POST", "OPTIONS"},
		Allow:   []string{"Content-Type", "Accept", "Authorization", "mcp-protocol-version", "mcp-session-id"},
		Expose:  []string{"mcp-session-id"},
	}
}

func (c CORS) decorate(h http.Header) {
	if c.Off {
		return
	}
	h.Set("Access-Control-Allow-Origin", c.origin())
	if c.Timing {
		h.Set("Timing-Allow-Origin", c.origin())
	}
	expose := c.Expose
	if expose == nil {
		expose = []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "WWW-Authenticate", "Retry-After"}
	}
	if len(expose) > 0 {
		h.Set("Access-Control-Expose-Headers", strings.Join(expose, ", "))
	}
}

func (c CORS) origin() string {
	if c.Origin == "" {
		return "*"
	}
	return c.Origin
}

func (c CORS) preflight(w http.ResponseWriter, r *http.Request) {
	if c.Off {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	methods := c.Methods
	if methods == nil {
		methods = []string{"GET", "POST", "DELETE"}
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", c.origin())
	h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
	if c.Allow != nil {
		h.Set("Access-Control-Allow-Headers", strings.Join(c.Allow, ", "))
	} else if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	if c.MaxAge > 0 {
		h.Set("Access-Control-Max-Age", strconv.Itoa(c.MaxAge))
	}
	w.WriteHeader(http.StatusNoContent)
}
