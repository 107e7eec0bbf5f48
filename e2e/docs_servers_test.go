//go:build !js

package e2e

import (
	"go/format"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
	"github.com/holdfast-mcp/holdfast/e2e/internal/requestbody"
)

// serversPage is the guide for those who write servers.
const serversPage = "docs/servers.md"

// serverExample is the page's one example in a language.
func serverExample(t *testing.T, language string) []byte {
	t.Helper()
	examples := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(
		read(t, "../"+serversPage), -1)
	if len(examples) != 1 {
		t.Fatalf("%s has %d examples in %s, want 1", serversPage, len(examples), language)
	}
	return []byte(examples[0][1])
}

// exampleServer runs the page's server in a language, and returns its port.
func exampleServer(t *testing.T, language string) string {
	t.Helper()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	// Below the module's root, where Node finds what npm has installed.
	folder, err := os.MkdirTemp(filepath.Join(root, "web", "build"), "server-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	source := serverExample(t, language)
	var process *nodeserver.Process
	switch language {
	case "js":
		file := filepath.Join(folder, "server.mjs")
		if err := os.WriteFile(file, source, 0o644); err != nil {
			t.Fatal(err)
		}
		process = nodeserver.Start(t, []string{"PORT=0"}, file)
	case "go":
		file, program := filepath.Join(folder, "main.go"), filepath.Join(folder, "server")
		if err := os.WriteFile(file, source, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "build", "-o", program, file).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", serversPage, err, out)
		}
		process = nodeserver.Run(t, []string{"PORT=0"}, program)
	}
	port, err := process.Line()
	if err != nil {
		t.Fatalf("%s: the server in %s: %v\n%s", serversPage, language, err, process.Output())
	}
	return port
}

// TestStoryDocsServers runs the servers of docs/servers.md as they are written: a page of
// another origin, which their CORS rules let in, calls a tool whose stream is cut twice, and
// is loaded again. The tool says each number once. The one that has tasks keeps a result for
// the page that comes later.
func TestStoryDocsServers(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"js", "go"} {
		t.Run(language, func(t *testing.T) {
			row(t)
			t.Parallel()
			target := &url.URL{Scheme: "http", Host: "127.0.0.1:" + exampleServer(t, language)}
			proxy := httputil.NewSingleHostReverseProxy(target)
			proxy.FlushInterval = -1
			wire := chrome.NewSite(t)
			wire.Handle("/mcp", requestbody.Whole(proxy))
			page := app(t, wire.URL+"/mcp", "")
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 40, delayMs: 100 }))`)
			page.WaitFor(`seen.done || seen.progress.length >= 4`)
			if chrome.Eval[bool](page, `seen.done`) {
				t.Fatal(chrome.Eval[string](page, `JSON.stringify([seen, String(seen.error), mcp.revision])`))
			}
			for cut := 1; cut <= 2; cut++ {
				page.WaitFor(`seen.progress.length >= ` + chrome.JS(cut*4))
				wire.Cut()
				page.WaitFor(`seen.resumed >= ` + chrome.JS(cut))
			}
			page.WaitFor(`seen.progress.length >= 12 && call.guarantee === "resumable"`)
			reloaded(page, wire.URL+"/mcp")
			outcome(t, page, "")
			counted(t, page, 40)
			if language == "go" {
				return
			}
			page.WaitFor(`(await mcp.calls()).length === 0`)
			chrome.Script[chrome.Void](page, `
				await mcp.listTools();
				watch(mcp.callTool("report", { n: 3, delayMs: 1000 }));`)
			page.WaitFor(`call.guarantee === "durable"`)
			reloaded(page, wire.URL+"/mcp")
			outcome(t, page, "")
			if got := chrome.Eval[string](page, `seen.result.content[0].text`); got !=
				"A report of 3 parts." {
				t.Errorf("the report says %q", got)
			}
		})
	}
}

// TestHouseServersPage: the example in Go is written as gofmt has it.
func TestHouseServersPage(t *testing.T) {
	t.Parallel()
	source := serverExample(t, "go")
	formatted, err := format.Source(source)
	if err != nil {
		t.Fatal(err)
	}
	if string(formatted) != string(source) {
		t.Errorf("%s: gofmt wants\n%s", serversPage, formatted)
	}
}
