//go:build !js

package gosdk

import "net/http"

// cors allows every origin and reflects what a preflight asks for; it reports
// whether the request was a preflight and is answered. The SDK sends no CORS
// header itself.
func cors(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers",
		"Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After")
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}
