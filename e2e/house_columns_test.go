//go:build !js

package e2e

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// columnCap is where a line has to be wrapped. A tab is four columns.
const columnCap = 110

// wide is how many lines of the repository are wider: from before there was a rule. They
// become fewer. Whoever wraps some lowers the number.
var wide = []struct {
	what string
	most int
	of   func(file source) bool
}{
	{"Go, the product", 340, func(file source) bool { return isProductGo(file) }},
	{"Go, tests and tools", 760, func(file source) bool { return file.isGo() && !isProductGo(file) }},
	{"TypeScript, the product", 640, func(file source) bool { return isProductScript(file) }},
	{"TypeScript, tests and demo", 480,
		func(file source) bool { return path.Ext(file.path) == ".ts" && !isProductScript(file) }},
}

// unbreakable is a line of TypeScript that has no place where it could be wrapped: one regular expression, or
// a test's name, which lists have as it is.
var unbreakable = regexp.MustCompile("^\\s*(/[^/*\\s].*/[a-z]*[;,]?$|(await )?(\\w+\\.)?test\\([\"`])")

func isProductGo(file source) bool {
	return file.isGo() && !file.isGoTest() && file.under("core", "jsbridge", "wasm")
}

func isProductScript(file source) bool {
	return path.Ext(file.path) == ".ts" && file.under("web/src", "web/packages")
}

// TestHouseColumns: a line that no reader has whole before them hides what it says last, and
// a file that is kept short by wide lines is not short.
func TestHouseColumns(t *testing.T) {
	t.Parallel()
	files := sources(t)
	for _, kind := range wide {
		n := 0
		for _, file := range files {
			if !kind.of(file) || strings.Contains(file.path, "testdata/") || generated.Match(file.text) {
				continue
			}
			for line := range strings.Lines(string(file.text)) {
				line = strings.TrimRight(line, "\r\n")
				if utf8.RuneCountInString(line)+3*strings.Count(line, "\t") > columnCap &&
					!unbreakable.MatchString(line) {
					n++
				}
			}
		}
		if n > kind.most {
			t.Errorf("%s: %d lines are wider than %d columns, %d is the most: wrap those that your change "+
				"has added",
				kind.what, n, columnCap, kind.most)
		} else if n+100 < kind.most {
			t.Errorf("%s: only %d lines are wider than %d columns: lower the number from %d", kind.what, n,
				columnCap, kind.most)
		}
	}
}
