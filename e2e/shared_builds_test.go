//go:build !js

package e2e

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// ofEitherBuild gives the pages whose address says so the worker of another deploy: it
// has a script of its own, so that the two never share a worker, only the store.
const ofEitherBuild = `...(location.search ? { worker: "/next-worker.mjs" } : {})`

// newDeploys are pages of two deploys on one origin.
func newDeploys(t *testing.T) (*visits, *peer.Peer) {
	t.Helper()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	v := newVisits(t, p, ofEitherBuild)
	v.site.File("/next-worker.mjs", read(t, filepath.Join("..", "web", "dist", "holdfast-worker.mjs")))
	return v, p
}

// openNext opens a page of the later deploy.
func (v *visits) openNext() *chrome.Page {
	v.t.Helper()
	page := v.profile.Open(v.url + "?next")
	page.WaitFor(`window.ready`)
	return page
}

// TestFault191_SharedTwoBuilds: a deploy while the worker of the one before has a call. The pages of
// the new one follow it; the old worker ends it though its last page has gone, uncut.
func TestFault191_SharedTwoBuilds(t *testing.T) {
	t.Parallel()
	v, p := newDeploys(t)
	old := v.open()
	v.count(old, "a", 8, 2)
	old.WaitFor(`carried.a.guarantee === "resumable"`)
	next := v.openNext()
	v.has(next, "a", 2)
	if !chrome.Eval[bool](next, `carried.a.followed`) {
		t.Error("both builds carry the call")
	}
	old.Navigate(v.url + "?next") // its next load is of the new deploy
	v.has(old, "a", 2)
	passes(p, "a", 3)
	v.has(old, "a", 5)
	v.has(next, "a", 5)
	passes(p, "a", 4)
	v.ends(next, "a")
	v.ends(old, "a")
	v.uncut("a")
	v.oneHandshake()
	blameless(t, p)
}

// TestFault191_SharedOldBuildIsKilled: the old worker dies with its call, and that of the new build
// takes it over.
func TestFault191_SharedOldBuildIsKilled(t *testing.T) {
	t.Parallel()
	v, p := newDeploys(t)
	old := v.open()
	v.count(old, "a", 6, 2)
	old.WaitFor(`carried.a.guarantee === "resumable"`)
	next := v.openNext()
	v.has(next, "a", 2)
	old.Close()
	for _, worker := range v.profile.SharedWorkers() {
		if strings.HasPrefix(worker.URL, v.site.URL+"/holdfast-worker.mjs?") {
			worker.Kill()
		}
	}
	next.WaitFor(`!carried.a.followed`)
	passes(p, "a", 5)
	v.outcome(next, "a", "result")
	blameless(t, p)
}

// buildText finds what the worker has of its build behind the version; the module has the same.
var buildText = regexp.MustCompile(`\d+\.\d+\.\d+-(\d+)"`)

// deploy has the site serve the built module and its worker as those of another build.
func deploy(t *testing.T, site *chrome.Site, build string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "web", "dist", "*.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	found := buildText.FindStringSubmatch(read(t, filepath.Join("..", "web", "dist", "holdfast-worker.mjs")))
	if found == nil {
		t.Fatal("the worker has no build")
	}
	own := "-" + found[1] + "\""
	with := 0
	for _, file := range files {
		text := read(t, file)
		if strings.Contains(text, own) {
			with++
			site.File("/"+filepath.Base(file), strings.ReplaceAll(text, own, "-"+build+"\""))
		}
	}
	if with != 2 {
		t.Fatalf("%d files name the build %q, want the worker and one of the module's", with, own)
	}
}

// TestFault220_SharedWorkerOfAnEarlierDeploy: the worker's file has the same name in each deploy, and
// the browser keeps what it once had of it. A page of the new build gets the new worker.
func TestFault220_SharedWorkerOfAnEarlierDeploy(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Counting(nil)
	site := chrome.NewSite(t)
	site.Header(func(path string, h http.Header) {
		if path == "/holdfast-worker.mjs" {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
	})
	url := site.Page("/app", appScript)
	profile := chrome.NewProfile(t)
	for _, build := range []string{"11111", "22222"} {
		deploy(t, site, build)
		page := profile.Open(url)
		page.WaitFor(`window.holdfast`)
		got := chrome.Script[string](page, `
			const mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { host: "shared" });
			const result = await mcp.callTool("count", { call: "`+build+`", n: 2 }).result;
			return mcp.host + " " + result.structuredContent.n;`)
		if got != "shared 2" {
			t.Errorf("build %s: %s", build, got)
		}
		page.Close()
	}
	blameless(t, p)
}
