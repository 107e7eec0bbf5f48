package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"
)

// writeExports writes the functions that the wasm exports, file by file.
func writeExports(b *bytes.Buffer, s *sources) error {
	p, err := s.read("wasm")
	if err != nil {
		return err
	}
	b.WriteString("\n/** The functions of the wasm. Of those that drive the core each returns how many records the table then holds, or DEAD. */\nexport interface Exports {\n  mem: WebAssembly.Memory;\n")
	for i, file := range p.files {
		heading := "  // " + p.names[i] + "\n"
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name, ok := exported(f)
			if !ok {
				continue
			}
			signature, err := signature(f.Type)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", p.names[i], name, err)
			}
			b.WriteString(heading)
			heading = ""
			fmt.Fprintf(b, "  %s%s;\n", name, signature)
		}
	}
	b.WriteString("}\n")
	return nil
}

// exported returns what a function is exported as, if it is.
func exported(f *ast.FuncDecl) (string, bool) {
	if f.Doc == nil {
		return "", false
	}
	for _, line := range f.Doc.List {
		if name, ok := strings.CutPrefix(line.Text, "//go:wasmexport "); ok {
			return strings.TrimSpace(name), true
		}
	}
	return "", false
}

// numeric are the types of parameters and results that JavaScript sees as numbers.
var numeric = map[string]bool{"int32": true, "uint32": true, "float64": true, "unsafe.Pointer": true}

func signature(f *ast.FuncType) (string, error) {
	var parameters []string
	for _, field := range f.Params.List {
		typ := typeName(field.Type)
		if !numeric[typ] {
			return "", fmt.Errorf("a parameter of type %s", typ)
		}
		for _, name := range field.Names {
			parameters = append(parameters, name.Name+": number")
		}
	}
	if f.Results == nil || len(f.Results.List) != 1 || !numeric[typeName(f.Results.List[0].Type)] {
		return "", fmt.Errorf("has not one number for a result")
	}
	return "(" + strings.Join(parameters, ", ") + "): number", nil
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.ArrayType:
		return "[]" + typeName(e.Elt)
	}
	return fmt.Sprintf("%T", e)
}
