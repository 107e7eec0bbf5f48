//go:build !js

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// importOfAddress finds an import whose address only the running app knows.
var importOfAddress = regexp.MustCompile(`\bimport\(([^)"]*)\)`)

// TestFault301_AddressesAreLeftAlone: an import of an address has the comments by which webpack and Vite
// leave it as it is, minified or not, and the validator and the recorder are imported by names that they see.
func TestFault301_AddressesAreLeftAlone(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "web", "dist", "holdfast-*-????????.mjs"))
	if err != nil || len(files) == 0 {
		t.Fatalf("web/dist has the chunks %v, %v: run make build", files, err)
	}
	found, named := 0, 0
	for _, file := range files {
		text := read(t, file)
		named += strings.Count(text, `import("./holdfast-validate.mjs")`) +
			strings.Count(text, `import("./holdfast-record.mjs")`)
		for _, match := range importOfAddress.FindAllStringSubmatch(text, -1) {
			found++
			if !strings.HasPrefix(match[1], "/*webpackIgnore:true*//*@vite-ignore*/") {
				t.Errorf("%s: a bundler takes %s for its own", file, match[0])
			}
		}
	}
	if found == 0 || named != 2 {
		t.Errorf("%d imports of addresses, %d of the validator and the recorder", found, named)
	}
}

// TestFault303_ImportedGlobal: the entry holdfast/global is a module that makes the global, with the names
// and the classes that the module has.
func TestFault303_ImportedGlobal(t *testing.T) {
	t.Parallel()
	site := sdkSite(t)
	// not those that pin the host of the stories
	for _, file := range []string{"holdfast.mjs", "holdfast-agent.mjs"} {
		site.File("/"+file, read(t, filepath.Join("..", "web", "dist", file)))
	}
	page := chrome.Open(t, site.URL+"/")
	const script = `
		const files = ["/holdfast-global.mjs", "/holdfast.mjs", "/holdfast-agent.mjs"];
		const [global, ...both] = await Promise.all(files.map((file) => import(file)));
		const module = Object.assign({}, ...both);
		const names = Object.keys(module).sort();
		if (names.join() !== Object.keys(holdfast).sort().join()) return -2;
		if (names.some((name) => holdfast[name] !== module[name] || global[name] !== module[name])) return -1;
		const { connect } = holdfast;` + addScript
	if sum := chrome.Script[float64](page, script); sum != 42 {
		t.Errorf("sum %v", sum)
	}
}

// TestFault306_InstalledFromGit: npm installs what a git address names by its script prepare, which then
// builds the package. Who works on Holdfast has run npm ci, which builds nothing; and where something that
// the build needs is missing, it says what.
func TestFault306_InstalledFromGit(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs(filepath.Join("..", "web", "scripts", "prepare.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		command string
		has     []string // of go and make
		built   bool
		want    string
	}{
		"a git address": {command: "install", has: []string{"go", "make"},
			want: "make --old-file=node_modules/.package-lock.json package"},
		"there already":   {command: "install", has: []string{"go", "make"}, built: true},
		"npm ci":          {command: "ci", has: []string{"go", "make"}},
		"no Go":           {command: "install", has: []string{"make"}, want: "needs Go"},
		"nothing but npm": {command: "install", want: "needs Go"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for _, program := range test.has {
				if err := os.WriteFile(filepath.Join(folder, program),
					[]byte("#!/bin/sh\ncase $1 in *ersion) ;; *) echo "+program+" \"$@\";; esac\n"),
					0o755); err != nil {
					t.Fatal(err)
				}
			}
			if test.built {
				for _, file := range []string{"holdfast.wasm", "holdfast-agents.wasm",
					"holdfast-validate.mjs", "types/index.d.ts"} {
					path := filepath.Join(folder, "web", "dist", filepath.FromSlash(file))
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, nil, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			command := exec.Command(node, script)
			command.Dir = folder
			command.Env = []string{"PATH=" + folder, "npm_command=" + test.command}
			said, err := command.CombinedOutput()
			if failed, missing := err != nil, strings.HasPrefix(test.want, "needs"); failed != missing {
				t.Errorf("it ends with %v: %s", err, said)
			}
			if got := strings.TrimSpace(string(said)); (test.want == "") != (got == "") ||
				!strings.Contains(got, test.want) {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}
