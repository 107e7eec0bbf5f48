//go:build !js

package coretest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//go:generate go test . -run ^TestScenarios$ -update

var update = flag.Bool("update", false, "write what happened into testdata/*/*.txt")

// TestScenarios plays every script in testdata and compares the effects with
// the golden ones. After a wanted change: go generate ./core/coretest,
// then read the diff line by line.
func TestScenarios(t *testing.T) {
	for folder, run := range map[string]func(testing.TB, string) string{
		"mcp": RunScript, "acp": RunAgentScript} {
		files, err := filepath.Glob("testdata/" + folder + "/*.txt")
		if err != nil || len(files) == 0 {
			t.Fatalf("no scenarios of %s: %v", folder, err)
		}
		for _, file := range files {
			t.Run(folder+"/"+strings.TrimSuffix(filepath.Base(file), ".txt"),
				func(t *testing.T) { scenario(t, file, run) })
		}
	}
}

func scenario(t *testing.T, file string, run func(testing.TB, string) string) {
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, string(want))
	if got == string(want) {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s: got\n%s", file, difference(string(want), got))
}

// difference returns the first lines that differ, with some before them.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < len(w) && i < len(g) && w[i] == g[i] {
		i++
	}
	from := max(i-8, 0)
	return strings.Join(g[from:min(i+8, len(g))], "\n") + "\nwant\n" +
		strings.Join(w[from:min(i+8, len(w))], "\n")
}
