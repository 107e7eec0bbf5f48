//go:build !js

package e2e

import (
	"encoding/json"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// faultRows is the catalogue of faults, as data. The page docs/faults.md is written from it.
const faultRows = "docs/faults.json"

// What finds fault tests by their names, each with its number of two digits, or three:
// Go functions, and what a test in TypeScript is called.
var (
	goFaultTest = regexp.MustCompile(`(?m)^func (TestFault(\d{2,3})_\w+)\(`)
	tsFaultTest = regexp.MustCompile("\\b(?:test|it)(?:\\.\\w+)?\\(\\s*[\"`]((?:Fault " +
		"|TestFault)(\\d{2,3})\\b[^\"`]*|TestFault(\\d{2,3})_\\w+)[\"`]")
	misnamedTest = regexp.MustCompile(`(?m)^func (TestFault[\d_]\w*)\(`)
	goTest       = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// byNumber holds names of tests under the number of their fault.
type byNumber map[int]map[string]bool

func (b byNumber) add(number, name string) {
	n, _ := strconv.Atoi(number)
	if b[n] == nil {
		b[n] = map[string]bool{}
	}
	b[n][name] = true
}

// faultTests collects the fault tests of the tree, and under no number all tests in Go: a row may name
// random histories beside its own.
func faultTests(t *testing.T) byNumber {
	found := byNumber{}
	for _, file := range sources(t) {
		switch {
		case file.isGoTest():
			named := goFaultTest.FindAllSubmatch(file.text, -1)
			for _, m := range named {
				found.add(string(m[2]), string(m[1]))
			}
			for _, m := range goTest.FindAllSubmatch(file.text, -1) {
				found.add("0", string(m[1]))
			}
			if all := misnamedTest.FindAllSubmatch(file.text, -1); len(all) != len(named) {
				t.Errorf("%s: a fault test is called TestFaultNN_Something, with two digits or three",
					file.path)
			}
		case file.under("web/test") && path.Ext(file.path) == ".ts":
			for _, m := range tsFaultTest.FindAllSubmatch(file.text, -1) {
				found.add(string(m[2])+string(m[3]), string(m[1]))
			}
		}
	}
	return found
}

// TestCatalogueIsInStep: the catalogue says for each fault which tests pin it.
// A row that names a test which is gone, or does not know one that is there,
// promises something that nobody checks.
func TestCatalogueIsInStep(t *testing.T) {
	t.Parallel()
	tests := faultTests(t)
	var rows []struct {
		Number int
		Tests  []string
	}
	if err := json.Unmarshal([]byte(read(t, "../"+faultRows)), &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, name := range row.Tests {
			if !tests[row.Number][name] && (strings.HasPrefix(name, "TestFault") || !tests[0][name]) {
				t.Errorf("%s lists %s under %d, and there is no such test", faultRows, name, row.Number)
			}
			delete(tests[row.Number], name)
		}
	}
	delete(tests, 0)
	for n, names := range tests {
		for name := range names {
			t.Errorf("%s does not list %s under %d", faultRows, name, n)
		}
	}
}

// TestCatalogueIsWritten: the page is what its rows come to, and they are as the generator puts them.
// It says as well which of its rules a row breaks.
func TestCatalogueIsWritten(t *testing.T) {
	t.Parallel()
	run(t, "..", "go", "run", "./web/scripts/faults", "-check")
}

// TestCatalogueFindsTests keeps the patterns above honest.
func TestCatalogueFindsTests(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`test("Fault 12: a media type with parameters", async () => {`: "Fault 12: a media type with parameters",
		`  test("TestFault47_OfflineThenOnline", () => {`:              "TestFault47_OfflineThenOnline",
		`test("Fault 746: by the server's last word", () => {`:         "Fault 746: by the server's last word",
		"test(\n\t`Fault 49 closing leaves nothing`,":                  "Fault 49 closing leaves nothing",
		`test("Fault 112: one refresh for four calls", () => {})`:      "Fault 112: one refresh for four calls",
		`test("Faults are fun", () => {})`:                             "",
	} {
		got := ""
		if m := tsFaultTest.FindStringSubmatch(text); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%s: found %q, want %q", strings.TrimSpace(text), got, want)
		}
	}
}
