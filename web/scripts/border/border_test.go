package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..", "..")

// TestBorderIsGenerated: the TypeScript half of the border says what the Go half says.
func TestBorderIsGenerated(t *testing.T) {
	want, err := generate(newSources(root))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, out))
	if err != nil {
		t.Fatal(err)
	}
	if line, differ := firstDifference(string(got), string(want)); differ {
		t.Errorf("%s is not what the Go sources come to; run go generate ./web/scripts/border\n%s", filepath.ToSlash(out), line)
	}
}

func firstDifference(got, want string) (string, bool) {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "", ""
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return "it has:  " + a + "\nGo says: " + b, true
		}
	}
	return "", false
}

// change is an edit of one Go file.
type change struct{ file, old, new string }

// sources reads the module as if the edit had been made.
func (c change) sources(t *testing.T) *sources {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.file)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), c.old) {
		t.Fatalf("%s has no %q any more", c.file, c.old)
	}
	changed := newSources(root)
	changed.replaced = map[string]string{c.file: strings.Replace(string(text), c.old, c.new, 1)}
	return changed
}

// TestBorderNoticesEveryChange: each kind of fact, changed in Go, changes the TypeScript.
func TestBorderNoticesEveryChange(t *testing.T) {
	before, err := generate(newSources(root))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]change{
		"the number of an outcome":     {"core/engine/effect.go", "OutcomeResult   Outcome = iota + 1", "OutcomeResult   Outcome = iota + 2"},
		"the order of events":          {"core/engine/effect.go", "\tEventStatus ", "\tEventOther\n\tEventStatus "},
		"a code of every protocol":     {"core/engine/error.go", `"lost"`, `"gone"`},
		"a code of MCP's":              {"core/mcp/failure.go", `"no_revision"`, `"no_version_of_mcp"`},
		"a code of ACP's":              {"core/acp/errors.go", `"no_session"`, `"no_such_session"`},
		"the number of an operation":   {"core/journal/op.go", "OpServer OpKind = iota + 1", "OpServer OpKind = iota + 2"},
		"a flag of an operation":       {"core/journal/op.go", "OpAwaited OpFlags = 4", "OpAwaited OpFlags = 16"},
		"the header of an operation":   {"core/journal/op.go", "opHeader = 28", "opHeader = 32"},
		"a flag of a call, stored":     {"core/journal/head.go", "Flags = 1 << iota", "Flags = 2 << iota"},
		"a flag of a call, not stored": {"wasm/exports.go", "1 << 9", "1 << 11"},
		"a kind of record":             {"jsbridge/table.go", "\tKindRead ", "\tKindOther\n\tKindRead "},
		"a fact of a connection":       {"core/mcp/session_facts.go", "Facts = 1 << iota", "Facts = 2 << iota"},
		"where a guarantee begins":     {"core/mcp/session_facts.go", "ceilingShift = 16", "ceilingShift = 24"},
		"a bound of a draft":           {"core/journal/question.go", "MaxDraft = 64 << 10", "MaxDraft = 32 << 10"},
		"how late a timer may be":      {"core/durable/writer.go", "missedBy     = 250", "missedBy     = 300"},
		"how long a stream is kept":    {"core/acp/stream_budget.go", "rotateEvery = 5_000", "rotateEvery = 6_000"},
		"a request that has a name":    {"core/mcp/wire/mirror.go", `"prompts/get":    "name"`, `"prompts/list":    "name"`},
		"the order of guarantees":      {"core/durable/guarantee.go", `LostOnReload: "lost-on-reload", Resumable: "resumable"`, `Resumable: "resumable", LostOnReload: "lost-on-reload"`},
		"a word of a record":           {"jsbridge/table.go", "\tExtra   uint32\n", ""},
		"the name of an export":        {"wasm/tabs.go", "//go:wasmexport hold", "//go:wasmexport keep"},
		"a parameter of an export":     {"wasm/tabs.go", "handle, id uint32, held int32", "handle, id uint32, held, missed int32"},
		"the order of parameters":      {"wasm/tabs.go", "leave, missed int32", "missed, leave int32"},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := generate(change.sources(t))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(before, after) {
				t.Errorf("%q for %q in %s makes no difference", change.new, change.old, change.file)
			}
		})
	}
}

// TestBorderRefuses: what JavaScript could not call, or a table that fits nothing, ends the generator.
func TestBorderRefuses(t *testing.T) {
	for name, change := range map[string]change{
		"a parameter that is no number": {"wasm/tabs.go", "held int32, now float64", "held string, now float64"},
		"an enum without members":       {"core/engine/effect.go", "EndClean      Ending = iota + 1", "EndClean      Outcome = iota + 1"},
		"a code that is there twice":    {"core/acp/errors.go", `"no_session"`, `"no_version"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := generate(change.sources(t)); err == nil {
				t.Error("generated")
			}
		})
	}
}
