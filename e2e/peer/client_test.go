//go:build !js

package peer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// client is the least that can talk to a Peer: no retries, no state but the
// session id, so that tests see every answer as it is.
type client struct {
	t       *testing.T
	url     string
	session string
	next    int
	http    *http.Client
}

type event struct{ id, name, data, retry string }

func connect(t *testing.T, p *peer.Peer) *client {
	t.Helper()
	c := &client{t: t, url: p.URL(), http: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(c.http.CloseIdleConnections)
	c.initialize()
	return c
}

func (c *client) initialize() {
	c.t.Helper()
	c.session = ""
	r := c.post(`{"jsonrpc":"2.0","id":"init-` + strconv.Itoa(c.next) + `","method":"initialize",` +
		`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	c.next++
	defer r.Body.Close()
	if r.StatusCode != 200 {
		c.t.Fatalf("initialize: %s", r.Status)
	}
	io.Copy(io.Discard, r.Body)
	c.session = r.Header.Get("Mcp-Session-Id")
	n := c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	n.Body.Close()
	if n.StatusCode != 202 {
		c.t.Fatalf("initialized: %s", n.Status)
	}
}

func (c *client) request(method, body string) *http.Request {
	ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
	c.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	return r
}

func (c *client) do(r *http.Request) *http.Response {
	c.t.Helper()
	a, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { a.Body.Close() })
	return a
}

func (c *client) post(body string) *http.Response {
	c.t.Helper()
	r := c.request("POST", body)
	r.Header.Set("Content-Type", "application/json")
	return c.do(r)
}

// call starts a tool call with the progress token "t".
func (c *client) call(tool, args string) *http.Response {
	c.t.Helper()
	c.next++
	return c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,`+
		`"arguments":%s,"_meta":{"progressToken":"t"}}}`, c.next, tool, args))
}

func (c *client) get(cursor string) *http.Response {
	c.t.Helper()
	r := c.request("GET", "")
	if cursor != "" {
		r.Header.Set("Last-Event-Id", cursor)
	}
	return c.do(r)
}

// stream reads events one by one.
type stream struct {
	lines *bufio.Reader
}

func read(r *http.Response) *stream { return &stream{bufio.NewReader(r.Body)} }

// next returns the next event that is more than comments, or why there is none.
func (s *stream) next() (event, error) {
	var e event
	seen := false
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return event{}, err
		}
		line = strings.Replace(line, "\r\n", "\n", 1)
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n" && seen:
			return e, nil
		case key == "id":
			e.id, seen = value, true
		case key == "event":
			e.name, seen = value, true
		case key == "retry":
			e.retry, seen = value, true
		case key == "data":
			e.data, seen = e.data+value, true
		}
	}
}

// rest reads events up to the end of the stream.
func (s *stream) rest() (all []event, end error) {
	for {
		e, err := s.next()
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
}

// what names an event in short: prime, p3 (progress 3), result, error.
func what(e event) string {
	var m struct {
		Result, Error json.RawMessage
		Method        string
		Params        struct{ Progress json.Number }
	}
	json.Unmarshal([]byte(e.data), &m)
	switch {
	case e.data == "":
		return "prime"
	case m.Method == "notifications/progress":
		return "p" + m.Params.Progress.String()
	case m.Method != "":
		return m.Method
	case m.Result != nil:
		return "result"
	case m.Error != nil:
		return "error"
	}
	return e.data
}

func words(es []event) string {
	var out []string
	for _, e := range es {
		out = append(out, what(e))
	}
	return strings.Join(out, " ")
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func clean(t *testing.T, p *peer.Peer) {
	t.Helper()
	for _, v := range p.Violations() {
		t.Error("violation:", v)
	}
}
