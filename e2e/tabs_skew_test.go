//go:build !js

package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// builds are tabs of two builds on one origin: this one, and one that stores what this
// one cannot read (make web/build/newer.wasm).
type builds struct {
	*tabs
	newer tabs
}

func newBuilds(t *testing.T, p *peer.Peer) *builds {
	t.Helper()
	b := &builds{tabs: newTabs(t, p, "")}
	serveNewer(t, b.site)
	b.newer = *b.tabs
	b.newer.options = `{ ack: "manual", ` + ofNewer + ` }`
	return b
}

// ofNewer are the options of a page of the other build: a worker of the same would refuse its wasm.
const ofNewer = `wasm: "/newer.wasm", worker: "/newer-worker.mjs"`

// serveNewer serves the wasm of the other build at /newer.wasm, and a worker that knows its digest, too.
func serveNewer(t *testing.T, site *chrome.Site) {
	t.Helper()
	newer, ours := filepath.Join("..", "web", "build", "newer.wasm"),
		filepath.Join("..", "web", "dist", "holdfast-agents.wasm")
	wasm, err := os.ReadFile(newer)
	if err != nil {
		t.Fatalf("%v: run make web/build/newer.wasm", err)
	}
	// A module and a wasm that do not fit end with a trap, which says nothing.
	if built(t, newer).Before(built(t, ours)) {
		t.Fatal(
			"web/build/newer.wasm is older than web/dist/holdfast-agents.wasm: run make web/build/newer.wasm")
	}
	site.File("/newer.wasm", string(wasm))
	site.File("/newer-worker.mjs", knowing(t, wasm))
}

// knowing is the worker's script with the digest of one more wasm.
func knowing(t *testing.T, wasm []byte) string {
	t.Helper()
	worker, sum := read(t, filepath.Join("..", "web", "dist", "holdfast-worker.mjs")), sha256.Sum256(wasm)
	known := strings.Replace(worker, `"sha256-`, `"sha256-`+base64.StdEncoding.EncodeToString(sum[:])+
		` sha256-`, 1)
	if known == worker {
		t.Fatal("holdfast-worker.mjs knows no wasm")
	}
	return known
}

// built is when a file was written.
func built(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// cannotRead checks that a tab of this build knows of no call, and has counted records
// that it cannot read.
func (b *builds) cannotRead(page *chrome.Page) {
	b.t.Helper()
	got := chrome.Eval[struct{ Calls, Quarantined int }](page, `mcp.calls().then((calls) => ({ Calls: `+
		`calls.length, Quarantined: mcp.counters.quarantinedRecords }))`)
	if got.Calls != 0 || got.Quarantined == 0 {
		b.t.Errorf("an older tab has %d calls, and %d records that it cannot read", got.Calls,
			got.Quarantined)
	}
}

// TestFault135_OlderTabComesBetween: the only tab of a newer build is closed in
// mid-call, and one of an older build opens. It cannot read the call, and lets it rest: the
// key stays taken, and the next tab of the newer build carries the call on, while the
// older one lives.
func TestFault135_OlderTabComesBetween(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	b := newBuilds(t, p)
	first := b.newer.open()
	chrome.Eval[chrome.Void](first, `void count("a", { n: 6, gate: "a" }, { key: "a" })`)
	b.pass("a", 2)
	has(first, "a", 2)
	first.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	shut(first, b.site)
	older := b.open()
	b.cannotRead(older)
	chrome.Eval[chrome.Void](older, `void count("a", { n: 6, gate: "a" }, { key: "a" })`)
	older.WaitFor(`tracked.a.done`)
	if code := chrome.Eval[string](older, `tracked.a.code`); code != "key_in_use" {
		t.Errorf("the same call in the older tab ended with %q", code)
	}
	older.Reload() // it lets it rest again
	older.WaitFor(`window.ready`)
	b.begin(older)
	older.WaitFor(`window.begun`)
	b.cannotRead(older)
	next := b.newer.open()
	next.WaitFor(`tracked.a?.status.includes("owned")`)
	b.pass("a", 5)
	b.counted(next, "a", 6)
	b.once("a")
	chrome.Eval[chrome.Void](next, `tracked.a.call.ack()`)
	older.WaitFor(`mcp.stored().then(({ calls, quarantined }) => calls === 0 && quarantined === 0)`)
}

// TestFault135_OlderTabHadIt: a tab of this build has a call on its stream, another one
// follows it, and both are frozen out: a tab of a newer build takes it over, and writes
// on in its own words. Those that cannot read it say that it is elsewhere, and leave it
// alone; when the newer tab ends, the next one that can read it goes on.
func TestFault135_OlderTabHadIt(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	b := newBuilds(t, p)
	owner, follower := b.open(), b.open()
	chrome.Eval[chrome.Void](follower,
		`void Object.defineProperty(document, "visibilityState", { get: () => "hidden" })`)
	chrome.Eval[chrome.Void](owner, `void count("a", { n: 10, gate: "a" }, { key: "a" })`)
	b.pass("a", 2)
	has(follower, "a", 2)
	owner.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	newer := b.newer.open()
	has(newer, "a", 2)
	follower.Freeze() // else it may be the one that takes it over
	owner.Freeze()
	newer.WaitFor(`tracked.a.status.includes("owned")`)
	b.pass("a", 2)
	has(newer, "a", 4)
	for _, page := range []*chrome.Page{follower, owner} {
		page.Thaw()
		page.WaitFor(`tracked.a.done`)
		if code := chrome.Eval[string](page, `tracked.a.code`); code != "elsewhere" {
			t.Errorf("an older tab told its app %q", code)
		}
	}
	second := b.newer.open()
	has(second, "a", 4)
	newer.Close()
	second.WaitFor(`tracked.a.status.includes("owned")`)
	b.pass("a", 7)
	b.counted(second, "a", 10)
	if runs := p.Oracle().Runs("a"); runs != 1 {
		t.Errorf("%d runs", runs)
	}
	chrome.Eval[chrome.Void](owner, `void (window.again = mcp.callTool("count", { call: "a", n: 10,`+
		` gate: "a" }, { key: "a" }).result.catch(({ code }) => (window.code = code)))`)
	owner.WaitFor(`window.code`)
	if runs := p.Oracle().Runs("a"); runs != 1 {
		t.Errorf("the same call once more in the tab that had it: %d runs", runs)
	}
}

// TestFault135_LiveTabOfEitherBuild: the tab of a newer build that carries a call is
// closed while one of each build lives, and another old one loads at that moment. The
// one that can read the call carries it on, whoever of them was first.
func TestFault135_LiveTabOfEitherBuild(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	b := newBuilds(t, p)
	older, watcher := b.open(), b.newer.open()
	for i := range 4 {
		label := "r" + string(rune('a'+i))
		owner, late := b.newer.open(), b.blank()
		chrome.Eval[chrome.Void](owner, `void count(`+chrome.JS(label)+`, { n: 5, gate: "`+label+`" })`)
		b.pass(label, 2)
		has(watcher, label, 2)
		watcher.WaitFor(`tracked.` + label + `.call.guarantee === "resumable"`)
		b.begin(late)
		owner.Close()
		watcher.WaitFor(`tracked.` + label + `.status.includes("owned")`)
		late.WaitFor(`window.begun`)
		b.pass(label, 4)
		b.counted(watcher, label, 5)
		b.once(label)
		b.cannotRead(late)
		shut(late, b.site)
	}
	b.cannotRead(older)
}
