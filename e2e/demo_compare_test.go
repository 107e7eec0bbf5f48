//go:build !js

package e2e

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

// partOf finds an element of one side of the demo's first page.
func partOf(side, name string) string {
	return hook(side) + `.querySelector('[data-testid="` + name + `"]')`
}

// stageIs waits until a run of the first page stands so.
func stageIs(page *chrome.Page, phase string) {
	page.WaitFor(hook("stage") + `?.dataset.phase === ` + chrome.JS(phase))
}

// compareSays is what the counter of a side says.
func compareSays(page *chrome.Page, side string) string {
	return chrome.Eval[string](page, `[...`+hook(side)+
		`.querySelectorAll(".number, .total, .end")].map((part) => part.textContent).join(" ").trim()`)
}

// compareSells waits for the end of a run and checks it: the official client has lost its call in the middle,
// Holdfast has all of it.
func compareSells(t *testing.T, page *chrome.Page) {
	t.Helper()
	stageIs(page, "ended")
	official, holdfast := compareSays(page, "official"), compareSays(page, "holdfast")
	if !strings.HasSuffix(official, " of 40 lost") || strings.HasPrefix(official, "40") ||
		holdfast != "40 of 40 all here" {
		t.Errorf("the counters end at %q and %q", official, holdfast)
	}
	if said := chrome.Eval[string](page, hook("verdict")+`.textContent`); !strings.HasSuffix(
		said, ", lost. Holdfast: 40 of 40.") {
		t.Errorf("the verdict is %q", said)
	}
}

// TestStoryDemoCompare opens the demo's first page, which starts by itself: by a reload, a cut or a sleep the
// official client loses its call, and Holdfast has all of it. Each page has called the tool once.
func TestStoryDemoCompare(t *testing.T) {
	t.Parallel()
	for _, blow := range []string{"reload", "cut", "sleep"} {
		t.Run(blow, func(t *testing.T) {
			row(t)
			t.Parallel()
			site, err := demosite.New(demosite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			counted := &executions{server: site}
			page := chrome.OpenWindow(t, serveDemo(t, site, counted)+"/")
			page.WaitFor(hook("blow-" + blow))
			press(page, selector("blow-"+blow))
			compareSells(t, page)
			if n := counted.calls.Load(); n != 2 {
				t.Errorf("the tool was called %d times, want once by each page", n)
			}
			if lines := page.Console(); blow == "reload" && len(lines) > 0 {
				t.Errorf("the console says %q", lines)
			}
		})
	}
}

// TestStoryDemoCompareByHand: the button hits both at once, whatever they have, and starts the next run;
// "Stop" ends one, and nothing comes back of it.
func TestStoryDemoCompareByHand(t *testing.T) {
	long(t)
	t.Parallel()
	_, url := newDemo(t, demosite.Options{})
	page := chrome.OpenWindow(t, url+"/")
	page.WaitFor(partOf("official", "number") + `?.textContent >= 3`)
	page.Click(selector("strike"))
	stageIs(page, "struck")
	press(page, selector("stop"))
	stageIs(page, "idle")
	if n := chrome.Eval[int](page, `document.querySelectorAll("iframe").length`); n != 0 {
		t.Errorf("%d pages are there after Stop", n)
	}
	page.Click(selector("strike"))
	compareSells(t, page)
}

// TestStoryDemoCompareAsPreferred: who wants less motion starts it, and nothing moves before. The page can be
// worked by keyboard alone, is not wider than a phone, and what it shows first needs no script.
func TestStoryDemoCompareAsPreferred(t *testing.T) {
	t.Parallel()
	_, url := newDemo(t, demosite.Options{})
	page := chrome.OpenWindow(t, url+"/visit")
	page.PrefersReducedMotion()
	page.Navigate(url + "/")
	page.WaitFor(hook("strike") + `?.textContent === "Start both"`)
	for _, width := range []int{360, 390, 768, 1280} {
		for _, dark := range []bool{false, true} {
			page.Viewport(width, 900, dark)
			if over := chrome.Eval[int](page,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("%d px wide, dark %v: %d px too wide", width, dark, over)
			}
		}
	}
	stageIs(page, "idle")
	chrome.Eval[chrome.Void](page, hook("strike")+`.focus()`)
	page.Type(selector("strike"), "\r")
	stageIs(page, "running")
}

// TestStoryDemoFirstPaint: the first page shows its counters, the button and the lines where no script and no
// wasm comes.
func TestStoryDemoFirstPaint(t *testing.T) {
	t.Parallel()
	site, err := demosite.New(demosite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := chrome.OpenWindow(t, serveDemo(t, site,
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if ext := filepath.Ext(r.URL.Path); ext == ".js" || ext == ".mjs" || ext == ".wasm" {
				http.NotFound(w, r)
				return
			}
			site.ServeHTTP(w, r)
		}))+"/demo/")
	page.WaitFor(`performance.getEntriesByName("first-contentful-paint").length === 1`)
	for _, side := range []string{"official", "holdfast"} {
		if got := compareSays(page, side); got != "0 of 40" {
			t.Errorf("the counter of %s says %q", side, got)
		}
	}
	if !chrome.Eval[bool](page, hook("strike")+`.checkVisibility() && `+hook("code")+`.checkVisibility()`) {
		t.Error("the button or the lines are not there")
	}
}

// TestStoryDemoStatic serves the demo's static files from a folder of some site, as any server of files does,
// and runs them: their server is a service worker.
func TestStoryDemoStatic(t *testing.T) {
	t.Parallel()
	files := filepath.Join("..", "web", "dist", "static")
	if _, err := os.Stat(filepath.Join(files, "server.js")); err != nil {
		t.Fatalf("run `make demo-static` first: %v", err)
	}
	for _, blow := range []string{"reload", "cut", "sleep"} {
		t.Run(blow, func(t *testing.T) {
			row(t)
			t.Parallel()
			site := chrome.NewSite(t)
			site.Handle("/some/where/", http.StripPrefix("/some/where/", http.FileServer(http.Dir(files))))
			page := chrome.NewProfile(t).InWindows().Open(site.URL + "/some/where/")
			page.WaitFor(hook("blow-" + blow))
			press(page, selector("blow-"+blow))
			compareSells(t, page)
		})
	}
}

// TestOfficialClientOfTheDemo: the official client that is committed for the demo, and its licences, are what
// `make official-client` writes.
func TestOfficialClientOfTheDemo(t *testing.T) {
	t.Parallel()
	script, err := exec.Command("go", "tool", "esbuild",
		filepath.Join("..", "web", "demo", "official", "bundled.mjs"),
		"--bundle", "--format=esm", "--target=es2022", "--minify", "--legal-comments=none",
		"--log-level=warning").Output()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(filepath.Join("..", "web", "demo", "official", "client.js"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(script, committed) {
		t.Error("web/demo/official/client.js is of other packages: run make official-client")
	}
	licences, err := os.ReadFile(filepath.Join("..", "web", "demo", "official", "LICENSES"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"@modelcontextprotocol/client", "@modelcontextprotocol/core", "zod",
		"eventsource-parser", "pkce-challenge"} {
		licence, err := os.ReadFile(filepath.Join("..", "node_modules", filepath.FromSlash(name), "LICENSE"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(licences, licence) || !bytes.Contains(licences, []byte(name+"\n")) {
			t.Errorf("web/demo/official/LICENSES has another licence of %s: run make official-client", name)
		}
	}
}
