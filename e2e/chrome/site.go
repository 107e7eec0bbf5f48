//go:build !js

package chrome

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// Site is an origin of its own: a server on a fresh port of 127.0.0.1 that has
// the built module (web/dist) at its root. "/" is an empty page unless a file
// says otherwise. It ends with its test.
type Site struct {
	// URL is the origin, with no slash at its end.
	URL string

	t      testing.TB
	server *httptest.Server
	dist   string
	routes *http.ServeMux

	mu     sync.Mutex
	files  map[string]string
	header func(path string, header http.Header)
}

// blank is the page at "/": the icon is inline, or Chrome would ask for one.
const blank = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,` +
	`"><title>holdfast</title></html>`

// types are the content types of what a site serves. The system's table is not
// asked: it differs between machines.
var types = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".map":  "application/json",
	".mjs":  "text/javascript; charset=utf-8",
	".png":  "image/png",
	".svg":  "image/svg+xml",
	".wasm": "application/wasm",
}

// NewSite starts a site.
func NewSite(t testing.TB) *Site {
	t.Helper()
	isBuilt(t)
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatalf("chrome: %v", err)
	}
	s := &Site{
		t:      t,
		dist:   filepath.Join(root, "web", "dist"),
		routes: http.NewServeMux(),
		files:  map[string]string{"/": blank, "/favicon.ico": ""},
	}
	s.routes.HandleFunc("/", s.serve)
	s.server = httptest.NewServer(s.routes)
	s.URL = s.server.URL
	t.Cleanup(func() {
		s.Cut() // a stream that is still open would hold Close back
		s.server.Close()
	})
	return s
}

// Cut breaks every connection to the site, in the middle of what it carries.
// New ones are welcome.
func (s *Site) Cut() { s.server.CloseClientConnections() }

// File serves content at path. It goes before the built module, so it can stand
// in for a part of it.
func (s *Site) File(path, content string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = content
}

// Page serves a page at path that runs a module script, and returns its
// address. The script is a file of its own (path + ".mjs"), so it runs under a
// content security policy as well.
func (s *Site) Page(path, script string) string {
	s.File(path+".mjs", script)
	s.File(path,
		strings.Replace(blank, "</html>", `<script type="module" src="`+path+`.mjs"></script></html>`, 1))
	return s.URL + path
}

// Handle gives the requests that match pattern (see [http.ServeMux]) to
// handler: a peer on the origin of the page, or a file that misbehaves.
func (s *Site) Handle(pattern string, handler http.Handler) {
	s.routes.Handle(pattern, handler)
}

// ServeHTTP serves the site at an origin of somebody else's: beside an MCP server
// that has its own certificate.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

// Header has change see the headers of each file before it is sent, to add a
// content security policy or to spoil a content type.
func (s *Site) Header(change func(path string, header http.Header)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header = change
}

// pinning are the modules that connect, each with what does so and what loads that ahead. With the query
// built a page has the module itself, and not the one that pins its host.
var pinning = map[string][2]string{
	"/holdfast.mjs":       {"connect", "preload"},
	"/holdfast-agent.mjs": {"connectAgent", "preloadAgent"},
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	content, err := s.content(r.URL.Path)
	names, isPinned := pinning[r.URL.RequestURI()]
	if host := HostOf(s.t); host != AnyHost && isPinned && !s.own(r.URL.Path) {
		content, err = []byte(host.pinned(r.URL.Path+"?built", names[0], names[1])), nil
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	kind, known := types[path.Ext(r.URL.Path)]
	if !known {
		kind = types[".html"]
	}
	w.Header().Set("Content-Type", kind)
	// Asked again each time, yet not no-store: that would bar the page from the
	// back/forward cache.
	w.Header().Set("Cache-Control", "no-cache")
	s.mu.Lock()
	change := s.header
	s.mu.Unlock()
	if change != nil {
		change(r.URL.Path, w.Header())
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// own reports whether the test itself has a file for a path.
func (s *Site) own(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, found := s.files[name]
	return found
}

// content finds the file for a path: one of the test's own, or a built one.
func (s *Site) content(name string) ([]byte, error) {
	s.mu.Lock()
	own, found := s.files[name]
	s.mu.Unlock()
	if found {
		return []byte(own), nil
	}
	built, err := os.ReadFile(filepath.Join(s.dist, filepath.FromSlash(path.Clean("/"+name))))
	if err == nil {
		return built, nil
	}
	if strings.HasPrefix(name, "/holdfast.") {
		s.t.Errorf("chrome: web/dist%s was asked for but is not built: run make build", name)
	}
	return nil, fmt.Errorf("no such file: %s", name)
}
