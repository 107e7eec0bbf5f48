// Structure measures the packages of the core: the methods, takers and fields of their large types, and the
// arrows between their files. `make count` prints the figures, and a test holds what was reached.
package main

import (
	"fmt"
	"os"
)

// measured are the packages, with their types that are counted one by one.
var measured = []struct {
	folder string
	types  []string
}{
	{"core/mcp", []string{"Client", "call"}},
	{"core/acp", []string{"Client", "session"}},
	{"core/tabs", nil},
	{"core/durable", nil},
	{"core/link", nil},
	{"core/acp/transcript", nil},
}

func main() {
	for _, room := range measured {
		p, err := load(room.folder)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		drawn := p.arrows()
		fmt.Printf("%-20s %4d arrows, %3d upward, %d called back\n",
			room.folder, drawn.count(), drawn.upward(), p.calledBack())
		for _, name := range room.types {
			found, err := p.measure(name)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Printf("  %-18s %4d methods + %3d takers, %3d fields (%d nested)\n",
				name, found.Methods, found.Takers, found.Fields, found.Nested)
		}
	}
}
