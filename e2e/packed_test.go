//go:build !js

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// output runs a program in a folder, and returns what it says.
func output(folder, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir = folder
	text, err := command.CombinedOutput()
	return string(text), err
}

// run runs a program in a folder, and fails with what it says.
func run(t *testing.T, folder, name string, args ...string) {
	t.Helper()
	if text, err := output(folder, name, args...); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
	}
}

// packedApp packs what npm would publish, installs it in an app, and bundles that with code
// splitting. It returns the folder of the bundle.
func packedApp(t *testing.T, script string) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	run(t, root, "npm", "pack", "--ignore-scripts", "--pack-destination", folder)
	tarballs, err := filepath.Glob(filepath.Join(folder, "holdfast-*.tgz"))
	if err != nil || len(tarballs) != 1 {
		t.Fatalf("npm packs %v, %v", tarballs, err)
	}
	for name, text := range map[string]string{
		"package.json": `{ "name": "app", "private": true, "type": "module" }`,
		"main.js":      script,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, folder, "npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", tarballs[0])
	out := filepath.Join(folder, "out")
	run(t, root, "go", "tool", "esbuild", filepath.Join(folder, "main.js"), "--bundle", "--splitting", "--minify", "--format=esm",
		"--log-level=warning", "--outdir="+out)
	// esbuild leaves `new URL(…, import.meta.url)` as it is: the app lays these beside its chunks.
	for _, name := range []string{"holdfast.wasm", "holdfast-worker.mjs"} {
		if err := os.Link(filepath.Join(folder, "node_modules", "holdfast", "web", "dist", name), filepath.Join(out, name)); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestStoryPackedApp: an app installs the package from its tarball, bundles it, and runs it in the
// shared host. A reload in mid-call cuts nothing, and the page loads none of its own host.
func TestStoryPackedApp(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Counting(nil)
	script := strings.NewReplacer(
		`"/holdfast.mjs"`, `"holdfast"`, "SERVER", chrome.JS(p.URL()), "OPTIONS", `{ host: "shared", ack: "manual" }`,
	).Replace(keeperScript)
	out := packedApp(t, script)
	site := chrome.NewSite(t)
	files, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		site.File("/assets/"+file.Name(), read(t, filepath.Join(out, file.Name())))
	}
	site.File("/app.html", `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/assets/main.js"></script>`)
	v := &visits{t: t, p: p, site: site, profile: chrome.NewProfile(t).InWindows(), url: site.URL + "/app.html"}
	page := v.open()
	v.count(page, "a", 7, 3)
	page.Reload()
	v.has(page, "a", 3)
	passes(p, "a", 5)
	v.ends(page, "a")
	v.uncut("a")
	v.oneHandshake()
	for _, name := range chrome.Eval[[]string](page, `performance.getEntriesByType("resource").map((e) => new URL(e.name).pathname)`) {
		if !strings.HasPrefix(name, "/assets/") || strings.Contains(name, "connect-") || strings.HasSuffix(name, ".wasm") {
			t.Errorf("the page has loaded %s", name)
		}
	}
	blameless(t, p)
}
