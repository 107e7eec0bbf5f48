//go:build !js

package demosite

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// types are set here because mime types differ between machines, and a wasm of
// another type is compiled the slow way.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".map":  "application/json",
	".wasm": "application/wasm",
}

// pages serves built files, never from a cache without asking: the next build
// has other files under the same names.
func pages(files fs.FS) http.Handler {
	server := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if r.URL.Path == "/" {
			http.Redirect(w, r, "demo/", http.StatusFound)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/") && r.URL.Path != "/demo/" {
			http.NotFound(w, r) // no listings
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		if t := types[path.Ext(r.URL.Path)]; t != "" {
			w.Header().Set("Content-Type", t)
		}
		server.ServeHTTP(w, r)
	})
}
