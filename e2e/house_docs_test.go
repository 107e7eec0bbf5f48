//go:build !js

package e2e

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
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
			if found, _ := filepath.Glob(filepath.Join("..", match[1])); len(found) == 0 &&
				!strings.HasSuffix(match[1], "/...") {
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

// commentText finds the comment of a line of Go or TypeScript, and commentFile the files
// that it names: reducer.go, core/mcp/call.go, or "core/acp session.go".
var (
	commentText = regexp.MustCompile(`(?:^|\s)(?:///?|/\*\*?|\*)\s(.*)`)
	commentFile = regexp.MustCompile(
		`(?:\b((?:core|wasm|web|jsbridge|e2e)(?:/[a-z-]+)*) )?([\w./-]*\w\.(?:go|ts|md))\b`)
)

// othersFiles are those of other projects that comments here name.
var othersFiles = []string{"runtime/symtab.go", "runtime/runtime2.go", "doc/log_format.md", "SKILL.md"}

// TestHouseCommentsNameFiles: a comment of Go or TypeScript that names a file names one
// that is there. A name without a folder may be that of any file.
func TestHouseCommentsNameFiles(t *testing.T) {
	t.Parallel()
	files := sources(t)
	ends := map[string]bool{} // each file's path, and every end of it
	for _, file := range files {
		for name := file.path; ; {
			ends[name] = true
			_, rest, more := strings.Cut(name, "/")
			if !more {
				break
			}
			name = rest
		}
	}
	names := 0
	for _, file := range files {
		if ext := path.Ext(file.path); ext != ".go" && ext != ".ts" ||
			strings.Contains(file.path, "testdata/") {
			continue
		}
		at := 0
		for line := range strings.Lines(string(file.text)) {
			at++
			comment := commentText.FindStringSubmatch(line)
			if comment == nil {
				continue
			}
			for _, match := range commentFile.FindAllStringSubmatch(comment[1], -1) {
				names++
				name := path.Join(match[1], match[2])
				if !ends[name] && !slices.Contains(othersFiles, match[2]) {
					t.Errorf("%s:%d: there is no %s", file.path, at, name)
				}
			}
		}
	}
	if names == 0 {
		t.Error("no comment names a file: the test is blind")
	}
}
