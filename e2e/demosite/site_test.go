//go:build !js

package demosite_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

func open(t *testing.T) (*demosite.Site, string) {
	t.Helper()
	dist := t.TempDir()
	for name, body := range map[string]string{
		"holdfast.mjs": "export {}", "holdfast.wasm": "\x00asm", "holdfast-agents.wasm": "\x00asm",
		"demo/index.html": "<title>demo</title>", "types/index.d.ts": "",
	} {
		file := filepath.Join(dist, name)
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	site, err := demosite.New(demosite.Options{Dist: dist})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(site)
	t.Cleanup(web.Close)
	t.Cleanup(site.Close)
	return site, web.URL
}

func send(t *testing.T, method, url, body string) (*http.Response, string) {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err.Error()
	}
	defer a.Body.Close()
	b, _ := io.ReadAll(a.Body)
	return a, string(b)
}

func TestPages(t *testing.T) {
	_, url := open(t)
	for path, want := range map[string]string{
		"/":                     "text/html; charset=utf-8",
		"/demo/":                "text/html; charset=utf-8",
		"/visit":                "text/html; charset=utf-8",
		"/holdfast.mjs":         "text/javascript; charset=utf-8",
		"/holdfast.wasm":        "application/wasm",
		"/holdfast-agents.wasm": "application/wasm",
	} {
		a, body := send(t, "GET", url+path, "")
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != want ||
			a.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %s %v", path, a.Status, a.Header)
		}
		if path == "/" && (a.Request.URL.Path != "/demo/" || !strings.Contains(body, "<title>demo")) {
			t.Errorf("/ leads to %s: %s", a.Request.URL, body)
		}
	}
	for _, path := range []string{"/types/", "/nothing.js", "/../go.mod"} {
		if a, _ := send(t, "GET", url+path, ""); a.StatusCode != 404 {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
}

func TestControls(t *testing.T) {
	_, url := open(t)
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	if a, body := send(t, "POST", url+"/mcp", hello); a == nil || a.StatusCode != 200 {
		t.Fatalf("initialize: %s", body)
	}
	for _, c := range []struct {
		path   string
		status int
		want   string
	}{
		{"cut", 200, `{"ok":true,"what":"dropped 0 connections"}`},
		{"restart", 200, `{"ok":true,`},
		{"cut-every?ms=200&for=600000", 200,
			`{"ok":true,"what":"dropping connections every 200ms for 10m0s","ms":600000}`},
		{"cut-every?for=0", 200, `{"ok":true,"what":"no more cuts"}`},
		{"cut-every?ms=1", 400, `{"ok":false,`},
		{"down?ms=x", 400, `{"ok":false,`},
		{"down?ms=9999999", 400, `{"ok":false,`},
		{"down?ms=60000", 200, `{"ok":true,"what":"down for 1m0s; dropped 0 connections","ms":60000}`},
	} {
		a, body := send(t, "POST", url+"/control/"+c.path, "")
		if a.StatusCode != c.status || !strings.HasPrefix(body, c.want) {
			t.Errorf("%s: %s %s", c.path, a.Status, body)
		}
	}
	for _, server := range []string{"/mcp", "/plain", "/tasks", "/resume", "/acp"} {
		if a, _ := send(t, "POST", url+server, hello); a != nil {
			t.Errorf("down, but %s answers %s", server, a.Status)
		}
	}
	send(t, "POST", url+"/control/up", "")
	for _, server := range []string{"/mcp", "/plain", "/tasks", "/resume", "/acp"} {
		if a, body := send(t, "POST", url+server, hello); a == nil || a.StatusCode != 200 {
			t.Errorf("%s, up again: %s", server, body)
		}
	}
	if a, _ := send(t, "GET", url+"/control/cut", ""); a.StatusCode == 200 {
		t.Error("a GET cuts")
	}
}

// TestHour: the servers cannot be reached, and an hour of the clock of /tasks
// passes meanwhile; there is one at a time.
func TestHour(t *testing.T) {
	site, url := open(t)
	before := time.Now()
	if _, body := send(t, "POST", url+"/control/hour?ms=1000",
		""); body != `{"ok":true,"what":"an hour without network passes in 1s","ms":1000}`+"\n" {
		t.Fatalf("got %s", body)
	}
	if a, body := send(t, "POST", url+"/control/hour", ""); a.StatusCode != 400 {
		t.Errorf("another one at the same time: %s %s", a.Status, body)
	}
	if a, _ := send(t, "POST", url+"/tasks", "{}"); a != nil {
		t.Errorf("without network /tasks answers %s", a.Status)
	}
	for a, _ := send(t, "POST", url+"/tasks", "{}"); a == nil; a, _ = send(t, "POST", url+"/tasks", "{}") {
		if time.Since(before) > 20*time.Second {
			t.Fatal("the hour does not end")
		}
	}
	if passed := site.Tasks().Now().Sub(before); passed < time.Hour {
		t.Errorf("%v have passed", passed)
	}
}

func TestUnbuiltPageSaysHowToBuild(t *testing.T) {
	_, err := demosite.New(demosite.Options{Dist: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("got %v", err)
	}
}
