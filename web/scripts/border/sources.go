package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// module is the path of the Go module, with the slash behind it.
const module = "github.com/holdfast-mcp/holdfast/"

// sources reads packages of the module as the wasm is built from them.
type sources struct {
	root     string
	replaced map[string]string // files read as something else, by path from the root: for tests
	files    *token.FileSet
	packages map[string]*pkg
}

// pkg is a package as far as its constants and its syntax go: what it imports from
// outside the module is not read, and what depends on that has no type.
type pkg struct {
	types *types.Package
	files []*ast.File // in the order of their names
	names []string    // of the files
}

func newSources(root string) *sources {
	return &sources{root: root, files: token.NewFileSet(), packages: map[string]*pkg{}}
}

// read returns the package in a folder, named as in "core/engine".
func (s *sources) read(folder string) (*pkg, error) {
	if p := s.packages[folder]; p != nil {
		return p, nil
	}
	dir := filepath.Join(s.root, filepath.FromSlash(folder))
	target := build.Default
	target.GOOS, target.GOARCH, target.CgoEnabled = "js", "wasm", false
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	p := &pkg{}
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if match, err := target.MatchFile(dir, name); err != nil || !match {
			if err != nil {
				return nil, err
			}
			continue
		}
		var text any
		if replaced, ok := s.replaced[folder+"/"+name]; ok {
			text = replaced
		}
		file, err := parser.ParseFile(s.files, filepath.Join(dir, name), text,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files, p.names = append(p.files, file), append(p.names, folder+"/"+name)
	}
	config := types.Config{Importer: importer{s}, Error: func(error) {}, IgnoreFuncBodies: true,
		FakeImportC: true}
	// what could not be resolved is missed where it is asked for
	p.types, _ = config.Check(module+folder, s.files, p.files, nil)
	s.packages[folder] = p
	return p, nil
}

// importer resolves what is of this module; of anything else the name alone.
type importer struct{ sources *sources }

func (i importer) Import(path string) (*types.Package, error) {
	folder, ok := strings.CutPrefix(path, module)
	if !ok {
		p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
		p.MarkComplete()
		return p, nil
	}
	p, err := i.sources.read(folder)
	if err != nil {
		return nil, err
	}
	return p.types, nil
}

// constants returns the constants of a package that match, in the order of their declaration.
func (p *pkg) constants(match func(*types.Const) bool) []*types.Const {
	var found []*types.Const
	for _, name := range p.types.Scope().Names() {
		if c, ok := p.types.Scope().Lookup(name).(*types.Const); ok && match(c) {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b *types.Const) int { return int(a.Pos() - b.Pos()) })
	return found
}
