package main

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
)

// program is one package of the product, with its types checked. Its tests are left out.
type program struct {
	files *token.FileSet
	types *types.Package
	info  *types.Info
}

// load reads the package in folder.
func load(folder string) (*program, error) {
	found, err := build.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	p := &program{
		files: token.NewFileSet(),
		info:  &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}},
	}
	var parsed []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(p.files, filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: importer.ForCompiler(p.files, "source", nil)}
	p.types, err = config.Check(folder, p.files, parsed, p.info)
	return p, err
}

// file is the base name of the file that pos is in.
func (p *program) file(pos token.Pos) string { return filepath.Base(p.files.Position(pos).Filename) }
