package cluster_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports: the store is for everybody, so it imports nothing of the client; and of this module only the
// rig, which is a client too, knows the core: the nodes cannot share a mistake with it.
func TestImports(t *testing.T) {
	const client = "github.com/holdfast-mcp/holdfast/"
	for dir, permitted := range map[string][]string{
		"jetstore": {client + "e2e/cluster/jetstore"},
		".":        {client + "e2e/"},
	} {
		command := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
		command.Dir = dir
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			imports := strings.Fields(line)
			for _, path := range imports[1:] {
				ok := !strings.HasPrefix(path, client) || strings.HasSuffix(imports[0], "/rig")
				for _, prefix := range permitted {
					ok = ok || strings.HasPrefix(path, prefix)
				}
				if !ok {
					t.Errorf("%s must not import %s", imports[0], path)
				}
			}
		}
	}
}
