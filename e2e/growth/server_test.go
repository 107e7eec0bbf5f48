//go:build !js

package growth

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// eventsEach is how many progress events of about 200 bytes each call has.
const eventsEach = 10

// streamsAtOnce is how many streams Chrome opens on one HTTP/2 connection. More
// calls than that are under way all the same, with requests that the browser holds.
const streamsAtOnce = 256

// origin serves the built module and, beside it, an MCP server, over HTTP/2: of
// HTTP/1.1 a browser opens six connections, and no more calls could be streamed.
// Calls of the tool "work" get their events at once and their result when the
// gate is opened.
type origin struct {
	*httptest.Server
	dist string

	mu   sync.Mutex
	gate chan struct{}
	open int // calls that wait at the gate
}

func newOrigin(tb testing.TB) *origin {
	root, err := moduleroot.Find()
	if err != nil {
		tb.Fatal(err)
	}
	o := &origin{dist: filepath.Join(root, "web", "dist"), gate: make(chan struct{})}
	// The gate has an origin of its own: of a thousand calls at the other one those
	// that the browser holds back are in front of whatever comes later.
	gates := httptest.NewServer(http.HandlerFunc(o.wait))
	tb.Cleanup(gates.Close)
	routes := http.NewServeMux()
	routes.HandleFunc("/mcp", o.mcp)
	routes.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w,
			`<!doctype html><link rel="icon" href="data:,"><script type="module" src="/growth.mjs"></script>`)
	})
	routes.HandleFunc("/growth.mjs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "const GATE = %q;%s", gates.URL, pageScript)
	})
	routes.HandleFunc("/", o.file)
	o.Server = httptest.NewUnstartedServer(routes)
	o.EnableHTTP2 = true
	o.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 2_000}
	o.Config.ErrorLog = log.New(io.Discard, "", 0) // the browser refuses the certificate once
	o.StartTLS()
	tb.Cleanup(func() {
		o.CloseClientConnections()
		o.Close()
	})
	return o
}

func (o *origin) file(w http.ResponseWriter, r *http.Request) {
	content, err := os.ReadFile(filepath.Join(o.dist, filepath.Base(r.URL.Path)))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	kind := "text/javascript"
	if strings.HasSuffix(r.URL.Path, ".wasm") {
		kind = "application/wasm"
	}
	w.Header().Set("Content-Type", kind)
	w.Write(content)
}

// wait answers once as many calls as asked for are at the gate; with open set, it
// lets them and all later ones through, until the next wait closes it again.
func (o *origin) wait(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.URL.Query().Has("open") {
		close(o.gate)
		return
	}
	if r.URL.Query().Has("close") {
		o.gate, o.open = make(chan struct{}), 0
		return
	}
	fmt.Fprint(w, o.open)
}

func (o *origin) mcp(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Meta struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		}
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"growth",` +
		`"version":"1"}}`
	switch {
	case len(m.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "initialize":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	case m.Method == "tools/call":
		o.call(w, r, m.ID, m.Params.Meta.Token)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
	}
}

func (o *origin) call(w http.ResponseWriter, r *http.Request, id, token json.RawMessage) {
	w.Header().Set("Content-Type", "text/event-stream")
	fill := strings.Repeat("x", 90)
	for n := 1; n <= eventsEach; n++ {
		fmt.Fprintf(w, "id: %s-%d\ndata: "+
			"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%d,\"message\":\"%s\"}}\n\n", id, n, token, n, fill)
		w.(http.Flusher).Flush()
	}
	o.mu.Lock()
	o.open++
	gate := o.gate
	o.mu.Unlock()
	select {
	case <-gate:
		fmt.Fprintf(w, "id: %s-last\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n",
			id, id)
	case <-r.Context().Done():
	}
}
