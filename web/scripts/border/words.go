package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"slices"
	"strconv"
)

// writeWords writes the texts that both sides decide by, as unions.
func writeWords(b *bytes.Buffer, s *sources) error {
	for _, w := range words {
		p, err := s.read(w.from.folder)
		if err != nil {
			return err
		}
		var all []string
		for _, c := range p.constants(w.from.hasWord) {
			all = append(all, constant.StringVal(c.Val()))
		}
		if err := writeUnion(b, w.name, w.doc+" ("+w.from.String()+")", all); err != nil {
			return err
		}
	}
	for _, l := range lists {
		p, err := s.read(l.folder)
		if err != nil {
			return err
		}
		if err := writeUnion(b, l.name, l.doc+" ("+l.folder+", "+l.variable+")",
			p.list(l.variable)); err != nil {
			return err
		}
	}
	for _, a := range arrays {
		p, err := s.read(a.folder)
		if err != nil {
			return err
		}
		words := p.list(a.variable)
		if a.keys {
			words = p.keys(a.variable)
		}
		if err := writeArray(b, a.name, a.doc+" ("+a.folder+", "+a.variable+")", words); err != nil {
			return err
		}
	}
	return nil
}

// writeArray writes words as an array, in the order of Go's.
func writeArray(b *bytes.Buffer, name, doc string, all []string) error {
	if len(all) == 0 {
		return fmt.Errorf("there is nothing for %s", name)
	}
	fmt.Fprintf(b, "\n/** %s */\nexport const %s = [", doc, name)
	for i, word := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%q", word)
	}
	b.WriteString("] as const;\n")
	return nil
}

func writeUnion(b *bytes.Buffer, name, doc string, all []string) error {
	if len(all) == 0 {
		return fmt.Errorf("there is nothing for %s", name)
	}
	if len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		return fmt.Errorf("%s has a word twice: %q", name, all)
	}
	fmt.Fprintf(b, "\n/** %s */\nexport type %s =", doc, name)
	for _, word := range all {
		fmt.Fprintf(b, "\n  | %q", word)
	}
	b.WriteString(";\n")
	return nil
}

// list returns the texts of a package's variable, which is an array of them.
func (p *pkg) list(variable string) []string {
	return p.texts(variable, func(element ast.Expr) ast.Expr {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			return pair.Value
		}
		return element
	})
}

// keys returns the texts that a package's variable has something for, which is a map.
func (p *pkg) keys(variable string) []string {
	return p.texts(variable, func(element ast.Expr) ast.Expr {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			return pair.Key
		}
		return nil
	})
}

// texts returns what part finds in each element of a package's variable, where that is a text.
func (p *pkg) texts(variable string, part func(ast.Expr) ast.Expr) []string {
	var all []string
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Names) != 1 || spec.Names[0].Name != variable || len(spec.Values) != 1 {
				return true
			}
			literal, ok := spec.Values[0].(*ast.CompositeLit)
			if !ok {
				return false
			}
			for _, element := range literal.Elts {
				if text, ok := part(element).(*ast.BasicLit); ok {
					word, _ := strconv.Unquote(text.Value)
					all = append(all, word)
				}
			}
			return false
		})
	}
	return all
}
