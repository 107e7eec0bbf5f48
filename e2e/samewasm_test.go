//go:build !js

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSameWasmEverywhere builds the wasm once more, as on another machine: its toolchain
// is one that the go command has fetched, in the cache of modules, where it takes no
// overlay, and its settings would make other code. The bytes are those of web/dist.
func TestSameWasmEverywhere(t *testing.T) {
	long(t)
	t.Parallel()
	folder := t.TempDir()
	fetched := fetchedToolchain(t, filepath.Join(folder, "modules"))
	for _, step := range []string{"wasmbuild", "slim"} {
		if out, err := native.command("build", "-o", filepath.Join(folder, step),
			"./web/scripts/"+step).CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	version := regexp.MustCompile(`"version": "(.*)"`).FindStringSubmatch(
		read(t, filepath.Join("..", "package.json")))[1]
	for name, flags := range map[string][]string{"holdfast.wasm": nil, "holdfast-agents.wasm": {"-agents"}} {
		built := filepath.Join(folder, name)
		for _, step := range [][]string{
			append([]string{"wasmbuild", "-version", version, "-o", built}, flags...), {"slim", built}} {
			command := exec.Command(filepath.Join(folder, step[0]), step[1:]...)
			command.Dir = ".."
			command.Env = append(os.Environ(), fetched...)
			command.Env = append(command.Env, "GOFLAGS=-tags=other -gcflags=all=-N -buildvcs=true", "GOWORK=",
				"GODEBUG=netdns=go", "CGO_ENABLED=1")
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", step[0], err, out)
			}
		}
		if !bytes.Equal([]byte(read(t, built)), []byte(read(t, filepath.Join("..", "web", "dist", name)))) {
			t.Errorf("%s is another one than that of web/dist", name)
		}
	}
}

// TestWasmReadsInVectors: what web/scripts/slim puts in place of loops over bytes is in the wasm, and so
// their names are those that it knows.
func TestWasmReadsInVectors(t *testing.T) {
	t.Parallel()
	for what, code := range map[string]string{
		"the search for a byte": "\x20\x04\xfd\x23\xfd\x64\x22\x03\x04\x40", // equal, as bits, if any
		"the check of text":     "\xfd\x50\xfd\x64\x22\x04\x04\x40",         // either, as bits, if any
		"the check of UTF-8":    "\xfd\x73\xfd\x50",                         // too large, either
	} {
		for _, name := range []string{"holdfast.wasm", "holdfast-agents.wasm"} {
			if n := strings.Count(read(t, filepath.Join("..", "web", "dist", name)), code); n != 1 &&
				what != "the check of UTF-8" || n == 0 {
				t.Errorf("%s has %s %d times, want one", name, what, n)
			}
		}
	}
}

// fetchedToolchain makes a cache of modules that holds the toolchain as one of them, all
// by links, and returns the variables that select both.
func fetchedToolchain(t *testing.T, cache string) []string {
	t.Helper()
	out, err := native.command("env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	link := func(from, to string) {
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	modules := strings.TrimSpace(string(out))
	entries, err := os.ReadDir(modules)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != "golang.org" { // the wasm needs none of it, and the toolchain goes there
			link(filepath.Join(modules, entry.Name()), filepath.Join(cache, entry.Name()))
		}
	}
	root := filepath.Join(cache, "golang.org", "toolchain@v0.0.1")
	link(goroot(t), root)
	return []string{"GOMODCACHE=" + cache, "GOROOT=" + root}
}
