//go:build !js

package gosdk_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// client speaks just enough to see what is on the wire.
type client struct {
	t       *testing.T
	url     string
	session string
	id      int
}

func connect(t *testing.T, s *gosdk.Server) *client {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	t.Cleanup(s.Close)
	c := &client{t: t, url: web.URL}
	c.initialize()
	return c
}

func (c *client) initialize() {
	c.t.Helper()
	c.session = ""
	a := c.post("initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	c.session = a.Header.Get("Mcp-Session-Id")
	io.Copy(io.Discard, a.Body)
	c.send(c.request("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
}

func (c *client) request(method, body string) *http.Request {
	ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
	c.t.Cleanup(cancel)
	r, _ := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "http://127.0.0.1:1")
	r.Header.Set("Sec-Fetch-Site", "same-site")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	return r
}

func (c *client) send(r *http.Request) *http.Response {
	c.t.Helper()
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { a.Body.Close() })
	return a
}

func (c *client) post(method, params string) *http.Response {
	c.t.Helper()
	c.id++
	return c.send(
		c.request("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id, method,
			params)))
}

func (c *client) call(tool, args string) *http.Response {
	c.t.Helper()
	return c.post("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"progressToken":"t"}}`, tool,
		args))
}

func (c *client) resume(cursor string) *http.Response {
	c.t.Helper()
	r := c.request("GET", "")
	if cursor != "" {
		r.Header.Set("Last-Event-Id", cursor)
	}
	return c.send(r)
}

// event is one event as its lines came, and its id.
type event struct{ id, lines string }

type stream struct{ *bufio.Reader }

func read(a *http.Response) stream { return stream{bufio.NewReader(a.Body)} }

func (s stream) next() (e event, err error) {
	for {
		line, err := s.ReadString('\n')
		if err != nil {
			return event{}, err
		}
		if line == "\n" {
			return e, nil
		}
		e.lines += line
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			e.id = strings.TrimSpace(id)
		}
	}
}

func (s stream) rest() (all []event, end error) {
	for {
		e, err := s.next()
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
