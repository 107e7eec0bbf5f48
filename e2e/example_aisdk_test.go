//go:build !js

package e2e

import (
	"fmt"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryAISDKExample opens the chat of web/examples/ai-sdk, whose route runs in Node: the model calls a
// tool of the page's, the page is reloaded while that runs, and the next page gives the model the result. The
// tool ran once.
func TestStoryAISDKExample(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := countingChat(t, p, "chat.tsx")
	status := `document.querySelector("[role=status]")?.textContent`
	waits(page, status+` === "count: 2 of 4"`)

	page.Reload()
	waits(page, status+` === "count: 2 of 4"`) // by what is stored
	passes(p, "go", 3)                         // two events, and the result
	answer := `document.querySelector("[data-role=assistant]")?.textContent`
	waits(page,
		answer+`?.includes("The tool said") && document.querySelector("main").dataset.status === "ready"`)
	if told := chrome.Eval[string](page, answer); !strings.Contains(told, `"text":"counted 4"`) {
		t.Errorf("the model was told %s", told)
	}
	once(t, p, "a")
	blameless(t, p)

	page.Reload() // the chat is stored, and with it the call is done
	waits(page, answer+`?.includes("The tool said")`)
	once(t, p, "a")
}

// TestStoryAISDKExampleOfficial: the page that docs/guide/ai-sdk.md compares with, which does by hand what
// the official client has no words for, resumes its call after a reload. Its lines are those that the guide
// counts.
func TestStoryAISDKExampleOfficial(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Counting(nil)
	page := countingChat(t, p, "official.tsx")
	waits(page, `document.querySelector("[role=status]")?.textContent === "count: 2 of 4"`)

	page.Reload()
	waits(page, `document.querySelector("form")`)
	passes(p, "go", 3)
	answer := `document.querySelector("[data-role=assistant]")?.textContent`
	waits(page, answer+`?.includes("The tool said")`)
	once(t, p, "a")
}

// countingChat opens a page of the example and asks its model, which has the tool count to 4; two of the
// events have passed.
func countingChat(t *testing.T, p *peer.Peer, script string) *chrome.Page {
	t.Helper()
	page := chrome.OpenWindow(t, aiSDKExample(t, p, script,
		map[string]any{"call": "a", "n": 4, "gate": "go", "retry_ms": 10}))
	waits(page, `document.querySelector("form")`)
	chrome.Script[chrome.Void](page, `
		document.querySelector("input").value = "Count, please.";
		document.querySelector("form").requestSubmit();`)
	passes(p, "go", 2)
	return page
}

// TestAISDKLines: the guide says how long each of the two pages is.
func TestAISDKLines(t *testing.T) {
	guide := read(t, filepath.Join("..", "docs", "guide", "ai-sdk.md"))
	for name, words := range map[string]string{"chat.tsx": "%d lines with Holdfast",
		"official.tsx": "%d with the official client"} {
		lines := strings.Count(read(t, filepath.Join("..", "web", "examples", "ai-sdk", name)), "\n")
		if want := fmt.Sprintf(words, lines); !strings.Contains(
			strings.Join(strings.Fields(guide), " "), want) {
			t.Errorf("the guide does not say %q", want)
		}
	}
}

// aiSDKExample is the address of a page of the example, with its route in a Node process whose model calls
// count with args.
func aiSDKExample(t *testing.T, p *peer.Peer, page string, args map[string]any) string {
	t.Helper()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "server.mjs")
	run(t, root, "go", "tool", "esbuild", "e2e/testdata/aisdk/server.mjs", "--bundle", "--platform=node",
		"--format=esm", "--target=node20", "--log-level=warning",
		`--banner:js=import { createRequire } from "node:module";`+
			` const require = createRequire(import.meta.url);`, "--outfile="+script)
	node := nodeserver.Start(t, []string{"HOLDFAST_ARGUMENTS=" + chrome.JS(args)}, script)
	port, err := node.Line()
	if err != nil {
		t.Fatalf("the route: %v\n%s", err, node.Output())
	}
	site := chrome.NewSite(t)
	site.Handle("/api/chat", httputil.NewSingleHostReverseProxy(
		&url.URL{Scheme: "http", Host: "127.0.0.1:" + port}))
	site.File("/chat.js", bundledReact(t, "web/examples/ai-sdk/"+page))
	site.File("/chat.html", withBundle(t, "ai-sdk", "./chat.tsx", "/chat.js"))
	return site.URL + "/chat.html?server=" + p.URL()
}
