//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

func TestStoryProgress(t *testing.T) {
	t.Parallel()
	_, url := sdkServer(t)
	page := app(t, url, "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 20, delayMs: 5 }))`)
	outcome(t, page, "")
	counted(t, page, 20)
	if text := chrome.Eval[string](page, `seen.result.content[0].text`); text != "Counted to 20." {
		t.Errorf("result %q", text)
	}
	if n := chrome.Eval[int](page, `seen.events.findLast((e) => e.type === "progress").position`); n != 20 {
		t.Errorf("the last progress has position %d", n)
	}
}

// TestStoryStreamedOutput: progress messages and logs come in order, as they
// are sent, before the result.
func TestStoryStreamedOutput(t *testing.T) {
	t.Parallel()
	_, url := sdkServer(t)
	page := app(t, url, "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("write_report", { topic: "tides", sections: 2, delayMs: 1 }))`)
	outcome(t, page, "")
	lines := chrome.Eval[[]string](page, `seen.events.filter((e) => e.type === "progress").map((e) => e.message ?? "")`)
	result := chrome.Eval[string](page, `seen.result.content[0].text`)
	at := 0
	for _, line := range lines {
		i := strings.Index(result[at:], strings.TrimSpace(line))
		if i < 0 {
			t.Fatalf("%q is not in the report after what came before it", line)
		}
		at += i
	}
	if len(lines) == 0 {
		t.Error("nothing was streamed")
	}
}

// TestStoryCancel: the call rejects at once, and the official server stops the
// tool.
func TestStoryCancel(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var said []string
	logged := func(what string) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(strings.Join(said, "\n"), what)
		}
	}
	server := gosdk.New(gosdk.Options{Logf: func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, fmt.Sprintf(format, args...))
	}})
	t.Cleanup(server.Close)
	site := chrome.NewSite(t)
	site.Handle("/mcp", server)
	page := appOn(t, site, "/mcp", "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("slow", { seconds: 60 }))`)
	page.WaitFor(`seen.status.includes("open")`)
	// The SDK answers before it hands the call on: a cancel could come too early.
	eventually(t, "the tool to begin", logged("slow: began"))
	chrome.Eval[chrome.Void](page, `call.cancel("seen enough")`)
	outcome(t, page, "cancelled")
	eventually(t, "the tool to stop", logged("slow: cancelled"))
}

// TestStoryAbortSignal: a signal cancels like cancel().
func TestStoryAbortSignal(t *testing.T) {
	t.Parallel()
	_, url := sdkServer(t)
	page := app(t, url, "")
	code := chrome.Script[string](page, `
		const abort = new AbortController();
		watch(mcp.callTool("count", { n: 200, delayMs: 100 }, { signal: abort.signal }));
		for await (const event of call) if (event.type === "progress") break; // leaving cancels nothing
		abort.abort();
		return call.result.then(() => "", (e) => e.code);`)
	if code != "cancelled" {
		t.Errorf("code %q", code)
	}
}
