//go:build !js

package e2e

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
)

// pageExamples are a page's n examples in a language.
func pageExamples(t *testing.T, page, language string, n int) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		examples = append(examples, string(m[1]))
	}
	if len(examples) != n {
		t.Fatalf("%s has %d examples in %s, want %d", page, len(examples), language, n)
	}
	return examples
}

// apiScripts are the five examples in JavaScript of docs/api.md as they are written, but for
// the server's address and where the module lies.
func apiScripts(t *testing.T, site *chrome.Site) []string {
	t.Helper()
	return scriptsOf(t, site, "docs/api.md", 5)
}

// scriptsOf are the n examples in JavaScript of a page.
func scriptsOf(t *testing.T, site *chrome.Site, page string, n int) []string {
	t.Helper()
	scripts := pageExamples(t, page, "js", n)
	for i, script := range scripts {
		scripts[i] = strings.NewReplacer(`"holdfast"`, `"/holdfast.mjs"`, `"holdfast/agent"`,
			`"/holdfast-agent.mjs"`, `https://example.com/mcp`, site.URL+"/mcp", `https://example.com/acp`,
			site.URL+"/acp").Replace(script)
	}
	return scripts
}

// TestReadme runs the README's lines as they are written, and reloads their page in the middle of the call:
// all is there once, and the tool has run once. The demo's first page shows the same lines.
func TestReadme(t *testing.T) {
	t.Parallel()
	site := chrome.NewSite(t)
	server := gosdk.New(gosdk.Options{})
	t.Cleanup(server.Close)
	counted := &executions{server: server}
	site.Handle("/mcp", counted)
	page := chrome.OpenWindow(t,
		site.Page("/app", scriptsOf(t, site, "README.md", 1)[0]+"window.done = true;"))
	eventually(t, "the seventh number",
		func() bool { return slices.Contains(page.Console(), "log: 7 of 40") })
	page.Reload()
	page.WaitFor(`window.done`)
	var want []string
	for i := 1; i <= 40; i++ {
		want = append(want, fmt.Sprintf("log: %d of 40", i))
	}
	want = append(want, "log: Counted to 40.")
	lines := page.Console()
	if got := lines[max(0, len(lines)-len(want)):]; !slices.Equal(got, want) {
		t.Errorf("after the reload the lines print\n%s", strings.Join(got, "\n"))
	}
	counted.once(t)

	shown, err := os.ReadFile(filepath.Join("..", "web", "demo", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.Replace(pageExamples(t, "README.md", "js", 1)[0], "https://example.com/mcp",
		"/mcp", 1), "\n")
	for _, line := range lines {
		if !strings.Contains(html.UnescapeString(string(shown)), line) {
			t.Errorf("the demo does not show the README's line %q", line)
		}
	}
}

// TestAPIPage runs the first example of each kind of docs/api.md, and the guide's script tag.
func TestAPIPage(t *testing.T) {
	t.Parallel()
	t.Run("module", func(t *testing.T) {
		row(t)
		site := sdkSite(t)
		page := chrome.Open(t, site.Page("/app", apiScripts(t, site)[0]+"window.done = true;"))
		page.WaitFor(`window.done`)
		want := []string{
			"log: holdfast-go-sdk-demo speaks 2025-11-25 and has 10 tools",
			"log: 1 of 5", "log: 2 of 5", "log: 3 of 5", "log: 4 of 5", "log: 5 of 5", "log: Counted to 5.",
		}
		if got := page.Console(); !slices.Equal(got, want) {
			t.Errorf("the example prints\n%s", strings.Join(got, "\n"))
		}
	})
	t.Run("sign-in", func(t *testing.T) {
		row(t)
		s, site := oauthserver.Start(t), chrome.NewSite(t)
		s.Person("ada")
		script := strings.Replace(apiScripts(t, site)[2], site.URL+"/mcp", s.URL, 1)
		page := chrome.NewProfile(t).InWindows().Open(site.Page("/app", script+"window.done = true;"))
		page.WaitFor(`window.done`)
		if got := page.Console(); !slices.Contains(got,
			"log: signed in to holdfast-signed-in, which has 2 tools") {
			t.Errorf("the example prints\n%s", strings.Join(got, "\n"))
		}
		if n := s.Requests("POST /token authorization_code"); n != 1 {
			t.Errorf("%d people signed in", n)
		}
	})
	for _, of := range []string{"docs/api.md", "docs/guide/start.md"} {
		t.Run("script tag of "+of, func(t *testing.T) {
			row(t)
			site := sdkSite(t)
			example := strings.NewReplacer("/assets/", "/", "http://localhost:3000", "").Replace(
				pageExamples(t, of, "html", 1)[0])
			site.File("/page.html", `<!doctype html><link rel="icon" href="data:,">`+example)
			page := chrome.Open(t, site.URL+"/page.html")
			eventually(t, "the result in the console", func() bool { return len(page.Console()) > 0 })
			if got := page.Console()[0]; strings.Contains(got, "rror") {
				t.Errorf("the example prints %s", got)
			}
		})
	}
}

// found are the words that a pattern finds in a file of the repository, each once.
func found(t *testing.T, file, pattern string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		words = append(words, string(m[1]))
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// unionMembers are the strings of a union type of TypeScript.
func unionMembers(t *testing.T, file, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "export type "+name+" =")
	union, _, _ := strings.Cut(after, ";")
	var members []string
	for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(union, -1) {
		members = append(members, m[1])
	}
	return members
}

// TestErrorCodes keeps the codes of the core, of the TypeScript union and of
// docs/api.md in step.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	find := func(file, pattern string) []string { t.Helper(); return found(t, file, pattern) }
	// The core's own are made from its sources, the module adds to them.
	union := append(unionMembers(t, "web/src/base/border.ts", "CoreErrorCode"),
		unionMembers(t, "web/src/base/errors.ts", "ErrorCode")...)
	slices.Sort(union)
	documented := find("web/src/base/errors.ts", "(?m)^ \\* \\| `(\\w+)` \\|")
	if !slices.Equal(union, documented) {
		t.Errorf("ErrorCode is\n%v, its comment documents\n%v", union, documented)
	}
	for _, code := range append(find("core/engine/error.go", `Code = "(\w+)"`),
		find("core/mcp/failure.go", `Code = "(\w+)"`)...) {
		if !slices.Contains(union, code) {
			t.Errorf("the core's code %s is missing from the TypeScript union", code)
		}
	}
	api := find("docs/api.md", "`(\\w+)`")
	for _, code := range union {
		if !slices.Contains(api, code) {
			t.Errorf("docs/api.md does not explain %s", code)
		}
	}
}

// TestDocsOfSignIn keeps the options of oauth() and the table of docs/auth.md in step.
func TestDocsOfSignIn(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "web", "src", "auth", "oauth.ts"))
	if err != nil {
		t.Fatal(err)
	}
	body := regexp.MustCompile(`(?s)export interface OAuthOptions \{\n(.*?)\n\}`).FindSubmatch(text)
	if body == nil {
		t.Fatal("there is no OAuthOptions")
	}
	var options []string
	for _, m := range regexp.MustCompile(`(?m)^  (\w+)\?[:(]`).FindAllSubmatch(body[1], -1) {
		options = append(options, string(m[1]))
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "auth.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## All options of `oauth()`")
	table, _, _ = strings.Cut(table, "\n## ")
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
		rows = append(rows, m[1])
	}
	slices.Sort(options)
	slices.Sort(rows)
	if len(options) < 10 || !slices.Equal(options, rows) {
		t.Errorf("oauth() has the options\n%q, docs/auth.md has\n%q", options, rows)
	}
}

// TestCounterNames keeps the counters of the core and those of the TypeScript API
// in step. What a handler is not asked for the page itself counts.
func TestCounterNames(t *testing.T) {
	t.Parallel()
	counted := found(t, "core/mcp/counters.go", `\{"(\w+)", n\.`)
	if len(counted) == 0 {
		t.Fatal("no counters found in the core")
	}
	counted = append(counted, "unsafeVisits")
	slices.Sort(counted)
	for name, pattern := range map[string]string{"Counters": `(?m)^  (\w+): number;`,
		"NO_COUNTERS": `(?m)^  (\w+): 0,`} {
		if typed := found(t, "web/src/client/counters.ts", pattern); !slices.Equal(typed, counted) {
			t.Errorf("%s has\n%v, the core counts\n%v", name, typed, counted)
		}
	}
}
