//go:build !js

package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// parsed is a Go file of the repository with its syntax tree.
type parsed struct {
	source
	fset *token.FileSet
	tree *ast.File
}

// at writes a position as path:line.
func (p parsed) at(node ast.Node) string {
	return p.fset.Position(node.Pos()).String()
}

// goSources parses the Go files that are not tests.
func goSources(t *testing.T) []parsed {
	t.Helper()
	fset := token.NewFileSet()
	var files []parsed
	for _, file := range sources(t) {
		if !file.isGo() || file.isGoTest() {
			continue
		}
		tree, err := parser.ParseFile(fset, file.path, file.text,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		files = append(files, parsed{source: file, fset: fset, tree: tree})
	}
	return files
}

// TestHouseIsSingleThreaded: in the wasm a callback returns to JavaScript only
// when every goroutine is idle, and time and randomness are inputs. So there are
// no goroutines, no channels, no clock and no dice.
func TestHouseIsSingleThreaded(t *testing.T) {
	t.Parallel()
	for _, file := range goSources(t) {
		if !file.under("core", "wasm", "jsbridge") || file.under("core/coretest", "core/simulate") {
			continue
		}
		ast.Inspect(file.tree, func(node ast.Node) bool {
			if what := concurrent(node); what != "" && !parks(file, node) {
				t.Errorf("%s: %s", file.at(node), what)
			}
			return true
		})
	}
}

// concurrent names what a node must not be, "" when it may.
func concurrent(node ast.Node) string {
	switch node := node.(type) {
	case *ast.GoStmt:
		return "a goroutine"
	case *ast.SelectStmt:
		return "a select"
	case *ast.ChanType, *ast.SendStmt:
		return "a channel"
	case *ast.UnaryExpr:
		if node.Op == token.ARROW {
			return "a channel"
		}
	case *ast.ImportSpec:
		if name := strings.Trim(node.Path.Value, `"`); within(name, "math/rand") {
			return "randomness: import " + name
		}
	case *ast.SelectorExpr:
		if of, ok := node.X.(*ast.Ident); ok && of.Name == "time" && node.Sel.Name == "Now" {
			return "a clock: time.Now"
		}
	}
	return ""
}

// parks reports whether the node is the empty select at the end of main that
// keeps the wasm program alive.
func parks(file parsed, node ast.Node) bool {
	sel, ok := node.(*ast.SelectStmt)
	return ok && file.path == "wasm/main.go" && len(sel.Body.List) == 0
}

// TestHouseIsDocumented: each package has a comment, and so has each exported
// name of it.
func TestHouseIsDocumented(t *testing.T) {
	t.Parallel()
	described := map[string]bool{}
	for _, file := range goSources(t) {
		folder := path.Dir(file.path)
		described[folder] = described[folder] || file.tree.Doc.Text() != ""
		for _, declaration := range file.tree.Decls {
			for _, name := range undocumented(declaration) {
				t.Errorf("%s: %s has no doc comment", file.at(name), name.Name)
			}
		}
	}
	for folder, ok := range described {
		if !ok {
			t.Errorf("package %s has no comment", folder)
		}
	}
}

// undocumented returns the exported names of a declaration that no comment
// explains. In a group the comment of the group counts for all of it.
func undocumented(declaration ast.Decl) []*ast.Ident {
	switch declaration := declaration.(type) {
	case *ast.FuncDecl:
		if declaration.Name.IsExported() && declaration.Doc.Text() == "" && exportedReceiver(declaration) {
			return []*ast.Ident{declaration.Name}
		}
	case *ast.GenDecl:
		if declaration.Doc.Text() != "" {
			return nil
		}
		var names []*ast.Ident
		for _, spec := range declaration.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Doc.Text() == "" && spec.Name.IsExported() {
					names = append(names, spec.Name)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && spec.Doc.Text() == "" && spec.Comment.Text() == "" {
						names = append(names, name)
					}
				}
			}
		}
		return names
	}
	return nil
}

// exportedReceiver reports whether a function is reachable by its name: it has
// no receiver, or one of an exported type.
func exportedReceiver(function *ast.FuncDecl) bool {
	if function.Recv == nil {
		return true
	}
	kind := function.Recv.List[0].Type
	for {
		switch inner := kind.(type) {
		case *ast.StarExpr:
			kind = inner.X
		case *ast.IndexExpr:
			kind = inner.X
		case *ast.IndexListExpr:
			kind = inner.X
		case *ast.Ident:
			return inner.IsExported()
		default:
			return true
		}
	}
}

// TestHouseNamesReceivers: a receiver says what it is. In a method of many calls
// and tasks `t` could be any of them, and in Go `this` and `self` say nothing.
func TestHouseNamesReceivers(t *testing.T) {
	t.Parallel()
	for _, file := range goSources(t) {
		for _, declaration := range file.tree.Decls {
			method, ok := declaration.(*ast.FuncDecl)
			if !ok || method.Recv == nil || len(method.Recv.List[0].Names) == 0 {
				continue
			}
			switch name := method.Recv.List[0].Names[0].Name; name {
			case "t", "this", "self":
				t.Errorf("%s: the receiver of %s is named %s", file.at(method), method.Name.Name, name)
			}
		}
	}
}
