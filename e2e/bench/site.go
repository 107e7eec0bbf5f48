//go:build !js

package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// site is the origin that a contender's page is on, with the MCP server beside
// it at /mcp.
type site struct {
	*httptest.Server
	folder string // what is served
}

const pageHTML = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,` +
	`"><title>bench</title><script type="module" src="/rig.mjs"></script></html>`

var kinds = map[string]string{".mjs": "text/javascript; charset=utf-8", ".wasm": "application/wasm"}

// newSite starts one over HTTP/1.1, as cleartext is, or over TLS with HTTP/2.
func newSite(folder string, mcp http.Handler, secure bool) *site {
	s := &site{folder: folder}
	routes := http.NewServeMux()
	routes.Handle("/mcp", mcp)
	routes.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(pageHTML))
	})
	routes.HandleFunc("/", s.file)
	s.Server = httptest.NewUnstartedServer(routes)
	s.EnableHTTP2 = secure
	if secure {
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // a browser that is ended says so to nobody
		s.StartTLS()
	} else {
		s.Start()
	}
	return s
}

func (s *site) file(w http.ResponseWriter, r *http.Request) {
	kind, known := kinds[path.Ext(r.URL.Path)]
	name := filepath.Join(s.folder, filepath.FromSlash(path.Clean("/"+r.URL.Path)))
	content, err := os.ReadFile(name)
	if err != nil || !known {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "max-age=3600")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "br") {
		if small, err := os.ReadFile(name + ".br"); err == nil {
			w.Header().Set("Content-Encoding", "br")
			content = small
		}
	}
	w.Write(content)
}
