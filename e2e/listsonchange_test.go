//go:build !js

package e2e

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault767_ListsOnEachChange: a server says two thousand times that its tools have changed, and the app
// asks for them each time. While the first list is on its way no other leaves; one more follows it, for all
// of them. The longest task of the main thread is logged.
func TestFault767_ListsOnEachChange(t *testing.T) {
	t.Parallel()
	const changes = 2_000
	for _, host := range []chrome.Host{chrome.SharedHost, chrome.PageHost} {
		t.Run(string(host), func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.Mounted(peer.Options{Path: "/mcp", Revision: peer.Revision20260728})
			p.Furnish()
			p.Counting(nil)
			site := chrome.NewSite(t)
			gate, lists := make(chan struct{}), atomic.Int32{}
			site.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				if bytes.Contains(body, []byte(`"method":"tools/list"`)) {
					lists.Add(1)
					<-gate
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				p.ServeHTTP(w, r)
			}))
			page := appOn(t, site, "/mcp", `{ host: `+chrome.JS(string(host))+` }`)
			eventually(t, "a listener", func() bool { return p.Listeners() == 1 })
			chrome.Script[chrome.Void](page, `
				window.tasks = [];
				window.observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
				observer.observe({ type: "longtask" });
				window.heard = 0;
				window.lists = [];
				mcp.on("changed", () => (heard++, lists.push(mcp.listTools())));`)
			p.Push("notifications/tools/list_changed", "{}")
			eventually(t, "the first list", func() bool { return lists.Load() == 1 })
			for range changes - 1 {
				p.Push("notifications/tools/list_changed", "{}")
			}
			page.WaitFor(`heard === ` + chrome.JS(changes))
			if n := lists.Load(); n != 1 {
				t.Errorf("%d lists are under way", n)
			}
			close(gate)
			tools := chrome.Script[[]int](page,
				`return [...new Set((await Promise.all(lists)).map(({ tools }) => tools.length))];`)
			if n := lists.Load(); n != 2 || len(tools) != 1 || tools[0] == 0 {
				t.Errorf("%d lists for %d changes, of %v tools", n, changes, tools)
			}
			// The browser tells of tasks of 50 ms and more.
			longest := chrome.Eval[float64](page,
				`Math.max(0, ...tasks.concat(observer.takeRecords()).map(({ duration }) => duration))`)
			t.Logf("longest task %.0f ms", longest)
		})
	}
}
