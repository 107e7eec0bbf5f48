// Command count prints how much Go code the product has, room by room, in statements and members. Comments,
// blank lines and line breaks change no figure. count.mjs, beside it, prints the same for TypeScript.
//
//	make count
//
// A statement is each statement but a block. A member is each declared name of a file, field of a struct and
// method of an interface. Generated code is counted apart: what writes it is what people maintain.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The folders that hold Go of the product, and those in them that only tests and figures use.
var (
	product = []string{"core", "jsbridge", "wasm"}
	beside  = []string{"core/coretest", "core/simulate"}
)

// size is how much code a room has.
type size struct{ files, statements, members int }

func main() {
	rooms, err := measured(product)
	if err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
	row := func(room string, s size) {
		fmt.Printf("%-22s %6d %11d %8d %8d\n", room, s.files, s.statements, s.members, s.statements+s.members)
	}
	fmt.Printf("%-22s %6s %11s %8s %8s\n", "Go", "files", "statements", "members", "both")
	var all size
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		row(room, rooms[room])
		all = all.plus(rooms[room])
	}
	row("all of it", all)
}

func (s size) plus(other size) size {
	return size{s.files + other.files, s.statements + other.statements, s.members + other.members}
}

// measured returns what each folder below the roots has; "generated" is a room of its own.
func measured(roots []string) (map[string]size, error) {
	rooms := map[string]size{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains(beside, filepath.ToSlash(path)):
				return fs.SkipDir
			case entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			room := filepath.ToSlash(filepath.Dir(path))
			found, isGenerated, err := count(path, text)
			if isGenerated {
				room = "generated"
			}
			rooms[room] = rooms[room].plus(found)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return rooms, nil
}

// count returns what one file has, and whether a program wrote it.
func count(path string, text []byte) (size, bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, text,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return size{}, false, err
	}
	found := size{files: 1}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BlockStmt, *ast.EmptyStmt, *ast.DeclStmt: // what is in them counts
		case ast.Stmt:
			found.statements++
		case *ast.FuncDecl, *ast.ImportSpec, *ast.TypeSpec:
			found.members++
		case *ast.ValueSpec:
			found.members += len(node.Names)
		case *ast.StructType:
			found.members += names(node.Fields)
		case *ast.InterfaceType:
			found.members += names(node.Methods)
		}
		return true
	})
	return found, ast.IsGenerated(file), nil
}

// names returns how many fields or methods a list declares; an embedded one has no name and counts as one.
func names(fields *ast.FieldList) int {
	n := 0
	for _, field := range fields.List {
		n += max(1, len(field.Names))
	}
	return n
}
