//go:build !js

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// copies stands before a server made from the official Go SDK. The connection of the first call dies before
// a byte of its answer, while the tool waits at its gate. What Chrome then sends again by itself passes,
// or is answered with words; a third request opens the gate.
type copies struct {
	*gosdk.Server
	words string // "": the server's own
	began chan struct{}
	runs  atomic.Int32
	calls atomic.Int32
}

func newCopies(t *testing.T, onePiece bool, words string) *copies {
	c := &copies{words: words, began: make(chan struct{}, 8)}
	c.Server = gosdk.New(gosdk.Options{JSON: onePiece, Logf: func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); strings.HasSuffix(line, "began") ||
			strings.HasPrefix(line, "add_note") {
			c.runs.Add(1)
			c.began <- struct{}{}
		}
	}})
	t.Cleanup(c.Close)
	c.Gate().Hold()
	return c
}

func (c *copies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !bytes.Contains(body, []byte(`"tools/call"`)) {
		c.Server.ServeHTTP(w, r)
		return
	}
	switch n := c.calls.Add(1); {
	case n == 1:
		go func() {
			defer func() { recover() }() // that the server is closed ends its answers
			c.Server.ServeHTTP(httptest.NewRecorder(), r.Clone(context.WithoutCancel(r.Context())))
		}()
		<-c.began
		panic(http.ErrAbortHandler)
	case n == 2 && c.words != "":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":%q}}`, c.words)
		return
	case n > 2:
		c.Gate().Release()
	}
	c.Server.ServeHTTP(w, r)
}

// TestFault735_TheServerHasTheCallAlready: the connection of a call dies before its answer, and Chrome
// sends the call again, with the same id. The server says that it has it already. The tool has run
// once, and the app hears that it may have; one that changes nothing is run again, once.
func TestFault735_TheServerHasTheCallAlready(t *testing.T) {
	t.Parallel()
	for _, server := range []struct {
		name     string
		onePiece bool
		words    string
	}{
		{"Go SDK in one piece", true, ""},
		{"Go SDK by a stream", false, ""},
		{"words of the Ruby SDK", true, "Conflict: Request id is already in flight for this session"},
	} {
		for _, call := range []struct {
			tool, args, want string
			runs, calls      int32
		}{
			{"add_note", `{ text: "rope", delayMs: 0 }`, "outcome_unknown false", 1, 2},
			{"slow", `{ seconds: 0 }`, "Done after 0 seconds.", 2, 3},
		} {
			for _, host := range []chrome.Host{chrome.PageHost, chrome.SharedHost} {
				t.Run(fmt.Sprint(server.name, " ", call.tool, " ", host), func(t *testing.T) {
					row(t)
					t.Parallel()
					c := newCopies(t, server.onePiece, server.words)
					site := chrome.NewSite(t)
					site.Handle("/mcp", c)
					page := appOn(t, site, "/mcp", `{ listen: false, host: `+chrome.JS(string(host))+` }`)
					got := chrome.Script[string](page, `
						await mcp.listTools();
						return mcp.callTool(`+chrome.JS(call.tool)+`, `+call.args+`).result
							.then((r) => r.content[0].text, (e) => e.code + " " + e.retryable);`)
					if runs, calls := c.runs.Load(), c.calls.Load(); got != call.want || runs != call.runs ||
						calls != call.calls {
						t.Errorf("the app has %q, of %d runs by %d requests", got, runs, calls)
					}
				})
			}
		}
	}
}

// TestFault735_DemoSaysMayHaveRun: the demo's server that answers in one piece is cut, and its page does not
// say that the call was refused.
func TestFault735_DemoSaysMayHaveRun(t *testing.T) {
	long(t)
	t.Parallel()
	for _, host := range demoHosts {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			site, page := demoAt(t, demosite.Options{}, inspectorPath+"?server=/plain&host="+host)
			site.Plain().Gate().Hold()
			runs(page, "add_note")
			eventually(t, "the note", func() bool { return len(site.Plain().Notes()) == 1 })
			press(page, selector("cut"))
			page.WaitFor(hook("call-error") + `?.dataset.code === "outcome_unknown"`)
			said := chrome.Eval[string](page, hook("call")+`.textContent`)
			if !strings.Contains(said, "The tool may have run, or may not.") ||
				strings.Contains(said, "refused") {
				t.Errorf("the card says %q", said)
			}
			if notes := site.Plain().Notes(); len(notes) != 1 {
				t.Errorf("the notes are %q", notes)
			}
		})
	}
}
