//go:build !js

package conformance

import "net/http"

// exposed are the fields of an answer that a client has to read and that pages
// see only with the server's permission.
const exposed = "Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-Id, WWW-Authenticate, DPoP-Nonce, Retry-After"

// crossOrigin reports whether the request comes from a page of another origin.
// Chrome names the origin in every such request that CORS is about.
func crossOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin != "" && origin != "http://"+r.Host
}

// preflight reports whether the request asks for permission only.
func preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" &&
		crossOrigin(r)
}

// permit answers a preflight: whatever it asks for is allowed. The answer may
// not be kept, so that every request is asked for, as on a first visit.
func permit(w http.ResponseWriter, r *http.Request) {
	allow(r, w.Header())
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	if fields := r.Header.Get("Access-Control-Request-Headers"); fields != "" {
		w.Header().Set("Access-Control-Allow-Headers", fields)
	}
	w.Header().Set("Access-Control-Max-Age", "0")
	w.WriteHeader(http.StatusNoContent)
}

// allow adds to the header of an answer what lets the page that asked read it.
func allow(r *http.Request, header http.Header) {
	if !crossOrigin(r) {
		return
	}
	header.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	header.Set("Access-Control-Expose-Headers", exposed)
	header.Add("Vary", "Origin")
}
