//go:build !js

package e2e

import (
	"bytes"
	"go/build/constraint"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lineCap is the size at which a source file has to be split.
const lineCap = 500

// source is a file of the repository, its path relative to the root.
type source struct {
	path string
	text []byte
}

// sources reads every file that is written by hand: not what npm, make or git
// put there.
func sources(t *testing.T) []source {
	t.Helper()
	skipped := []string{".git", "node_modules", "web/build", "web/dist"}
	var files []source
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel("..", name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		if entry.IsDir() {
			if slices.Contains(skipped, relative) {
				return fs.SkipDir
			}
			return nil
		}
		if relative == ".git" { // of a worktree
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files = append(files, source{path: relative, text: text})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// under reports whether the file is in one of the folders.
func (s source) under(folders ...string) bool {
	return slices.ContainsFunc(folders,
		func(folder string) bool { return strings.HasPrefix(s.path, folder+"/") })
}

func (s source) isGo() bool     { return path.Ext(s.path) == ".go" }
func (s source) isGoTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// buildTag returns the text of the //go:build line, "" when there is none.
func (s source) buildTag() string {
	for line := range strings.Lines(string(s.text)) {
		line = strings.TrimSpace(line)
		if constraint.IsGoBuild(line) {
			return strings.TrimSpace(strings.TrimPrefix(line, "//go:build"))
		}
		if strings.HasPrefix(line, "package ") {
			break
		}
	}
	return ""
}

// fuzzTarget is the beginning of a fuzz test in a Go file.
var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// TestHouseFuzzTargets: a fuzz test lists its corpus folder before all else, and fails
// where there are no folders, as in a browser. So its file is for native runs only.
func TestHouseFuzzTargets(t *testing.T) {
	t.Parallel()
	found := 0
	for _, file := range sources(t) {
		if !file.isGoTest() {
			continue
		}
		for _, m := range fuzzTarget.FindAllSubmatch(file.text, -1) {
			if found++; file.buildTag() != "!js" {
				t.Errorf("%s: %s runs in Chrome as well, and cannot; put it into a file with the tag !js",
					file.path, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no fuzz tests found")
	}
}

// TestHouseBuildTags: the go command skips a file with the wrong tag without a
// word, and one without a tag breaks the build for the other platform.
func TestHouseBuildTags(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		if !file.isGo() {
			continue
		}
		want := ""
		switch {
		case path.Base(file.path) == "doc.go" && file.under("jsbridge", "wasm"):
			continue // only a comment: natively it makes the package visible
		case file.under("jsbridge", "wasm"):
			want = "js && wasm"
		case file.under("e2e/cluster"):
			continue // modules of their own, which no list of packages for js has
		case file.under("e2e"):
			want = "!js" // chromedp does not compile for js
		case file.under("core/simulate"):
			want = "!js" // a hundred thousand clients are more than a page has memory for
		case file.isGoTest():
			continue // a test of the core may need what a browser has not
		}
		// A file may be narrower still, such as "!js && unix".
		if got := file.buildTag(); got != want && (want == "" || !strings.HasPrefix(got, want+" && ")) {
			t.Errorf("%s: build tag %q, want %q", file.path, got, want)
		}
	}
}

// TestHouseFileSizes keeps a file to one idea.
func TestHouseFileSizes(t *testing.T) {
	t.Parallel()
	kinds := []string{".go", ".ts", ".mjs", ".css", ".html"}
	for _, file := range sources(t) {
		if !slices.Contains(kinds, path.Ext(file.path)) || strings.Contains(file.path, "testdata/") ||
			generated.Match(file.text) {
			continue
		}
		if lines := bytes.Count(file.text, []byte("\n")); lines > lineCap {
			t.Errorf("%s has %d lines: split it, %d is the most", file.path, lines, lineCap)
		}
	}
}

// generated is the line that marks generated Go code.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// machinePath matches an absolute path into the folders that development
// machines and containers keep projects in. (Written so as not to match itself.)
var machinePath = regexp.MustCompile(`(?m)(?:^|file://|[^\w./-])/(?:work|root)/`)

// TestHouseHasNoMachinePaths: a path of somebody's machine means nothing on
// another one.
func TestHouseHasNoMachinePaths(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		if found := machinePath.FindIndex(file.text); found != nil && !bytes.Contains(file.text, []byte{0}) {
			line := 1 + bytes.Count(file.text[:found[0]], []byte("\n"))
			t.Errorf("%s:%d names a path of one machine", file.path, line)
		}
	}
}
