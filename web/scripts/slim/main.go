// Command slim rewrites the wasm that Go's linker wrote so that it is smaller and
// faster: two thirds of the bytes, three quarters of them compressed, and no other
// program. It needs no tool but Go, as the whole build of the wasm does.
//
//	go run ./web/scripts/slim holdfast.wasm
//
// With -code it rewrites the code alone: of any program of Go's, for tests.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
)

func main() {
	codeOnly := flag.Bool("code", false, "rewrite the code alone")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: slim [-code] file.wasm")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	step := slim
	if *codeOnly {
		step = onlyCode
	}
	if err := rewrite(flag.Arg(0), step); err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

// rewrite has a step rewrite a file, which stays as it is where that fails.
func rewrite(path string, step func(module []byte) ([]byte, error)) error {
	module, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	out, err := step(module)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, out, 0o644)
}

// errUnknown is a module that slim would have to leave as large as it is.
var errUnknown = errors.New(
	"this toolchain's table of functions is not known (functiontable.go): the file would stay large")

// slim returns the module with its data segments joined, without line numbers and the table of
// buckets, with tables of functions that compress, and with shorter code. What it does not know is
// an error: nobody would notice a larger file.
func slim(module []byte) ([]byte, error) {
	list, err := sections(module)
	if err != nil {
		return nil, err
	}
	// Only bulk memory instructions on segments need it, and Go has none.
	list = slices.DeleteFunc(list, func(s section) bool { return s.id == sectionDataCount })
	data, table, err := readData(list)
	if err != nil {
		return nil, err
	}
	names := table.functionNames()
	if !dropBuckets(data, len(names)) {
		return nil, errUnknown
	}
	table.shrink()
	find(list, sectionData).body = appendSegments(nil, part(data))
	if err := slimCode(list, names); err != nil {
		return nil, err
	}
	return appendModule(nil, list), nil
}

// onlyCode returns the module with shorter code, and all else as it was.
func onlyCode(module []byte) ([]byte, error) {
	list, err := sections(module)
	if err != nil {
		return nil, err
	}
	_, table, err := readData(list)
	if err != nil {
		return nil, err
	}
	if err := slimCode(list, table.functionNames()); err != nil {
		return nil, err
	}
	return appendModule(nil, list), nil
}

// readData reads the data, joined, and the table of functions in it.
func readData(list []section) ([]segment, functionTable, error) {
	data, err := segments(find(list, sectionData).body)
	if err != nil {
		return nil, functionTable{}, err
	}
	data = join(data)
	for _, d := range data {
		if table, known := readFunctionTable(d.bytes); known {
			return data, table, nil
		}
	}
	return nil, functionTable{}, errUnknown
}

// slimCode rewrites the functions, and adds stubs for calls of those that are rare.
func slimCode(list []section, names []string) error {
	imported, err := imports(find(list, sectionImport).body)
	if err != nil {
		return err
	}
	code := find(list, sectionCode)
	functions, err := readFunctions(code.body)
	if err != nil {
		return err
	}
	if len(functions) != len(names) {
		return errUnknown
	}
	for i := range functions {
		functions[i].code = shorter(directJumps(functions[i].code))
	}
	if err := vectorize(functions, names); err != nil {
		return err
	}
	stubs := rareCalls(functions, imported, names)
	code.body = appendFunctions(nil, append(functions, stubs...))
	types, declared := find(list, sectionType), find(list, sectionFunction)
	var index int
	if types.body, index, err = appendStubType(types.body); err != nil {
		return err
	}
	declared.body, err = appendStubs(declared.body, len(stubs), index)
	return err
}
