//go:build !js

package e2e

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// faultPage is the catalogue of faults, for people.
const faultPage = "docs/faults.md"

// pinned are the numbers that the page must cover. The list grows with the
// runtime; a number that leaves it would leave a promise behind.
var pinned = slices.Concat(numbers(1, 112), numbers(114, 120), torture)

// torture are the numbers that independent torture and review brought, one a line,
// in their order.
var torture = []int{
	121,
	122,
	123,
	124,
	125,
	126,
	127,
	128,
	129,
	130,
	131,
	132,
	133,
	134,
	135,
	136,
	137,
	138,
	139,
	140,
	141,
	142,
	143,
	144,
	145,
	146,
	147,
	148,
	149,
	150,
	151,
	152,
	153,
	154,
	155,
	156,
	157,
	158,
	159,
	160,
	163,
	164,
	166,
	167,
	168,
	169,
	170,
	171,
	172,
	173,
	174,
	175,
	176,
	177,
	178,
	179,
	180,
	181,
	184,
	186,
	187,
	188,
	189,
	190,
	191,
	192,
	193,
	194,
	195,
	196,
	197,
	198,
	199,
	200,
	201,
	202,
	203,
	204,
	205,
	206,
	207,
	208,
	209,
	210,
	211,
	212,
	213,
	214,
	215,
	216,
	217,
	218,
	219,
	220,
	221,
	222,
	226,
	227,
	230,
	231,
	232,
	233,
	234,
	235,
	236,
	237,
	238,
	239,
	240,
	241,
	242,
	243,
	244,
	245,
	246,
	247,
	248,
	249,
	252,
	253,
	254,
	255,
	257,
	258,
	262,
	263,
	264,
	270,
	271,
	272,
	273,
	274,
	275,
	276,
	277,
	278,
	279,
	288,
	289,
	290,
	291,
	292,
	300,
	301,
	302,
	303,
	304,
	305,
	306,
	307,
	308,
	309,
	390,
	391,
	392,
	393,
	394,
	395,
	396,
	397,
	398,
	399,
}

// What finds fault tests by their names, each with its number of two digits, or three:
// Go functions, and what a test in TypeScript is called.
var (
	goFaultTest  = regexp.MustCompile(`(?m)^func (TestFault(\d{2,3})_\w+)\(`)
	tsFaultTest  = regexp.MustCompile("\\b(?:test|it)(?:\\.\\w+)?\\(\\s*[\"'`]((?:Fault |TestFault)(\\d{2,3})\\b[^\"'`]*|TestFault(\\d{2,3})_\\w+)[\"'`]")
	pageRow      = regexp.MustCompile(`(?m)^\| *(\d+) *\|(.*)\|\s*$`)
	pageName     = regexp.MustCompile("`((?:TestFault|Fault )\\d{2,3}[^`]*)`")
	misnamedTest = regexp.MustCompile(`(?m)^func (TestFault[\d_]\w*)\(`)
)

// numbers returns from, from+1, ... to.
func numbers(from, to int) []int {
	var list []int
	for n := from; n <= to; n++ {
		list = append(list, n)
	}
	return list
}

// byNumber holds names of tests under the number of their fault.
type byNumber map[int]map[string]bool

func (b byNumber) add(number, name string) {
	var n int
	fmt.Sscanf(number, "%d", &n)
	if b[n] == nil {
		b[n] = map[string]bool{}
	}
	b[n][name] = true
}

// faultTests collects the fault tests of the tree.
func faultTests(t *testing.T) byNumber {
	found := byNumber{}
	for _, file := range sources(t) {
		switch {
		case file.isGoTest():
			named := goFaultTest.FindAllSubmatch(file.text, -1)
			for _, m := range named {
				found.add(string(m[2]), string(m[1]))
			}
			if all := misnamedTest.FindAllSubmatch(file.text, -1); len(all) != len(named) {
				t.Errorf("%s: a fault test is called TestFaultNN_Something, with two digits or three", file.path)
			}
		case file.under("web/test") && path.Ext(file.path) == ".ts":
			for _, m := range tsFaultTest.FindAllSubmatch(file.text, -1) {
				found.add(string(m[2])+string(m[3]), string(m[1]))
			}
		}
	}
	return found
}

// faultRows reads the page: which tests it names under which number.
func faultRows(t *testing.T) byNumber {
	rows := byNumber{}
	for _, row := range pageRow.FindAllStringSubmatch(read(t, "../"+faultPage), -1) {
		rows.add(row[1], "")
		for _, name := range pageName.FindAllStringSubmatch(row[2], -1) {
			rows.add(row[1], name[1])
		}
	}
	for _, names := range rows {
		delete(names, "")
	}
	return rows
}

// TestCatalogueIsInStep: docs/faults.md says for each fault which tests pin it.
// A page that names a test that is gone, or does not know one that is there,
// promises something that nobody checks.
func TestCatalogueIsInStep(t *testing.T) {
	t.Parallel()
	tests, rows := faultTests(t), faultRows(t)
	for _, n := range slices.Sorted(maps.Keys(tests)) {
		for _, name := range slices.Sorted(maps.Keys(tests[n])) {
			if !rows[n][name] {
				t.Errorf("%s does not list %s under %d", faultPage, name, n)
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(rows)) {
		if len(rows[n]) == 0 {
			t.Errorf("%s: no test pins fault %d", faultPage, n)
		}
		for _, name := range slices.Sorted(maps.Keys(rows[n])) {
			if !tests[n][name] {
				t.Errorf("%s lists %s under %d, and there is no such test", faultPage, name, n)
			}
		}
	}
	for _, n := range pinned {
		if _, ok := rows[n]; !ok {
			t.Errorf("%s has no row for fault %d", faultPage, n)
		}
	}
}

// TestCatalogueFindsTests keeps the patterns above honest.
func TestCatalogueFindsTests(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`test("Fault 12: a media type with parameters", async () => {`: "Fault 12: a media type with parameters",
		"  test('TestFault47_OfflineThenOnline', () => {":              "TestFault47_OfflineThenOnline",
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
