//go:build !js

package conformance

import (
	"embed"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
)

// driver holds the page: what does, with the public API, what scenarios ask for.
//
//go:embed page
var driver embed.FS

// contentTypes are those of what the site serves. The system's table is not
// asked: it differs between machines.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".wasm": "application/wasm",
}

// newSite starts an origin of its own: the driver's page at "/", and the built
// module of dist beside it.
func newSite(dist string) *httptest.Server {
	page, err := fs.Sub(driver, "page")
	if err != nil {
		panic(err) // the name above is right, or nothing compiles
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		if r.URL.Path == "/" {
			name = "index.html"
		}
		content, err := fs.ReadFile(page, name)
		if err != nil {
			content, err = fs.ReadFile(os.DirFS(dist), name)
		}
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
		_, _ = w.Write(content)
	}))
}
