//go:build !js

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault142_EventSourceRedirected: an EventSource follows a redirect to another
// origin, which allows every page, and answers as an MCP server would. None of
// that is delivered, and connect says what happened.
func TestFault142_EventSourceRedirected(t *testing.T) {
	t.Parallel()
	var asked, posted atomic.Int32
	allow := func(w http.ResponseWriter) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "*")
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		allow(w)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: /taken\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(other.Close)
	t.Cleanup(other.CloseClientConnections)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		allow(w)
		switch {
		case r.URL.Path == "/taken":
			posted.Add(1)
			http.NotFound(w, r)
		case r.Method == "GET":
			http.Redirect(w, r, other.URL+"/sse", http.StatusFound)
		case r.Method == "POST":
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript))
	page.WaitFor(`window.holdfast`)
	got := chrome.Script[struct {
		Code, Hint string
		Status     int
	}](page, `
		const error = await holdfast.connect(`+chrome.JS(server.URL+"/sse")+`).then(() => ({}), (error) => error);
		return { code: error.code ?? "", status: error.status ?? 0, hint: error.hint ?? "" };`)
	if got.Code != "http_error" || got.Status != 300 || got.Hint == "" {
		t.Errorf("connect ended with %+v", got)
	}
	if asked.Load() == 0 {
		t.Error("the other origin was never asked: nothing is shown")
	}
	if n := posted.Load(); n != 0 {
		t.Errorf("%d requests went where the other origin had said", n)
	}
}
