// Command overlay prints the overlay (go help build) with which the fmt beside it takes
// the place of the standard fmt. Run it in the root of the module.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := print(); err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
}

func print() error {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	root, modules, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	replace := map[string]string{}
	// A toolchain that the go command has fetched lies in the cache of modules,
	// where it refuses an overlay: the wasm is then larger, and works as well.
	if !strings.HasPrefix(root, filepath.Clean(modules)+string(filepath.Separator)) {
		files, err := filepath.Glob(filepath.Join(root, "src", "fmt", "*.go"))
		if err != nil {
			return err
		}
		for _, file := range files {
			replace[file] = ""
		}
		ours, err := filepath.Abs(filepath.Join("web", "scripts", "overlay", "fmt", "fmt.go"))
		if err != nil {
			return err
		}
		replace[filepath.Join(root, "src", "fmt", "print.go")] = ours
	} else {
		fmt.Fprintln(os.Stderr, "overlay: this toolchain takes none; the wasm gets the standard fmt")
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"Replace": replace})
}
