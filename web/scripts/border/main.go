// Command border writes the TypeScript half of the border between Go and JavaScript:
// the numbers, words and signatures that both sides have to agree on. Go is the
// source. A test fails where the file is not what the Go sources come to.
//
//	go generate ./web/scripts/border
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run .

// out is the file that is written, as seen from the root of the module.
var out = filepath.Join("web", "src", "base", "border.ts")

func main() {
	if err := run(filepath.Join("..", "..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, "border:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	text, err := generate(newSources(root))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, out), text, 0o666)
}
