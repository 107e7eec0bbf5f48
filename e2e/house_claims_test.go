//go:build !js

package e2e

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
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

// TestHouseThreats: each row of a table of docs/threats.md names tests which would fail if it were not true,
// and they are there.
func TestHouseThreats(t *testing.T) {
	t.Parallel()
	tests, rows := allTests(t), 0
	for line := range strings.Lines(read(t, "../"+threatsPage)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| --- ") ||
			strings.HasSuffix(line, "| Test |\n") {
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

// claimsFile says of each page on trust which of its sentences the tests would prove wrong, and how many
// promise nothing: they say what to do, where more is said, or what nobody can prevent.
const claimsFile = "docs/claims.json"

// What is no sentence of a page: its code, headings, the files of its links, and the tests that it names
// itself.
var (
	noProse    = regexp.MustCompile("(?ms)^```.*?^```$|^#+ [^\n]*$|^\\[[^\\]\n]+\\]: \\S+$")
	namedTests = regexp.MustCompile(
		"\\s*\\((?:[,\\s]*\\[?`(?:Test\\w+|Fault \\d+)`\\]?)+\\)|\\[?`(?:Test\\w+|Fault \\d+)`\\]?(?:;\\s)?")
	linkText = regexp.MustCompile(`\[([^\]]+)\]\([^)\s]+\)`)
	newBlock = regexp.MustCompile(`(?m)^\s*(?:[-*]|\d+\.) |\n\n+|^\s*$`)
	endsHere = regexp.MustCompile("([.?!]) ([A-Z`\"(*])")
)

// sentences are those of a page, and those of the cells of its tables, without the links and tests in them.
func sentences(text string) (prose, cells []string) {
	text = linkText.ReplaceAllString(namedTests.ReplaceAllString(noProse.ReplaceAllString(text, ""), ""),
		"$1")
	var lines []string
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); !strings.HasPrefix(trimmed, "|") {
			lines = append(lines, line)
		} else if !strings.HasPrefix(trimmed, "| --") && !strings.HasPrefix(trimmed, "|--") {
			for _, cell := range strings.Split(trimmed, "|") {
				cells = append(cells, split(cell)...)
			}
		}
	}
	for _, block := range newBlock.Split(strings.Join(lines, ""), -1) {
		prose = append(prose, split(block)...)
	}
	return prose, cells
}

// split cuts a text into sentences.
func split(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	return slices.DeleteFunc(strings.Split(endsHere.ReplaceAllString(text, "$1\n$2"), "\n"),
		func(s string) bool { return !strings.ContainsFunc(s, unicode.IsLetter) })
}

// TestHouseClaims: a sentence that promises something about trust has a test which would fail if it were not
// so. One that is new on these pages gets one, or is counted among the rest.
func TestHouseClaims(t *testing.T) {
	t.Parallel()
	var pages map[string]struct {
		Rest   int
		Claims []struct {
			Says  string
			Tests []string
		}
	}
	decoder := json.NewDecoder(strings.NewReader(read(t, "../"+claimsFile)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&pages); err != nil {
		t.Fatal(err)
	}
	tests := allTests(t)
	for page, has := range pages {
		prose, cells := sentences(read(t, "../"+page))
		for _, claim := range has.Claims {
			if !slices.Contains(prose, claim.Says) && !slices.Contains(cells, claim.Says) {
				t.Errorf("%s: no sentence of %s any more: %s", claimsFile, page, claim.Says)
			}
			if len(claim.Tests) == 0 {
				t.Errorf("%s: nothing tests that %s", claimsFile, claim.Says)
			}
			for _, name := range claim.Tests {
				if !tests[name] {
					t.Errorf("%s: there is no test %s", claimsFile, name)
				}
			}
			prose = slices.DeleteFunc(prose, func(sentence string) bool { return sentence == claim.Says })
		}
		if len(prose) != has.Rest {
			t.Errorf("%s: %d sentences of %s promise nothing, and not %d? Give a new one its test there, or "+
				"count it:\n%s",
				claimsFile, len(prose), page, has.Rest, strings.Join(prose, "\n"))
		}
	}
}

// TestHouseClaimsSees keeps the reading of a page honest.
func TestHouseClaimsSees(t *testing.T) {
	t.Parallel()
	prose, cells := sentences("# H\n\nOne, as\nso ([`TestA`]).\nTwo [three](x.md#y)! (Four.) five\n\n- " +
		"**Six**: `f()` (`TestA`, `TestB`)\n- seven\n\n| a | b. C |\n| --- | --- " +
		"|\n\n```sh\nno\n```\n\n[`TestA`]: a.go\n")
	if want := []string{"One, as so.", "Two three!", "(Four.) five", "**Six**: `f()`",
		"seven"}; !slices.Equal(prose, want) {
		t.Errorf("%q", prose)
	}
	if want := []string{"a", "b.", "C"}; !slices.Equal(cells, want) {
		t.Errorf("%q", cells)
	}
}
