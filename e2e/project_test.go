//go:build !js

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
)

// packed packs what npm would publish, once, and returns the tarball.
var packed = sync.OnceValues(func() (string, error) {
	root, err := moduleroot.Find()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(root, "web", "build", "packed")
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	if text, err := output(root, "npm", "pack", "--ignore-scripts", "--pack-destination",
		folder); err != nil {
		return "", fmt.Errorf("npm pack: %w\n%s", err, text)
	}
	tarballs, err := filepath.Glob(filepath.Join(folder, "holdfast-*.tgz"))
	if err != nil || len(tarballs) != 1 {
		return "", fmt.Errorf("npm packs %v, %w", tarballs, err)
	}
	return tarballs[0], nil
})

// A project is an app's folder, with the package unpacked as npm installs it. It has no
// network: what it is built with is a link to what this repository has.
type project struct {
	t      *testing.T
	root   string // of this repository
	folder string
}

// newProject makes a project of files, by their names, which is built with the packages of tools:
// the name that the project has for it, and the one that this repository has.
func newProject(t *testing.T, files map[string]string, tools map[string]string) *project {
	t.Helper()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	tarball, err := packed()
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, root: root, folder: t.TempDir()}
	modules := filepath.Join(p.folder, "node_modules")
	p.folders("node_modules")
	run(t, modules, "tar", "xzf", tarball)
	if err := os.Rename(filepath.Join(modules, "package"), filepath.Join(modules, "holdfast")); err != nil {
		t.Fatal(err)
	}
	for name, ours := range tools {
		target, err := nodeserver.Installed(ours)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(modules, name)); err != nil {
			t.Fatal(err)
		}
	}
	p.write("package.json", `{ "name": "app", "private": true, "type": "module" }`)
	for name, text := range files {
		p.write(name, text)
	}
	return p
}

// path is that of a file of the project.
func (p *project) path(name string) string { return filepath.Join(p.folder, filepath.FromSlash(name)) }

// folders makes a folder and those above it.
func (p *project) folders(name string) {
	p.t.Helper()
	if err := os.MkdirAll(p.path(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

// write puts a file into the project.
func (p *project) write(name, text string) {
	p.t.Helper()
	p.folders(filepath.ToSlash(filepath.Dir(name)))
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// node runs a script of the project.
func (p *project) node(script string) {
	p.t.Helper()
	p.write("build.mjs", script)
	run(p.t, p.folder, "node", "build.mjs")
}

// esbuild bundles with the esbuild that builds Holdfast.
func (p *project) esbuild(args ...string) {
	p.t.Helper()
	program, err := output(p.root, "go", "tool", "-n", "esbuild")
	if err != nil {
		p.t.Fatal(err)
	}
	run(p.t, p.folder, strings.TrimSpace(program), append(args, "--bundle", "--log-level=warning")...)
}

// serve serves a folder of the project at an origin of its own, of which any other may read.
func (p *project) serve(name string) string {
	p.t.Helper()
	files := http.FileServer(http.Dir(p.path(name)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cache-Control", "no-cache")
		files.ServeHTTP(w, r)
	}))
	p.t.Cleanup(server.Close)
	return server.URL
}

// serves runs a server that is a script of the project and prints its address.
func (p *project) serves(script string) string {
	p.t.Helper()
	p.write("serve.mjs", script)
	server := nodeserver.Start(p.t, nil, p.path("serve.mjs"))
	line, err := server.Line()
	if err != nil {
		p.t.Fatal(err)
	}
	return line
}
