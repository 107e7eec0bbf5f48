//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/requestbody"
)

// partials is a server whose tool work becomes a task, and which answers its first tasks/result with a stream
// of three partial results. That stream ends without a word, or is cut behind two of them. Its tool breaks
// ends a call with an event that is its error.
type partials struct {
	cut     chan struct{} // closed when it is to be cut; nil: it is not
	results atomic.Int32
	more    atomic.Int32 // those that name the last number
}

func (s *partials) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	_ = json.NewDecoder(r.Body).Decode(&m)
	result := func(text string) string {
		return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + text + `}`
	}
	answer := func(text string) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, result(text))
	}
	switch m.Method {
	case "initialize":
		answer(`{"protocolVersion":"2025-11-25","serverInfo":{"name":"partials","version":"1"},` +
			`"capabilities":{"tools":{},` +
			`"tasks":{"requests":{"tools":{"call":{}}},"responses":{"modes":["task","immediate",` +
			`"streaming"]}}}}`)
	case "tools/list":
		answer(`{"tools":[{"name":"work","inputSchema":{"type":"object"},` +
			`"execution":{"taskSupport":"required"}},` +
			`{"name":"breaks","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		if strings.Contains(string(m.Params), `"breaks"`) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: error\ndata: "+
				"{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32603,\"message\":\"it broke\"}}\n\n",
				m.ID)
			w.(http.Flusher).Flush()
			<-r.Context().Done() // nothing but the event ends the call
			return
		}
		answer(`{"task":{"taskId":"T","status":"working","pollInterval":250}}`)
	case "tasks/get":
		answer(`{"taskId":"T","status":"completed"}`)
	case "tasks/result":
		s.stream(w, r, string(m.Params), result, answer)
	default:
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
	}
}

func (s *partials) stream(w http.ResponseWriter, r *http.Request, params string, result func(string) string,
	answer func(string)) {
	part := func(n int) string {
		return fmt.Sprintf(`{"partial-content":[{"seqNr":%d,"type":"text","text":"s%d"}]}`, n, n)
	}
	first := s.results.Add(1) == 1
	more := strings.Contains(params, `"lastSeqNr":2`)
	switch {
	case first:
		w.Header().Set("Content-Type", "text/event-stream")
		for n := 1; n <= 3 && !(s.cut != nil && n == 3); n++ {
			fmt.Fprintf(w, "data: %s\n\n", result(part(n)))
			w.(http.Flusher).Flush()
		}
		if s.cut != nil {
			select {
			case <-s.cut:
			case <-r.Context().Done():
			}
			panic(http.ErrAbortHandler)
		}
	case more:
		s.more.Add(1)
		answer(part(3))
	default:
		answer(`{"content":[{"type":"text","text":"s1"},{"type":"text","text":"s2"},{"type":"text",` +
			`"text":"s3"}]}`)
	}
}

// TestFault741_PartialResultsInChrome: each partial result of a stream is told once, in whichever host,
// whether the stream ends behind the last one, or is cut before it and the rest is asked for by the number.
func TestFault741_PartialResultsInChrome(t *testing.T) {
	t.Parallel()
	for _, cut := range []bool{false, true} {
		for _, host := range []chrome.Host{chrome.PageHost, chrome.SharedHost} {
			t.Run(fmt.Sprint(host, " cut ", cut), func(t *testing.T) {
				row(t)
				t.Parallel()
				server := &partials{}
				if cut {
					server.cut = make(chan struct{})
				}
				page := partialsPage(t, server, host)
				chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("work", {}))`)
				if cut {
					page.WaitFor(`seen.events.filter(({ type }) => type === "segment").length === 2`)
					close(server.cut)
				}
				outcome(t, page, "")
				const told = `[seen.events.filter(({ type }) => type === "segment").map(({ seqNr }) => seqNr).join(),
					seen.result.content.map(({ text }) => text).join(), integrity.join()].join(" ")`
				if got := chrome.Eval[string](page, told); got != "1,2,3 s1,s2,s3 " {
					t.Errorf("the app is told %q", got)
				}
				more, results := int32(0), int32(2) // the last one for the whole result
				if cut {
					more, results = 1, 3
				}
				if server.more.Load() != more || server.results.Load() != results {
					t.Errorf("the result is asked for %d times, %d by the number", server.results.Load(),
						server.more.Load())
				}
			})
		}
	}
}

// TestFault742_AnErrorEventInChrome: an event that is the error of the call ends it, on a stream that stays
// open.
func TestFault742_AnErrorEventInChrome(t *testing.T) {
	t.Parallel()
	for _, host := range []chrome.Host{chrome.PageHost, chrome.SharedHost} {
		t.Run(string(host), func(t *testing.T) {
			row(t)
			t.Parallel()
			page := partialsPage(t, &partials{}, host)
			got := chrome.Script[failure](page, `return attempt(() => mcp.callTool("breaks", {}).result);`)
			if got.Code != "rpc_error" || !strings.Contains(got.Message, "it broke") {
				t.Errorf("the call ends with %+v", got)
			}
		})
	}
}

func partialsPage(t *testing.T, server *partials, host chrome.Host) *chrome.Page {
	site := chrome.NewSite(t)
	site.Handle("/mcp", requestbody.Whole(server))
	page := appOn(t, site, "/mcp", `{ listen: false, principal: "ada", host: `+chrome.JS(string(host))+` }`)
	chrome.Script[chrome.Void](page, `await mcp.listTools()`)
	return page
}
