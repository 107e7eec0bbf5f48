//go:build !js

package e2e

import (
	"path/filepath"
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
		if worker.URL == v.site.URL+"/holdfast-worker.mjs" {
			worker.Kill()
		}
	}
	next.WaitFor(`!carried.a.followed`)
	passes(p, "a", 5)
	v.outcome(next, "a", "result")
	blameless(t, p)
}
