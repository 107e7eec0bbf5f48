//go:build !js

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// module is the import path of everything in this repository.
const module = "github.com/holdfast-mcp/holdfast"

// goPackage is what go list says about a package, as far as tests here care.
type goPackage struct {
	ImportPath                string
	Dir                       string
	GoFiles                   []string
	TestGoFiles, XTestGoFiles []string
	Imports                   []string
	TestImports, XTestImports []string
}

// name is the path of the package inside the module: "core/sse".
func (p goPackage) name() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// testImports are the imports of the package and of its tests.
func (p goPackage) testImports() []string {
	all := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
	slices.Sort(all)
	return slices.Compact(all)
}

// target is a platform that packages are listed and built for.
type target struct{ goos, goarch string }

// native leaves the choice to the go command; browser is what runs in Chrome.
var (
	native  = target{}
	browser = target{goos: "js", goarch: "wasm"}
)

func (g target) String() string {
	if g == native {
		return "native"
	}
	return g.goos + "/" + g.goarch
}

// command prepares the go command for the target, in the root of the module.
func (g target) command(args ...string) *exec.Cmd {
	command := exec.Command("go", args...)
	command.Dir = ".."
	if g != native {
		command.Env = append(os.Environ(), "GOOS="+g.goos, "GOARCH="+g.goarch)
	}
	return command
}

// list lists the packages that match the patterns. With -e, one that does not
// compile is listed all the same: that is for the compiler to report.
func (g target) list(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	command := g.command(append([]string{"list", "-e", "-json"}, patterns...)...)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list for %v: %v\n%s", g, err, complaints.String())
	}
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list for %v: %v", g, err)
		}
		packages = append(packages, p)
	}
}
