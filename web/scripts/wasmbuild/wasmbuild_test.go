package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// atRoot runs a test in the root of the module, as the command runs.
func atRoot(t *testing.T) { t.Chdir(filepath.Join("..", "..", "..")) }

// installed is the toolchain that builds the wasm.
func installed(t *testing.T) toolchain {
	t.Helper()
	tools, err := findToolchain(os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// stops fails a test whose step went on, or did not say why it stopped.
func stops(t *testing.T, err error, because string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), because) {
		t.Errorf("the step ended with %v, want an error that says %q", err, because)
	}
}

func TestNoSettingOfTheMachineChangesCode(t *testing.T) {
	atRoot(t)
	machine := append(os.Environ(), "GOFLAGS=-tags=other", "GOPRIVATE=example.com", "GOEXPERIMENT=",
		"GODEBUG=netdns=go", "CGO_ENABLED=1")
	tools, err := findToolchain(machine)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GOFLAGS=", "GOEXPERIMENT=", "GODEBUG=", "CGO_ENABLED="} {
		if slices.ContainsFunc(tools.env,
			func(variable string) bool { return strings.HasPrefix(variable, name) }) {
			t.Errorf("the build sees %s of the machine", name)
		}
	}
	for _, variable := range []string{"GOPRIVATE=example.com", "GOENV=off", "GOWORK=off",
		"GOTOOLCHAIN=local"} {
		if !slices.Contains(tools.env, variable) {
			t.Errorf("the build lacks %s", variable)
		}
	}
}

func TestStopsWithoutTheToolchainOfGoMod(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := findToolchain(os.Environ())
	stops(t, err, "go.mod")
	write(t, "go.mod", "module other\n")
	_, err = findToolchain(os.Environ())
	stops(t, err, "go.mod names no version of Go")
	write(t, "go.mod", "module other\n\ngo 1.999.9\n")
	_, err = findToolchain(append(os.Environ(), "GOPROXY=off"))
	stops(t, err, "built by go1.999.9, which go.mod names")
}

func TestStopsWhereTheOverlayCannotBeLaid(t *testing.T) {
	atRoot(t)
	tools := installed(t)
	t.Run("no source", func(t *testing.T) {
		_, err := toolchain{root: t.TempDir()}.layFmt(t.TempDir())
		stops(t, err, "no fmt to lay ours over")
	})
	t.Run("no place for the link", func(t *testing.T) {
		_, err := tools.layFmt(filepath.Join(t.TempDir(), "missing"))
		stops(t, err, "cannot be linked")
	})
	t.Run("refused", func(t *testing.T) {
		// As a toolchain in the cache of modules is, where it is not reached by a link.
		folder := t.TempDir()
		refusing := tools
		refusing.env = append(slices.Clone(tools.env), "GOMODCACHE="+folder)
		_, err := refusing.layFmt(folder)
		stops(t, err, "must not be replaced")
	})
	t.Run("not used", func(t *testing.T) {
		folder := t.TempDir()
		elsewhere, err := tools.layFmt(folder)
		if err != nil {
			t.Fatal(err)
		}
		elsewhere.root = tools.root // it replaces files that the go command does not read
		stops(t, elsewhere.check(), "goes on with another")
	})
}

func TestStopsAtAnotherRuntime(t *testing.T) {
	atRoot(t)
	folder := t.TempDir()
	fitted, err := installed(t).layFmt(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fitted.layRuntime(folder); err != nil {
		t.Errorf("the edits are not of this toolchain: %v", err)
	}
	other := fitted
	other.root = t.TempDir()
	_, err = other.layRuntime(folder)
	stops(t, err, "no such file")
	if err := os.MkdirAll(filepath.Join(other.root, "src", "runtime"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, e := range unused {
		write(t, filepath.Join(other.root, "src", "runtime", e.file), "package runtime\n")
	}
	_, err = other.layRuntime(folder)
	stops(t, err, "another than the one that is known")
}

// Both overlays, one over the other: none undoes what is laid already.
func TestOverlaysAddUp(t *testing.T) {
	atRoot(t)
	folder := t.TempDir()
	fitted, err := installed(t).layFmt(folder)
	for _, lay := range []func(laid, string) (laid, error){laid.layRuntime, laid.layNewer} {
		if err == nil {
			fitted, err = lay(fitted, folder)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := os.ReadFile(fitted.file)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"/fmt/print.go", "/runtime/print.go", "/core/journal/varint.go"} {
		if !strings.Contains(string(overlay), filepath.FromSlash(file)) {
			t.Errorf("nothing is laid over %s", file)
		}
	}
}

// What the runtime lacks nobody may ask for, today or later.
func TestStopsAtWhatTheRuntimeLacks(t *testing.T) {
	atRoot(t)
	fitted, err := installed(t).layFmt(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []program{{}, {agents: true}} {
		if err := fitted.checkNeeds(wanted); err != nil {
			t.Errorf("agents %v: %v", wanted.agents, err)
		}
	}
	stops(t, needs("errors \nruntime/pprof \nexample.com/wasm \n"), "imports runtime/pprof")
	stops(t, needs("errors \nexample.com/wasm panicnil=1\n"), "built with panicnil=1")
}

// For tests the runtime is laid alone: they need the standard fmt.
func TestWritesTheRuntimeAlone(t *testing.T) {
	atRoot(t)
	folder := t.TempDir()
	if err := writeRuntime(folder); err != nil {
		t.Fatal(err)
	}
	overlay, err := os.ReadFile(filepath.Join(folder, "runtime.json"))
	if err != nil || !strings.Contains(string(overlay), "/goroot/src/runtime/proc.go") ||
		strings.Contains(string(overlay), "/src/fmt/") {
		t.Errorf("the overlay is %s (%v)", overlay, err)
	}
	stops(t, writeRuntime(filepath.Join(folder, "missing")), "cannot be linked")
}

func TestStopsAtAnotherGlue(t *testing.T) {
	root, out := t.TempDir(), filepath.Join(t.TempDir(), "wasm_exec.mjs")
	tools := toolchain{root: root}
	stops(t, tools.writeGlue(out), "no such file")
	if err := os.MkdirAll(filepath.Join(root, "lib", "wasm"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "lib", "wasm", "wasm_exec.js"), `export class Go {}`)
	stops(t, tools.writeGlue(out), "another than the one that is known")
	if _, err := os.Stat(out); err == nil {
		t.Error("the file was written all the same")
	}
}

func TestGlueKeepsTheText(t *testing.T) {
	atRoot(t)
	tools, out := installed(t), filepath.Join(t.TempDir(), "wasm_exec.mjs")
	if err := tools.writeGlue(out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(tools.root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		t.Fatal(err)
	}
	if glue, err := os.ReadFile(out); err != nil || string(glue) != glueHead+string(text)+glueTail {
		t.Errorf("the glue is another text than the toolchain's: %v", err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}
