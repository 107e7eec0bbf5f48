//go:build !js

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryRecorder: a client's network is recorded while its call is cut and resumed, and the page goes. The next page exports what the
// last one had; nothing of what was said is in it; and the core, which plays it natively, sees the same: each progress once, the cut, and the result.
func TestStoryRecorder(t *testing.T) {
	long(t)
	t.Parallel()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(root, "web", "dist", "holdfast-recorder.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	p := peer.New(t, peer.Options{})
	p.Tool("steps", peer.Script{
		peer.Prime(10), peer.Progress(1, 3, "Ada Lovelace"), peer.Progress(2, 3, ""), peer.Gate("cut"), peer.Cut(peer.FIN),
		peer.Progress(3, 3, ""), peer.Text("Ada Lovelace"),
	})
	site := chrome.NewSite(t)
	site.File("/holdfast-recorder.mjs", string(script))
	site.File("/recorded.html", `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>recorded</title>`+
		`<script type="importmap">{ "imports": { "holdfast": "/holdfast.mjs", "holdfast/recorder": "/holdfast-recorder.mjs" } }</script></html>`)
	page := chrome.Open(t, site.URL+"/recorded.html")
	chrome.Eval[chrome.Void](page, `(async () => {
		const [{ connect }, { recorder }] = await Promise.all([import("holdfast"), import("holdfast/recorder")]);
		globalThis.recording = recorder();
		globalThis.had = 0;
		const mcp = await connect(`+chrome.JS(p.URL())+`, { fetch: recording.fetch, principal: "ada" });
		globalThis.call = mcp.callTool("steps", { who: "Ada Lovelace" });
		(async () => { for await (const event of call) if (event.type === "progress") had++; })();
	})()`)
	page.WaitFor(`had === 2`)
	p.Pass("cut")
	if text := chrome.Eval[string](page, `call.result.then(async ({ content }) => (await recording.written(), content[0].text))`); text != "Ada Lovelace" {
		t.Errorf("the app has %q", text)
	}

	page.Reload()
	trace := chrome.Eval[string](page, `import("holdfast/recorder").then(({ exportTrace }) => exportTrace())`)
	if strings.Contains(trace, "Ada") || strings.Contains(trace, "Lovelace") {
		t.Error("what was said is in the trace")
	}
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(file, []byte(trace), 0o600); err != nil {
		t.Fatal(err)
	}
	play := exec.Command("go", "run", "./core/coretest/replay", file)
	play.Dir = root
	out, err := play.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"progress":1`, `"progress":2`, `"progress":3`, `resumed {"outcome":"continued"`, ` result {`} {
		if n := strings.Count(string(out), want); n != 1 {
			t.Errorf("%q is there %d times", want, n)
		}
	}
	if strings.Contains(string(out), "not on record") {
		t.Error("what the core asks is not on record")
	}
	if t.Failed() {
		t.Logf("played:\n%s\ntrace:\n%s", out, trace)
	}
	chrome.Eval[chrome.Void](page, `import("holdfast/recorder").then(({ clearTrace }) => clearTrace())`)
	if left := chrome.Eval[string](page, `import("holdfast/recorder").then(({ exportTrace }) => exportTrace())`); left != "" {
		t.Errorf("%q is left", left)
	}
}
