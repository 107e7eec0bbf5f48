//go:build !js

package e2e

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault635_PageThatIsRenderedAhead: Chrome renders a page ahead that the person may go to, and starts no
// worker and gives no lock for it by then. Its connect() waits for that, however long it takes: its host
// is the one that it asked for, and the worker does not count as one that is silent.
func TestFault635_PageThatIsRenderedAhead(t *testing.T) {
	t.Parallel()
	for pinned, want := range map[string]string{"auto": "shared", "shared": "shared", "worker": "worker",
		"page": "page"} {
		t.Run(pinned, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Counting(nil)
			site := chrome.NewSite(t)
			notes := make(chan string, 8)
			site.Handle("/note/",
				http.HandlerFunc(
					func(_ http.ResponseWriter, r *http.Request) { notes <- r.URL.Query().Get("what") }))
			ahead := site.Page("/ahead", appScript+`
				const note = (what) => fetch("/note/?what=" + encodeURIComponent(what));
				note(document.prerendering ? "ahead" : "not rendered ahead");
				// Longer than a worker is waited for that was silent before; then the person goes to the page.
				setTimeout(() => (localStorage.go = 1), 2_500);
				let early = false;
				try {
					const mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { host: `+chrome.JS(pinned)+` });
					early = document.prerendering;
					const { structuredContent } = await mcp.callTool("count", { n: 1, call: "a" }).result;
					note([mcp.host, structuredContent.n, early].join(" "));
				} catch (error) {
					note(error.message);
				}`)
			from := site.Page("/from", `
				import * as holdfast from "/holdfast.mjs?built";
				const { SharedWorker } = globalThis;
				globalThis.SharedWorker = function (script) {
					localStorage["holdfast:silent-workers"] = JSON.stringify({ [script]: Date.now() });
					throw new Error("only its address is asked for");
				};
				await holdfast.connect("/mcp", { host: "shared" }).catch(() => {});
				globalThis.SharedWorker = SharedWorker;
				const rules = document.createElement("script");
				rules.type = "speculationrules";
				rules.textContent = JSON.stringify({ prerender: [{ urls: [`+chrome.JS(ahead)+`], eagerness: "immediate" }] });
				addEventListener("storage", ({ key }) => key === "go" && (location.href = `+chrome.JS(ahead)+`));
				document.head.append(rules);`)
			lookAt(t, from)
			for _, want := range []string{"ahead", want + " 1 false"} {
				select {
				case got := <-notes:
					if got != want {
						t.Fatalf("the page says %q, want %q", got, want)
					}
				case <-time.After(chrome.Patience):
					t.Fatalf("the page does not say %q", want)
				}
			}
			once(t, p, "a")
		})
	}
}

// lookAt opens a page as a person does: Chrome renders nothing ahead for a page that is automated.
func lookAt(t *testing.T, url string) {
	t.Helper()
	path, err := chrome.Find()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "holdfast-person-")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	browser := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--no-first-run", "--user-data-dir="+profile, url)
	browser.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	browser.Cancel = func() error { return syscall.Kill(-browser.Process.Pid, syscall.SIGKILL) }
	if err := browser.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = browser.Wait()
		// Its other processes end after it, and write until then.
		for range time.Tick(10 * time.Millisecond) {
			if os.RemoveAll(profile) == nil {
				return
			}
		}
	})
}
