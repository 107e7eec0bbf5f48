package main

import (
	"bytes"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..", "..")

// TestBorderIsGenerated: the TypeScript half of the border says what the Go half says.
func TestBorderIsGenerated(t *testing.T) {
	for _, out := range outputs {
		want, err := out.write(newSources(root))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(out.path)))
		if err != nil {
			t.Fatal(err)
		}
		if line, differ := firstDifference(string(got), string(want)); differ {
			t.Errorf("%s is not what the Go sources come to; run go generate ./web/scripts/border\n%s", out.path, line)
		}
	}
}

// all returns everything that is generated.
func all(s *sources) ([]byte, error) {
	var text []byte
	for _, out := range outputs {
		one, err := out.write(s)
		if err != nil {
			return nil, err
		}
		text = append(text, one...)
	}
	return text, nil
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
	before, err := all(newSources(root))
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
		"a flag of a call, not stored": {"wasm/client.go", "1 << 9", "1 << 11"},
		"a kind of record":             {"jsbridge/table.go", "\tKindRead ", "\tKindOther\n\tKindRead "},
		"a fact of a connection":       {"core/mcp/session_facts.go", "Facts = 1 << iota", "Facts = 2 << iota"},
		"where a guarantee begins":     {"core/mcp/session_facts.go", "ceilingShift = 16", "ceilingShift = 24"},
		"a bound of a draft":           {"core/journal/question.go", "MaxDraft = 64 << 10", "MaxDraft = 32 << 10"},
		"how late a timer may be":      {"core/durable/writer.go", "missedBy     = 250", "missedBy     = 300"},
		"how long a stream is kept":    {"core/acp/stream_budget.go", "rotateEvery = 5_000", "rotateEvery = 6_000"},
		"a request that has a name":    {"core/mcp/wire/mirror.go", `"prompts/get":    "name"`, `"prompts/list":    "name"`},
		"the order of guarantees":      {"core/durable/guarantee.go", `LostOnReload: "lost-on-reload", Resumable: "resumable"`, `Resumable: "resumable", LostOnReload: "lost-on-reload"`},
		"a word of a record":           {"jsbridge/table.go", "\tExtra   uint32\n", ""},
		"the name of an export":        {"wasm/questions.go", "//go:wasmexport reads", "//go:wasmexport opens"},
		"a parameter of an export":     {"wasm/questions.go", "wall, ran float64", "wall, ran, more float64"},
		"the order of parameters":      {"wasm/inputs.go", "leave, missed bool", "missed, leave bool"},
		"the order of inputs":          {"wasm/inputs.go", "type machineInputs interface {", "type machineInputs interface {\n\t// Beat says so.\n\tBeat(now engine.Time)"},
		"an answer of an input":        {"wasm/inputs.go", "text []byte) engine.CallID", "text []byte)"},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := all(change.sources(t))
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
		"a parameter that is no number": {"wasm/questions.go", "wall, ran float64", "wall, ran string"},
		"an input with a pointer":       {"wasm/inputs.go", "leave, missed bool", "leave *engine.Error, missed bool"},
		"an input that says nothing":    {"wasm/inputs.go", "\t// Visited says that a page has come to a client that outlives its pages.\n", ""},
		"an enum without members":       {"core/engine/effect.go", "EndClean      Ending = iota + 1", "EndClean      Outcome = iota + 1"},
		"a code that is there twice":    {"core/acp/errors.go", `"no_session"`, `"no_version"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := all(change.sources(t)); err == nil {
				t.Error("generated")
			}
		})
	}
}

// TestQuestionsAreListed: the architecture says of each export but input why it is none.
func TestQuestionsAreListed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newSources(root).read("wasm")
	if err != nil {
		t.Fatal(err)
	}
	exports := 0
	for _, file := range p.files {
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name, ok := exported(f)
			if !ok || name == "input" {
				continue
			}
			exports++
			if !strings.Contains(string(page), "\n| `"+name+"` |") {
				t.Errorf("%s is no input, and docs/architecture.md does not say why", name)
			}
		}
	}
	if exports == 0 {
		t.Error("no exports found")
	}
}
