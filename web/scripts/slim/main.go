// Command slim rewrites the wasm that Go's linker wrote so that it compresses
// better: a tenth less over the wire, and no other program. It needs no tool
// but Go, as the whole build of the wasm does.
//
//	go run ./web/scripts/slim holdfast.wasm
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: slim file.wasm")
		os.Exit(2)
	}
	if err := rewrite(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

func rewrite(path string) error {
	module, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	out, err := slim(module)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, out, 0o644)
}

// errUnknown is a module that slim would have to leave as large as it is.
var errUnknown = errors.New("this toolchain's table of functions is not known (lines.go): the file would stay large")

// slim returns the module with its data segments joined, without line numbers, and with
// tables of functions that compress. What it does not know is an error: nobody would
// notice a larger file.
func slim(module []byte) ([]byte, error) {
	list, err := sections(module)
	if err != nil {
		return nil, err
	}
	out, known := slices.Clone(module[:8]), false
	for _, s := range list {
		switch s.id {
		case sectionDataCount:
			continue // only bulk memory instructions on segments need it, and Go has none
		case sectionData:
			data, err := segments(s.body)
			if err != nil {
				return nil, err
			}
			data = join(data)
			for _, d := range data {
				known = dropLines(d.bytes) || known
			}
			s.body = appendSegments(nil, data)
		}
		out = appendSection(out, s)
	}
	if !known {
		return nil, errUnknown
	}
	return out, nil
}
