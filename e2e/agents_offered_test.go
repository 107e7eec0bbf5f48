//go:build !js

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestFault738_OfferedInChrome: a page offers the lifecycle of version 2 to an agent of version 1, whose
// turns go by it where it takes that up. One that refuses initialize because of it, by a status or by an
// error, is asked once more without, and speaks version 1.
func TestFault738_OfferedInChrome(t *testing.T) {
	t.Parallel()
	const offer = `"promptLifecycle":true`
	for _, test := range []struct {
		name             string
		options          acppeer.Options
		status           int
		offered, without int32
	}{
		{"taken up", acppeer.Options{Version: 1, OptIn: "{" + offer + "}"}, 0, 1, 0},
		{"refused by a status", acppeer.Options{Version: 1}, 400, 1, 1},
		{"refused by an error", acppeer.Options{Version: 1}, 200, 1, 1},
	} {
		for _, host := range []chrome.Host{chrome.PageHost, chrome.SharedHost} {
			t.Run(fmt.Sprint(test.name, " ", host), func(t *testing.T) {
				row(t)
				t.Parallel()
				agent := acppeer.New(t, test.options)
				agent.OnPrompt(func(turn *acppeer.Turn) {
					turn.Accept()
					turn.Running()
					turn.Chunk("a1", "done")
					turn.End("end_turn", "")
				})
				var offered, without atomic.Int32
				site := chrome.NewSite(t)
				site.Handle("/acp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(bytes.NewReader(body))
					var m struct{ ID json.RawMessage }
					_ = json.Unmarshal(body, &m)
					if strings.Contains(string(body), `"initialize"`) {
						if n := strings.Count(string(body), offer); n == 0 {
							without.Add(1)
						} else if offered.Add(1); n != 2 {
							t.Errorf("offered %d times: %s", n, body)
						} else if test.status != 0 {
							w.Header().Set("Content-Type", "application/json")
							w.WriteHeader(test.status)
							fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,`+
								`"message":"unknown member _meta"}}`, m.ID)
							return
						}
					}
					agent.ServeHTTP(w, r)
				}))
				page := chrome.Open(t,
					chatPage(site, "/acp", `{ principal: "ada", host: `+chrome.JS(string(host))+` }`))
				page.WaitFor(`window.ready`)
				beginChat(page)
				say(page, "hi")
				shows(page, "done")
				if stop := ended(page); stop != "end_turn" || chrome.Eval[int](page, `agent.version`) != 1 {
					t.Errorf("the turn ended with %q", stop)
				}
				if offered.Load() != test.offered || without.Load() != test.without {
					t.Errorf("%d requests offer the lifecycle, %d do not", offered.Load(), without.Load())
				}
			})
		}
	}
}
