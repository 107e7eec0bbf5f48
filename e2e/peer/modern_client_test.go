//go:build !js

package peer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// bare is a 2026-07-28 client without any state: every request is written out
// as basic/transports/streamable-http shows it.
type bare struct {
	t    *testing.T
	url  string
	next int
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}`

func modern(t *testing.T, p *peer.Peer) *bare { return &bare{t: t, url: p.URL()} }

// request builds one; params go before _meta, whose further members are extra.
func (b *bare) request(ctx context.Context, method, name, params, extra string) *http.Request {
	b.t.Helper()
	b.next++
	if params != "" {
		params += ","
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s%s}}}`, b.next, method, params,
		meta, extra)
	r, err := http.NewRequestWithContext(ctx, "POST", b.url, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	if name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	return r
}

// soon is a context that bounds one test.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func (b *bare) send(r *http.Request) *http.Response {
	b.t.Helper()
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { a.Body.Close() })
	return a
}

func (b *bare) ask(method, name, params, extra string) *http.Response {
	b.t.Helper()
	return b.send(b.request(soon(b.t), method, name, params, extra))
}

// call calls a tool with a progress token.
func (b *bare) call(tool, arguments string) *http.Response {
	b.t.Helper()
	return b.ask("tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments),
		`,"progressToken":"t"`)
}

// body is the one JSON-RPC message of a JSON answer.
func body(r *http.Response) string {
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

// code is the JSON-RPC error code in a message; 0 if there is none.
func code(message string) int {
	var m struct{ Error struct{ Code int } }
	json.Unmarshal([]byte(message), &m)
	return m.Error.Code
}

func contains(t *testing.T, what, all string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(all, part) {
			t.Errorf("%s: no %s in\n%s", what, part, all)
		}
	}
}

func dishonest(t *testing.T, p *peer.Peer, part string) {
	t.Helper()
	for _, v := range p.Violations() {
		if strings.Contains(v, part) {
			return
		}
	}
	t.Errorf("no violation with %q in %q", part, p.Violations())
}
