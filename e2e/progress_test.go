//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
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
	chrome.Eval[chrome.Void](page,
		`void watch(mcp.callTool("write_report", { topic: "tides", sections: 2, delayMs: 1 }))`)
	outcome(t, page, "")
	lines := chrome.Eval[[]string](page,
		`seen.events.filter((e) => e.type === "progress").map((e) => e.message ?? "")`)
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

// TestStoryAbortSignal: a signal cancels like cancel(), at the server as well.
// Leaving the loop cancels nothing: the tool has gone on until then.
func TestStoryAbortSignal(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), "")
	chrome.Script[chrome.Void](page, `
		window.abort = new AbortController();
		watch(mcp.callTool("count", { call: "a", n: 9, gate: "a" }, { signal: abort.signal }));`)
	p.Pass("a")
	chrome.Script[chrome.Void](page, `for await (const event of call) if (event.type === "progress") break;`)
	p.Pass("a")
	page.WaitFor(`seen.progress.length === 2`) // by another reader
	if cancels := p.Of("notifications/cancelled"); len(cancels) != 0 {
		t.Errorf("leaving the loop has sent %d cancels", len(cancels))
	}
	chrome.Eval[chrome.Void](page, `abort.abort()`)
	outcome(t, page, "cancelled")
	eventually(t, "the server to be told", func() bool { return len(p.Of("notifications/cancelled")) == 1 })
	var told struct {
		Params struct{ RequestID json.RawMessage }
	}
	if err := json.Unmarshal(p.Of("notifications/cancelled")[0].Body, &told); err != nil {
		t.Fatal(err)
	}
	if call := p.Of("tools/call")[0].ID; string(told.Params.RequestID) != call {
		t.Errorf("request %s is cancelled, and the call is %s", told.Params.RequestID, call)
	}
	blameless(t, p)
}
