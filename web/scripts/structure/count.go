package main

import (
	"fmt"
	"go/types"
)

// size is how large one type is.
type size struct {
	Methods int // Methods of the type.
	// Functions, and methods of other types, that have a parameter of the type, alone or in a list.
	Takers int
	Fields int // Fields of the struct.
	Nested int // Fields, each struct of the same package that is held by value counted as its own fields.
}

// Sum is how many functions reach everything that the type holds.
func (s size) Sum() int { return s.Methods + s.Takers }

// measure measures the type of that name.
func (p *program) measure(name string) (size, error) {
	object, _ := p.types.Scope().Lookup(name).(*types.TypeName)
	if object == nil {
		return size{}, fmt.Errorf("package %s has no type %s", p.types.Name(), name)
	}
	named := object.Type().(*types.Named)
	measured := size{Methods: named.NumMethods(), Takers: p.takers(named)}
	if body, ok := named.Underlying().(*types.Struct); ok {
		measured.Fields, measured.Nested = body.NumFields(), p.nested(body)
	}
	return measured, nil
}

// takers counts the functions that are given the type and are no methods of it.
func (p *program) takers(named *types.Named) int {
	found := 0
	for _, object := range p.info.Defs {
		function, ok := object.(*types.Func)
		if !ok {
			continue
		}
		receiver := function.Signature().Recv()
		if receiver != nil && (holds(receiver.Type(), named) || types.IsInterface(receiver.Type())) {
			continue
		}
		for parameter := range function.Signature().Params().Variables() {
			if holds(parameter.Type(), named) {
				found++
				break
			}
		}
	}
	return found
}

// holds reports whether t is the type, a pointer to it, or a list or a map of either.
func holds(t types.Type, named *types.Named) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return holds(t.Elem(), named)
	case *types.Slice:
		return holds(t.Elem(), named)
	case *types.Map:
		return holds(t.Elem(), named)
	default:
		return types.Identical(t, named)
	}
}

// nested counts the fields of a struct, and in place of a struct of this package its fields.
func (p *program) nested(body *types.Struct) int {
	sum := 0
	for field := range body.Fields() {
		t := types.Unalias(field.Type())
		named, isNamed := t.(*types.Named)
		inner, isStruct := t.Underlying().(*types.Struct)
		if isStruct && (!isNamed || named.Obj().Pkg() == p.types) {
			sum += p.nested(inner)
		} else {
			sum++
		}
	}
	return sum
}
