package coretest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// StatesPage is the page that StateTable.Check compares with the code, seen from the
// folder of a protocol.
const StatesPage = "../../docs/states.md"

// StateTable is a table of transitions as docs/states.md shows it: a section of its own,
// whose words are the comments of the constants.
type StateTable struct {
	Title  string // of the section, unique in the page
	Path   string // of the Go file with the constants, in the repository
	Type   string // of the constants
	Prefix string // of their names, left out in the page
	// May reports whether one state may follow another.
	May func(from, next int) bool
}

// Check compares the section with the code, or writes it where update is set.
func (s StateTable) Check(t *testing.T, update bool) {
	t.Helper()
	page, err := os.ReadFile(StatesPage)
	if err != nil {
		t.Fatal(err)
	}
	title := "## " + s.Title + "\n"
	before, rest, found := strings.Cut(string(page), title)
	after := ""
	if i := strings.Index(rest, "\n## "); i >= 0 {
		after = rest[i+1:]
	}
	want := title + "\n" + s.section(t)
	if after != "" {
		want += "\n"
	}
	if !found {
		before += "\n"
	}
	if got := before + want + after; got != string(page) {
		if !update {
			t.Fatalf("docs/states.md and %s say different things: run this test with -update", s.Path)
		}
		if err := os.WriteFile(StatesPage, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (s StateTable) section(t *testing.T) string {
	names, words := s.states(t)
	var b strings.Builder
	fmt.Fprintf(&b, "From `%s`.\n\n| state | what it means | what may follow |\n|---|---|---|\n", s.Path)
	for from, name := range names {
		var next []string
		for i, other := range names {
			if i != from && s.May(from, i) {
				next = append(next, other)
			}
		}
		fmt.Fprintf(&b, "| **%s** | %s | %s |\n", name, words[from], strings.Join(next, ", "))
	}
	return b.String()
}

// file is the file as the tests of its package see it.
func (s StateTable) file() string { return "../../" + s.Path }

// states returns the names of the constants and their comments, in order. The last
// constant, which counts the others, has no comment.
func (s StateTable) states(t *testing.T) (names, words []string) {
	file, err := parser.ParseFile(token.NewFileSet(), s.file(), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST || len(group.Specs) == 0 {
			continue
		}
		if kind, ok := group.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident); !ok || kind.Name != s.Type {
			continue
		}
		for _, spec := range group.Specs {
			value := spec.(*ast.ValueSpec)
			comment := value.Comment
			if comment == nil {
				comment = value.Doc // one that would be too wide behind it
			}
			if comment != nil {
				names = append(names, strings.ToLower(strings.TrimPrefix(value.Names[0].Name, s.Prefix)))
				words = append(words, strings.Join(strings.Fields(comment.Text()), " "))
			}
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s has no constants of type %s", s.Path, s.Type)
	}
	return names, words
}
