// Command border writes what both sides of the border between Go and JavaScript have to agree on: the numbers, words
// and signatures in TypeScript, and both halves of the inputs (wasm/inputs.go). Go is the source. A test fails where
// a file is not what the Go sources come to.
//
//	go generate ./web/scripts/border
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run .

// outputs are the files that are written, as seen from the root of the module.
var outputs = []struct {
	path  string
	write func(*sources) ([]byte, error)
}{
	{"web/src/base/border.ts", generate},
	{"web/src/runtime/door.ts", generateInputs},
	{"wasm/dispatch.go", func(s *sources) ([]byte, error) { return generateDispatch(s, false) }},
	{"wasm/agentdispatch.go", func(s *sources) ([]byte, error) { return generateDispatch(s, true) }},
}

func main() {
	if err := run(filepath.Join("..", "..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, "border:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	for _, out := range outputs {
		text, err := out.write(newSources(root))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(out.path)), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
