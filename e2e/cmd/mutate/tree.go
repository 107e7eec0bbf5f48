//go:build !js

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is the module's path.
const module = "github.com/holdfast-mcp/holdfast"

// transcripts are the golden ones, which Go and TypeScript share.
var transcripts = filepath.Join("web", "test", "testdata")

// mutant is one change of one token, as gremlins tells it.
type mutant struct {
	File   string `json:"-"` // from the copy's root, with slashes
	Type   string `json:"type"`
	Line   int    `json:"line"`
	Column int    `json:"column"` // in bytes, from 1
}

// tree is a copy of core.
type tree struct{ root string }

// copyCore copies the module's core: the packages named, where they are there, and
// what their tests need.
func copyCore(packages []string) (tree, error) {
	root, err := os.MkdirTemp("", "holdfast-mutate-")
	if err != nil {
		return tree{}, err
	}
	t := tree{root}
	if err := t.copy(packages); err != nil {
		os.RemoveAll(root)
		return tree{}, err
	}
	return t, nil
}

func (tree tree) copy(packages []string) error {
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("%w (run from the module's root)", err)
		}
		if err := os.WriteFile(filepath.Join(tree.root, file), text, 0o666); err != nil {
			return err
		}
	}
	folders := []string{filepath.Join("core", "coretest"), transcripts}
	for _, name := range packages {
		folders = append(folders, filepath.Join("core", name))
	}
	for _, from := range folders {
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.CopyFS(filepath.Join(tree.root, from), os.DirFS(from)); err != nil {
			return err
		}
	}
	return tree.dropStories()
}

// dropStories removes the tests that need a server of another program: they run by
// the clock, and would take most of the hour.
func (tree tree) dropStories() error {
	return filepath.WalkDir(filepath.Join(tree.root, "core"),
		func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), module+"/e2e/") {
				return err
			}
			return os.Remove(path)
		})
}

// command is a command in the tree, with the tests made quick.
func (tree tree) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = tree.root
	cmd.Env = append(os.Environ(), "GOFLAGS=-short", "HOLDFAST_HISTORIES=100")
	return cmd
}

// list lists every mutant that there could be. What gremlins says of their coverage
// does not matter here: Go counts statements, and the conditions of a switch are none.
func (tree tree) list() ([]mutant, error) {
	out := filepath.Join(tree.root, "mutants.json")
	said, err := tree.command("go", "run", tool, "unleash", "--dry-run", "--silent", "--output", out,
		"--invert-logical", "--invert-loopctrl", "--invert-assignments", "--invert-bitwise",
		"--invert-bwassign", "--remove-self-assignments", ".").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("gremlins: %w\n%s", err, said)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var result struct {
		Files []struct {
			Name      string   `json:"file_name"`
			Mutations []mutant `json:"mutations"`
		} `json:"files"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, err
	}
	var all []mutant
	for _, file := range result.Files {
		name := filepath.ToSlash(file.Name)
		if strings.HasPrefix(name, "core/coretest/") {
			continue
		}
		for _, m := range file.Mutations {
			m.File = name
			all = append(all, m)
		}
	}
	return all, nil
}

// source returns a line of the tree, without its indentation.
func (tree tree) source(m mutant) string {
	text, err := os.ReadFile(filepath.Join(tree.root, m.File))
	if err != nil {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	if m.Line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[m.Line-1])
}
