//go:build !js

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fileName finds what is written like a path of the repository: `core/mcp/call.go`.
var fileName = regexp.MustCompile("`((?:core|wasm|web|jsbridge|e2e|docs)/[A-Za-z0-9_./*-]+)`")

// pageLink finds the target of a link to another page.
var pageLink = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// TestHouseDocsNameFiles: the pages for those who work on Holdfast name files, and
// each of them is there. A page that leads astray is worse than none.
func TestHouseDocsNameFiles(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md"} {
		data, err := os.ReadFile(filepath.Join("..", page))
		if err != nil {
			t.Fatal(err)
		}
		names := 0
		for _, match := range fileName.FindAllStringSubmatch(string(data), -1) {
			names++
			if found, _ := filepath.Glob(filepath.Join("..", match[1])); len(found) == 0 && !strings.HasSuffix(match[1], "/...") {
				t.Errorf("%s: there is no %s", page, match[1])
			}
		}
		for _, match := range pageLink.FindAllStringSubmatch(string(data), -1) {
			names++
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(page), match[1])); err != nil {
				t.Errorf("%s: a link to %s leads nowhere", page, match[1])
			}
		}
		if names == 0 && page != "docs/glossary.md" {
			t.Errorf("%s names no file: the test is blind", page)
		}
	}
}
