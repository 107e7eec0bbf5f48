// Command joinchunks puts what a page loads at once into one file, of each of the module's chunks.
//
//	go run ./web/scripts/joinchunks web/dist go tool esbuild ...
//
// esbuild makes a chunk of whatever two entries have in common: the page's own host was ten files, and a page
// was connected in 79 ms; it is in 70 with one (the official client: 45), since a browser hands each of them
// from process to process. A bundler that splits as esbuild does would take them apart again where one
// imported another: so each has a copy of what it needs, and only the module's own part stays where it is.
// None of that keeps anything for the page as a whole (e2e/chunks_test.go). It is in Go since the demo is
// built without Node.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: joinchunks folder esbuild...")
		os.Exit(2)
	}
	if err := join(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "joinchunks:", err)
		os.Exit(1)
	}
}

var (
	// piece is the name of a chunk that no entry is.
	piece = regexp.MustCompile(`-chunk-[A-Z0-9]{8}\.mjs$`)
	// atOnce is an import that is not one of those made later, as esbuild writes it when it minifies.
	atOnce = regexp.MustCompile(`\b(?:from|import)"\./([^"]+\.mjs)"`)
)

var (
	// named is a segment of a source map that says a name: numbers, each of which ends with one of A to f
	// (base64 VLQ).
	named = regexp.MustCompile(`((?:[g-z0-9+/]*[A-Za-f]){4})[g-z0-9+/]*[A-Za-f]`)
	// names is the list of them.
	names = regexp.MustCompile(`"names": \[[^\]]*\]`)
	// mappings are the segments.
	mappings = regexp.MustCompile(`"mappings": "[^"]*"`)
)

// shortenMap takes the names out of a file's source map, and a map away that maps nothing: its file passes on
// what others export.
func shortenMap(path string) error {
	content, err := os.ReadFile(path + ".map")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !bytes.Contains(content, []byte(`"mappings": ""`)) {
		content = names.ReplaceAll(content, []byte(`"names": []`))
		content = mappings.ReplaceAllFunc(content,
			func(all []byte) []byte { return named.ReplaceAll(all, []byte("$1")) })
		return os.WriteFile(path+".map", content, 0o644)
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	code, _, _ = bytes.Cut(code, []byte("//# sourceMappingURL="))
	if err := os.WriteFile(path, code, 0o644); err != nil {
		return err
	}
	return os.Remove(path + ".map")
}

// join builds what is in the folder anew, in its place.
func join(folder string, esbuild []string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.mjs"))
	if err != nil {
		return err
	}
	ofModule := make(map[string]bool)
	if err := load(filepath.Join(folder, "holdfast.mjs"), nil, ofModule); err != nil {
		return err
	}
	for _, path := range files {
		inside := make(map[string]bool)
		if piece.MatchString(path) || ofModule[path] {
			continue
		}
		if err := load(path, ofModule, inside); err != nil {
			return err
		}
		if len(inside) < 2 {
			continue
		}
		args := append(append([]string{}, esbuild[1:]...), path, "--format=esm", "--minify", "--sourcemap",
			"--sources-content=false", "--allow-overwrite", "--outfile="+path)
		for _, other := range files {
			if !inside[other] {
				args = append(args, "--external:./"+filepath.Base(other))
			}
		}
		bundle := exec.Command(esbuild[0], args...)
		bundle.Stdout, bundle.Stderr = os.Stdout, os.Stderr
		if err := bundle.Run(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, path := range files {
		if err := shortenMap(path); err != nil {
			return err
		}
	}
	for _, path := range files {
		if !piece.MatchString(path) || ofModule[path] {
			continue
		}
		for _, file := range []string{path, path + ".map"} {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// load finds a file and all that it imports at once, and that those import, but for what is known.
func load(path string, known, found map[string]bool) error {
	if known[path] || found[path] {
		return nil
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	found[path] = true
	for _, name := range atOnce.FindAllSubmatch(code, -1) {
		if err := load(filepath.Join(filepath.Dir(path), string(name[1])), known, found); err != nil {
			return err
		}
	}
	return nil
}
