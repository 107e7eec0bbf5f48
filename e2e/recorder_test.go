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

// TestStoryRecorder: a client's network is recorded in each host while its call is cut and resumed, and the
// page goes, or the worker is killed. The next page exports what the last had, without a client; nothing of
// what was said is in it, nor in what another user exports; and the core, which plays it natively, sees the
// same: each progress once, the cut, and the result.
func TestStoryRecorder(t *testing.T) {
	t.Parallel()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"shared", "page", "worker"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Tool("steps", peer.Script{
				peer.Prime(10), peer.Progress(1, 3, "Ada Lovelace"), peer.Progress(2, 3, ""),
				peer.Gate("cut"), peer.Cut(peer.FIN),
				peer.Progress(3, 3, ""), peer.Text("Ada Lovelace"),
			})
			site := chrome.NewSite(t)
			site.File("/recorded.html", `<!doctype html><html lang="en"><meta charset="utf-8"><link `+
				`rel="icon" href="data:,"><title>recorded</title>`+
				`<script type="importmap">{ "imports": { "holdfast": "/holdfast.mjs",`+
				` "holdfast/recorder": "/holdfast-recorder.mjs" } }</script></html>`)
			profile := chrome.NewProfile(t)
			page := profile.Open(site.URL + "/recorded.html")
			chrome.Eval[chrome.Void](page, `(async () => {
				const { connect } = await import("holdfast");
				globalThis.had = 0;
				globalThis.mcp = await connect(`+chrome.JS(p.URL())+`, { record: true, principal: "ada", host: `+chrome.JS(host)+` });
				globalThis.call = mcp.callTool("steps", { who: "Ada Lovelace" });
				(async () => { for await (const event of call) if (event.type === "progress") had++; })();
			})()`)
			page.WaitFor(`had === 2`)
			p.Pass("cut")
			if text := chrome.Eval[string](page,
				`call.result.then(({ content }) => content[0].text)`); text != "Ada Lovelace" {
				t.Errorf("the app has %q", text)
			}
			export := func(of string) string {
				return chrome.Eval[string](page,
					`import("holdfast/recorder").then(({ exportTrace }) => exportTrace(`+of+`))`)
			}
			export("mcp") // what waits is stored by that
			if host == "shared" {
				killWorker(t, profile)
			}
			page.Reload()
			ada := `{ url: ` + chrome.JS(p.URL()) + `, principal: "ada" }`
			trace := export(ada)
			if strings.Contains(trace, "Ada") || strings.Contains(trace, "Lovelace") {
				t.Error("what was said is in the trace")
			}
			played := play(t, root, trace)
			for _, want := range []string{`"progress":1`, `"progress":2`, `"progress":3`,
				`resumed {"outcome":"continued"`, ` result {`} {
				if n := strings.Count(played, want); n != 1 {
					t.Errorf("%q is there %d times", want, n)
				}
			}
			if strings.Contains(played, "not on record") {
				t.Error("what the core asks is not on record")
			}
			if t.Failed() {
				t.Logf("played:\n%s\ntrace:\n%s", played, trace)
			}
			if of := export(`{ url: ` + chrome.JS(p.URL()) + `, principal: "bob" }`); of != "" {
				t.Errorf("another user has %q", of)
			}
			chrome.Eval[chrome.Void](page, `import("holdfast").then(({ wipe }) => wipe())`)
			if left := export(ada); left != "" {
				t.Errorf("%q is left", left)
			}
		})
	}
}

// TestFault731_RingIsSealed: where the app has everything sealed what is recorded rests so, in each host; the
// next page exports it. A word of the protocol's that is an argument is in no trace.
func TestFault731_RingIsSealed(t *testing.T) {
	t.Parallel()
	words := read(t, "../web/src/recorder/words.ts")
	for _, revision := range revisions {
		if !strings.Contains(words, revision) {
			t.Errorf("a trace does not keep %s", revision)
		}
	}
	for _, host := range []string{"shared", "page", "worker"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Furnish()
			site := chrome.NewSite(t)
			page := chrome.Open(t, site.Page("/app", `
				import { connect } from "/holdfast.mjs";
				window.mcp = await connect(`+chrome.JS(p.URL())+`, { record: true, principal: "ada", host: `+chrome.JS(host)+`, journal: { seal: "all" } });
				await mcp.callTool("echo", { text: "Ada", method: "working", status: "hunter2", level: "emergency" }).result;
				window.ready = true;`))
			page.WaitFor(`window.ready`)
			const lying = `new Promise((resolve) => {
				const open = indexedDB.open("holdfast-traces");
				open.onsuccess = () => {
					const all = open.result.transaction("frames").objectStore("frames").getAll();
					all.onsuccess = () => { open.result.close(); resolve([...new Set(all.result.flatMap(Object.keys))].sort().join()); };
				};
			})`
			if members := chrome.Eval[string](page, lying); members != "at,page,sealed,x" {
				t.Errorf("frames rest with %q", members)
			}
			chrome.Eval[chrome.Void](page, `mcp.close()`)
			trace := chrome.Script[string](page, `
				const map = document.createElement("script");
				map.type = "importmap";
				map.textContent = JSON.stringify({ imports: { holdfast: "/holdfast.mjs" } });
				document.head.append(map);
				return (await import("/holdfast-recorder.mjs")).exportTrace({ url: `+chrome.JS(p.URL())+`, principal: "ada" });`)
			if !strings.Contains(trace, `"method":"tools/call"`) {
				t.Errorf("the call is not in %s", trace)
			}
			for _, word := range []string{"Ada", "hunter2", `"working"`, "emergency"} {
				if strings.Contains(trace, word) {
					t.Errorf("%s is in the trace", word)
				}
			}
		})
	}
}

// play plays a trace natively; it returns what is printed of that.
func play(t *testing.T, root, trace string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(file, []byte(trace), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "run", "./core/coretest/replay", file)
	command.Dir = root
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, trace)
	}
	return string(out)
}
