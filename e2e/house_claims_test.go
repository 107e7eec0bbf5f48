//go:build !js

package e2e

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// threatsPage says who may do what, and names a test in each row of its tables.
const threatsPage = "docs/threats.md"

var (
	anyGoTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	anyTSTest = regexp.MustCompile("\\b(?:test|it)(?:\\.\\w+)?\\(\\s*(?:\"([^\"]+)\"|'([^']+)'|`([^`]+)`)")
	quoted    = regexp.MustCompile("`([^`]+)`")
)

// allTests are the names of the tests of the tree, in Go and in TypeScript.
func allTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range sources(t) {
		switch {
		case file.isGoTest():
			for _, m := range anyGoTest.FindAllSubmatch(file.text, -1) {
				names[string(m[1])] = true
			}
		case file.under("web/test") && path.Ext(file.path) == ".ts":
			for _, m := range anyTSTest.FindAllSubmatch(file.text, -1) {
				names[string(slices.Concat(m[1], m[2], m[3]))] = true
			}
		}
	}
	return names
}

// TestHouseThreats: each row of a table of docs/threats.md names tests which would fail if it were not true, and they are there.
func TestHouseThreats(t *testing.T) {
	t.Parallel()
	tests, rows := allTests(t), 0
	for line := range strings.Lines(read(t, "../"+threatsPage)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| --- ") || strings.HasSuffix(line, "| Test |\n") {
			continue
		}
		rows++
		names := quoted.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 2 || len(names) == 0 {
			t.Errorf("%s: a row is what they cannot do, and its tests: %s", threatsPage, line)
		}
		for _, name := range names {
			if !tests[name[1]] {
				t.Errorf("%s: there is no test %s", threatsPage, name[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("%s has %d rows: the test is blind", threatsPage, rows)
	}
}
