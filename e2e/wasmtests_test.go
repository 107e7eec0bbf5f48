//go:build !js

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// wasmLimit bounds the tests of one package in Chrome: exhaustive ones take
// several times what they take natively.
const wasmLimit = 12 * time.Minute

// nativeOnly names the packages whose tests cannot run in a browser, and what
// they need that a browser has not. TestWasm fails when this list and the
// imports disagree, so no package drops out unnoticed.
var nativeOnly = map[string]string{
	"core/coretest":        "net/http",
	"core/coretest/replay": "os", // a command, which reads a file
}

// absent are the packages whose work a browser cannot do for a test binary: it
// has no sockets, no processes and no files.
var absent = []string{"net", "net/http", "net/http/httptest", "os/exec", "os", "path/filepath"}

// TestWasm runs the tests of each package that goes into the wasm inside
// Chrome, compiled as they will run there, and with their code rewritten as the wasm's is.
func TestWasm(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, p := range browser.list(t, "./core/...", "./jsbridge/...", "./wasm/...") {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		needs := slices.DeleteFunc(p.testImports(),
			func(path string) bool { return !slices.Contains(absent, path) })
		named := nativeOnly[p.name()]
		switch {
		case named != "" && slices.Contains(needs, named):
			t.Logf("%s runs natively only: it needs %s", p.name(), named)
		case named != "":
			t.Errorf("%s is named in nativeOnly for %s, which it does not import", p.name(), named)
		case len(needs) > 0:
			t.Errorf("the tests of %s import %s, so they cannot run in Chrome; embed files instead, or name "+
				"the package in nativeOnly",
				p.name(), strings.Join(needs, ", "))
		default:
			ran++
			t.Run(p.name(), func(t *testing.T) {
				// the core knows nothing of browsers, and has run natively
				if strings.HasPrefix(p.name(), "core/") {
					long(t)
				}
				t.Parallel()
				runInChrome(t, p, wasmRunner)
			})
			if p.name() == "jsbridge" { // the one that knows what it runs in
				t.Run(p.name()+" in a worker",
					func(t *testing.T) { t.Parallel(); runInChrome(t, p, wasmInWorker) })
			}
		}
	}
	if ran == 0 {
		t.Error("no package has tests that run in Chrome")
	}
}

// TestSlimmedStandardLibrary runs tests that others wrote, of code that the wasm has as well: what
// web/scripts/slim rewrites computes what Go's compiler meant.
func TestSlimmedStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, p := range browser.list(t, "sort", "strconv", "slices", "maps", "math", "math/bits",
		"unicode/utf8", "hash/crc32") {
		t.Run(p.ImportPath, func(t *testing.T) {
			row(t)
			t.Parallel()
			runInChrome(t, p, wasmRunner)
		})
	}
}

// TestStandardLibraryOnOurRuntime runs tests of what leans on the runtime (goroutines, timers, finalizers,
// the collector) on the one that the wasm has, rewritten as a whole.
func TestStandardLibraryOnOurRuntime(t *testing.T) {
	t.Parallel()
	for _, p := range browser.list(t, "context", "sync", "container/heap") {
		t.Run(p.ImportPath, func(t *testing.T) {
			row(t)
			t.Parallel()
			binary := filepath.Join(t.TempDir(), "test.wasm")
			if out, err := onOurRuntime(t, "test", "-c", "-o", binary,
				p.ImportPath).CombinedOutput(); err != nil {
				t.Fatalf("compiling: %v\n%s", err, out)
			}
			slim(t, binary)
			testsInChrome(t, binary, wasmRunner)
		})
	}
}

// onOurRuntime prepares the go command for the browser, with the runtime of the wasm, and with the standard
// fmt, which tests need.
func onOurRuntime(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	folder := t.TempDir()
	if out, err := native.command("run", "./web/scripts/wasmbuild", "-runtime", "-o",
		folder).CombinedOutput(); err != nil {
		t.Fatalf("wasmbuild: %v\n%s", err, out)
	}
	command := browser.command(slices.Insert(args, 1, "-overlay="+filepath.Join(folder, "runtime.json"))...)
	command.Env = append(command.Environ(), "GOROOT="+filepath.Join(folder, "goroot"), "GOTOOLCHAIN=local")
	return command
}

// slim has web/scripts/slim rewrite a file, as the flags say.
func slim(t *testing.T, file string, flags ...string) {
	t.Helper()
	args := append(append([]string{"run", "./web/scripts/slim"}, flags...), file)
	if out, err := native.command(args...).CombinedOutput(); err != nil {
		t.Fatalf("slim: %v\n%s", err, out)
	}
}

// wasmRunner loads the test binary as a program with arguments. Its result
// comes from exit, which runs for a panic too; run itself does not settle then.
// Examples stay out: the testing package captures their output in a file.
const wasmRunner = `
	const decoder = new TextDecoder();
	let output = "";
	globalThis.fs.writeSync = (fd, bytes) => {
		output += decoder.decode(bytes, { stream: true });
		return bytes.length;
	};
	globalThis.progress = () => output;
	const go = new Go();
	go.argv = ["test", "-test.v", "-test.run=^(Test|Fuzz)"];
	go.exit = (code) => { globalThis.result = { code, output }; };
	const { instance } = await WebAssembly.instantiateStreaming(fetch("/test.wasm"), go.importObject);
	await go.run(instance);
	globalThis.result ??= { code: 0, output };
`

// wasmInWorker does the same in a worker of the page.
const wasmInWorker = `
	const worker = new Worker("/run.worker.mjs", { type: "module" });
	worker.onmessage = ({ data }) => { window.result = data; };
	window.progress = () => window.result?.output ?? "the worker has not ended";
`

// workerResult sends the result to the page as soon as there is one.
const workerResult = `
	let result;
	Object.defineProperty(globalThis, "result", { get: () => result, set: (value) => postMessage((result = value)) });
`

// wasmResult is how a test binary ended.
type wasmResult struct {
	Code   int    `json:"code"`
	Output string `json:"output"`
}

// runInChrome compiles the tests of p, runs them in a page of their own by a runner, and
// fails with their output unless they pass.
func runInChrome(t *testing.T, p goPackage, runner string) {
	binary := filepath.Join(t.TempDir(), "test.wasm")
	if out, err := browser.command("test", "-c", "-o", binary, p.ImportPath).CombinedOutput(); err != nil {
		t.Fatalf("compiling: %v\n%s", err, out)
	}
	slim(t, binary, "-code")
	testsInChrome(t, binary, runner)
}

// testsInChrome runs a test binary, and fails with its output unless it passes.
func testsInChrome(t *testing.T, binary, runner string) {
	site := chrome.NewSite(t)
	site.File("/test.wasm", read(t, binary))
	site.File("/wasm_exec.js", read(t, filepath.Join(goroot(t), "lib", "wasm", "wasm_exec.js")))

	site.File("/run.worker.mjs", `import "/wasm_exec.js";`+workerResult+wasmRunner)
	page := chrome.Open(t, site.Page("/run", `import "/wasm_exec.js";`+runner))
	// What a test binary leaves unhandled is its own business: it reports by
	// its exit code, and a test may well provoke a rejection.
	page.AllowExceptions()
	defer func() {
		if t.Failed() {
			output, _ := chrome.TryEval[string](page, `progress()`)
			t.Logf("output of the tests:\n%s", output)
		}
	}()
	page.WaitWithin(wasmLimit, `result`)
	result := chrome.Eval[wasmResult](page, `result`)
	if result.Code != 0 || !strings.HasSuffix(strings.TrimSpace(result.Output), "PASS") {
		t.Errorf("exit code %d", result.Code)
	}
}

// goroot is the folder of the toolchain that compiles the tests: its
// wasm_exec.js belongs to them.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := native.command("env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env GOROOT: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
