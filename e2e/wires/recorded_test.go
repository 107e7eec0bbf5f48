//go:build !js

package wires

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// TestFault758_RecordedAsItLeft: a client that streams its calls is recorded. The call leaves as a stream, and its
// message is on record all the same, without what it says; the core plays the trace to the same result.
func TestFault758_RecordedAsItLeft(t *testing.T) {
	t.Parallel()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(t)
	page := w.open(`listen: false, streamedBodies: true, record: true, principal: "ada"`)
	w.counts(page, "lovelace")
	for _, r := range w.p.Of("tools/call") {
		if length := r.Header.Get("Content-Length"); length != "" {
			t.Errorf("the call left with %s bytes", length)
		}
	}
	trace := chrome.Script[string](page, `
		const names = document.createElement("script");
		names.type = "importmap";
		names.textContent = '{ "imports": { "holdfast": "/holdfast.mjs" } }';
		document.head.append(names);
		const { exportTrace } = await import("/holdfast-recorder.mjs");
		return exportTrace(mcp);`)
	if n := strings.Count(trace, `"tools/call"`); n != 1 || strings.Contains(trace, "lovelace") {
		t.Errorf("the call is on record %d times:\n%s", n, trace)
	}
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(file, []byte(trace), 0o600); err != nil {
		t.Fatal(err)
	}
	replay := exec.Command("go", "run", "./core/coretest/replay", file)
	replay.Dir = root
	played, err := replay.CombinedOutput()
	results := strings.Count(string(played), `"structuredContent"`) // the request that goes first has none
	if err != nil || results != 1 || strings.Contains(string(played), "not on record") {
		t.Errorf("%v\nplayed:\n%s\ntrace:\n%s", err, played, trace)
	}
}
