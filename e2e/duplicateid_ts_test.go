//go:build !js

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/tsserver"
)

// cutFirst stands before the official TypeScript server. The connection of the first call dies before a byte
// of its answer, once its tool runs; what comes then passes, or the second copy is answered with words.
type cutFirst struct {
	t      *testing.T
	server *tsserver.Server
	proxy  *httputil.ReverseProxy
	words  string
	mu     sync.Mutex
	ids    []string // of the calls that have come
}

func newCutFirst(t *testing.T, o tsserver.Options, words string) *cutFirst {
	c := &cutFirst{t: t, server: tsserver.Start(t, o), words: words}
	target, err := url.Parse(c.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c.proxy = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	c.proxy.FlushInterval = -1
	return c
}

// began reports whether a tool has run so often.
func (c *cutFirst) began(n int) bool {
	return strings.Contains(c.server.Output(), fmt.Sprint("write: run ", n))
}

// calls are the ids of the calls that have come.
func (c *cutFirst) calls() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.ids)
}

func (c *cutFirst) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(body, &m) != nil || m.Method != "tools/call" {
		c.proxy.ServeHTTP(w, r)
		return
	}
	c.mu.Lock()
	c.ids = append(c.ids, string(m.ID))
	n := len(c.ids)
	c.mu.Unlock()
	switch {
	case n == 1:
		first := r.Clone(c.t.Context())
		go func() {
			defer func() { _ = recover() }() // that the server is closed ends its answer
			c.proxy.ServeHTTP(httptest.NewRecorder(), first)
		}()
		eventually(c.t, "the first run", func() bool { return c.began(1) })
		panic(http.ErrAbortHandler)
	case n == 2 && c.words != "":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":%q}}`, c.words)
	default:
		c.proxy.ServeHTTP(w, r)
	}
}

// TestFault735_TypeScriptServer: the connection of a call dies before its answer, and Chrome sends the call
// again. The official TypeScript server makes one of its own for each request, or one for each session
// (sessionIdGenerator), and refuses nothing: it runs the tool once more. The app has the result of a run, and
// never an error of a call that ran.
func TestFault735_TypeScriptServer(t *testing.T) {
	t.Parallel()
	for _, server := range []struct {
		revision string
		stateful bool
		want     string // in a session the run that ends first has the second copy's answer
	}{
		{"2025-11-25", false, "written 2"},
		{"2026-07-28", false, "written 2"},
		{"2025-11-25", true, "written 1"},
	} {
		for _, host := range []chrome.Host{chrome.PageHost, chrome.SharedHost} {
			t.Run(fmt.Sprint(server.revision, " ", server.stateful, " ", host), func(t *testing.T) {
				row(t)
				t.Parallel()
				c := newCutFirst(t, tsserver.Options{Stateful: server.stateful}, "")
				site := chrome.NewSite(t)
				site.Handle("/mcp", c)
				page := appOn(t, site, "/mcp", `{ listen: false, revision: `+chrome.JS(server.revision)+
					`, host: `+chrome.JS(string(host))+` }`)
				chrome.Script[chrome.Void](page, `await mcp.listTools(); watch(mcp.callTool("write", {}));`)
				eventually(t, "the second copy", func() bool { return c.began(2) })
				c.server.Release()
				outcome(t, page, "")
				got, calls := chrome.Eval[string](page, `seen.result.content[0].text`), c.calls()
				if got != server.want || c.began(3) || len(calls) != 2 || calls[0] != calls[1] {
					t.Errorf("the app has %q, of requests %q", got, calls)
				}
			})
		}
	}
}

// TestFault735_TypeScriptServerBehindWords: what is in front of that server says of the second copy that its
// id is taken. Under rerun: "hinted" a tool that changes nothing is made again once, with an id of its own; any
// other ends as one whose outcome nobody knows.
func TestFault735_TypeScriptServerBehindWords(t *testing.T) {
	t.Parallel()
	for _, tool := range []struct {
		name, want string
		runs       int
	}{{"look", "written 2", 2}, {"write", "outcome_unknown", 1}} {
		for _, host := range []chrome.Host{chrome.PageHost, chrome.SharedHost} {
			t.Run(fmt.Sprint(tool.name, " ", host), func(t *testing.T) {
				row(t)
				t.Parallel()
				c := newCutFirst(t, tsserver.Options{Stateful: true}, `duplicate in-flight request ID "7"`)
				site := chrome.NewSite(t)
				site.Handle("/mcp", c)
				page := appOn(t, site, "/mcp", `{ listen: false, rerun: "hinted", host: `+
					chrome.JS(string(host))+` }`)
				chrome.Script[chrome.Void](page, `
					await mcp.listTools();
					watch(mcp.callTool(`+chrome.JS(tool.name)+`, {}));`)
				eventually(t, "the runs", func() bool {
					return c.began(tool.runs) && len(c.calls()) == tool.runs+1
				})
				c.server.Release()
				page.WaitFor(`seen.done`)
				got := chrome.Eval[string](page, `seen.result?.content[0].text ?? seen.error.code`)
				calls := c.calls()
				isAnew := tool.runs == 1 || calls[2] != calls[1]
				if got != tool.want || c.began(tool.runs+1) || calls[0] != calls[1] || !isAnew {
					t.Errorf("the app has %q, of requests %q", got, calls)
				}
			})
		}
	}
}
