//go:build !js

package sdktasks_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/sdktasks"
)

// client is one session with the server.
type client struct {
	t       *testing.T
	url     string
	session string
	next    int
}

func start(t *testing.T) (*sdktasks.Server, *client) {
	s := sdktasks.Start(t)
	c := &client{t: t, url: s.URL}
	a := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	c.session = a.Header.Get("Mcp-Session-Id")
	if text := all(t, a); c.session == "" ||
		!strings.Contains(text, `"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`) {
		t.Fatalf("initialize: %s", text)
	}
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`).Body.Close()
	return s, c
}

func (c *client) post(body string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), "POST", c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { a.Body.Close() })
	return a
}

func all(t *testing.T, a *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (c *client) ask(method, params string) string {
	c.t.Helper()
	c.next++
	return all(c.t,
		c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.next, method, params)))
}

// task calls a tool as a task, and returns the task's id.
func (c *client) task(tool, arguments string) string {
	c.t.Helper()
	said := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"task":{"ttl":1000}}`, tool,
		arguments))
	found := regexp.MustCompile(`"taskId":"([^"]+)"`).FindStringSubmatch(said)
	if found == nil {
		c.t.Fatalf("%s made no task: %s", tool, said)
	}
	return found[1]
}

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: no %s in\n%s", what, part, text)
		}
	}
}

func TestWire(t *testing.T) {
	s, c := start(t)
	contains(t, "tools", c.ask("tools/list", `{}`), `"taskSupport":"forbidden"`, `"taskSupport":"optional"`,
		`"taskSupport":"required"`)
	contains(t, "optional, no task", c.ask("tools/call", `{"name":"optional","arguments":{"call":"a"}}`),
		`a is done`)
	contains(t, "required, no task", c.ask("tools/call", `{"name":"required","arguments":{"call":"b"}}`),
		"-32601", `"isError":true`)
	if s.Count("ran a") != 1 || s.Count("ran b") != 0 || s.Count("inline a") != 1 {
		t.Errorf("the log does not say so")
	}

	// The question comes on the stream of tasks/result, whose events have ids.
	id := c.task("required", `{"call":"c","ask":"Why?"}`)
	s.Wait("ran c")
	a := c.post(`{"jsonrpc":"2.0","id":"r","method":"tasks/result","params":{"taskId":"` + id + `"}}`)
	buffer, text := make([]byte, 4096), ""
	for !strings.Contains(text, "elicitation/create") {
		n, err := a.Body.Read(buffer)
		if text += string(buffer[:n]); err != nil {
			t.Fatalf("%v after %s", err, text)
		}
	}
	contains(t, "question", text, "id: ", `"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}`)
	contains(t, "status", c.ask("tasks/get", `{"taskId":"`+id+`"}`), `"status":"input_required"`)
	question := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(text)[1]
	c.post(`{"jsonrpc":"2.0","id":` + question + `,"result":{"action":"accept",` +
		`"content":{"answer":"because"},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + id +
		`"}}}}`).Body.Close()
	contains(t, "result", all(t, a), `"answer":"because"`, `c is done`)

	id = c.task("optional", `{"call":"d","fail":"error"}`)
	contains(t, "an exception", c.ask("tasks/result", `{"taskId":"`+id+`"}`), `"code":-32603`,
		"no result stored")
	contains(t, "and why", c.ask("tasks/get", `{"taskId":"`+id+`"}`), `"status":"failed"`,
		`"statusMessage":"d broke"`)

	id = c.task("optional", `{"call":"e","gate":"g"}`)
	s.Waiting("g")
	contains(t, "cancel", c.ask("tasks/cancel", `{"taskId":"`+id+`"}`), `"status":"cancelled"`)
	s.Open("g")
	s.Wait("stopped e")
	contains(t, "list", c.ask("tasks/list", `{}`), id)
}
