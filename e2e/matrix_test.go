//go:build !js

package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// matrixPage says which test shows which feature under which revision.
const matrixPage = "docs/matrix.md"

var (
	matrixName = regexp.MustCompile("`(Test\\w+)(?:/([^`]+))?`")
	eachSince  = regexp.MustCompile(`eachRevision\(t, peer\.Revision(\d{4})(\d{2})(\d{2})`)
	// parameterised finds the revisions that the subtests of a test are named after.
	parameterised = regexp.MustCompile(`peer\.Revision(\d{4})(\d{2})(\d{2})`)
)

// testBodies holds the text of every Go test of the tree under its name.
func testBodies(t *testing.T) map[string]string {
	t.Helper()
	bodies := map[string]string{}
	for _, file := range sources(t) {
		if !file.isGoTest() {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file.path, file.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range tree.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil &&
				strings.HasPrefix(f.Name.Name, "Test") {
				bodies[f.Name.Name] = string(
					file.text[fset.Position(f.Pos()).Offset:fset.Position(f.End()).Offset])
			}
		}
	}
	return bodies
}

// hasSubtest reports whether a test seems to run that subtest: for a revision of
// eachRevision, for a name that its text mentions, for a script in testdata.
func hasSubtest(name, body, sub string) bool {
	if name == "TestScenarios" {
		_, err := os.Stat("../core/coretest/testdata/mcp/" + sub + ".txt")
		return err == nil
	}
	if m := eachSince.FindStringSubmatch(body); m != nil {
		return slices.Contains(revisions, sub) && sub >= strings.Join(m[1:], "-")
	}
	for _, m := range parameterised.FindAllStringSubmatch(body, -1) {
		if sub == strings.Join(m[1:], "-") {
			return true
		}
	}
	return strings.Contains(body, `"`+sub+`"`)
}

// matrixRows reads the page: the cells of each row, the feature first.
func matrixRows(t *testing.T) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(read(t, "../"+matrixPage)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| ---") {
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestMatrixIsInStep: every cell of docs/matrix.md is a dash or names tests that
// are there, and every story of each revision is in it.
func TestMatrixIsInStep(t *testing.T) {
	t.Parallel()
	rows, bodies := matrixRows(t), testBodies(t)
	if len(rows) < 2 || !slices.Equal(rows[0][1:], revisions) {
		t.Fatalf("the columns of %s are not the revisions", matrixPage)
	}
	named := map[string]bool{}
	for _, row := range rows[1:] {
		if len(row) != len(revisions)+1 {
			t.Errorf("%s: %q has %d cells", matrixPage, row[0], len(row))
			continue
		}
		for i, cell := range row[1:] {
			tests := matrixName.FindAllStringSubmatch(cell, -1)
			if rest := strings.TrimSpace(matrixName.ReplaceAllString(cell, "")); (len(tests) == 0) != (cell == "—") || len(tests) > 0 && rest != "" {
				t.Errorf("%s: %q under %s says %q", matrixPage, row[0], revisions[i], cell)
			}
			for _, m := range tests {
				name, sub := m[1], m[2]
				body, ok := bodies[name]
				switch {
				case !ok:
					t.Errorf("%s names %s, and there is no such test", matrixPage, name)
				case sub != "" && slices.Contains(revisions, sub) && sub != revisions[i]:
					t.Errorf("%s: %s/%s stands under %s", matrixPage, name, sub, revisions[i])
				case sub != "" && !hasSubtest(name, body, sub):
					t.Errorf("%s names %s/%s, and there is no such subtest", matrixPage, name, sub)
				}
				named[name+"/"+sub] = true
			}
		}
	}
	for name, body := range bodies {
		if m := eachSince.FindStringSubmatch(body); m != nil {
			for _, revision := range revisions {
				if revision >= strings.Join(m[1:], "-") && !named[name+"/"+revision] {
					t.Errorf("%s does not name %s/%s", matrixPage, name, revision)
				}
			}
		}
	}
}
