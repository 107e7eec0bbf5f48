//go:build !js

// Package rawacp is a client of ACP over Streamable HTTP that does nothing by
// itself: tests of the peers say every request, and see every frame.
package rawacp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
)

// patience bounds every wait: only a real hang reaches it.
const patience = time.Minute

// A Client is one connection, once Initialize has been answered.
type Client struct {
	t    testing.TB
	url  string
	next int
	// Connection is the Acp-Connection-Id of every request; "" sends none.
	Connection string
}

// New returns a client without a connection.
func New(t testing.TB, url string) *Client { return &Client{t: t, url: url} }

// A Message is one JSON-RPC message.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
	// EventID is the id of the event that brought it.
	EventID string `json:"-"`
}

// An Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Update is the update of a session/update, and its discriminator.
func (m Message) Update() (kind string, update json.RawMessage) {
	var params struct{ Update json.RawMessage }
	var named struct{ SessionUpdate string }
	if m.Method == "session/update" {
		json.Unmarshal(m.Params, &params)
		json.Unmarshal(params.Update, &named)
	}
	return named.SessionUpdate, params.Update
}

// Do sends one HTTP request; the body is closed when the test ends.
func (c *Client) Do(ctx context.Context, method, session, body string, extra http.Header) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodGet {
		r.Header.Set("Accept", "text/event-stream")
	}
	if c.Connection != "" {
		r.Header.Set("Acp-Connection-Id", c.Connection)
	}
	if session != "" {
		r.Header.Set("Acp-Session-Id", session)
	}
	for name, values := range extra {
		r.Header[name] = values
	}
	answer, err := nodeserver.Client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func (c *Client) brief() context.Context {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	c.t.Cleanup(cancel)
	return ctx
}

// Initialize asks for a version, with elicitation advertised in the terms of
// both, and keeps the connection id.
func (c *Client) Initialize(version int) Message {
	c.t.Helper()
	answer := c.Do(c.brief(), http.MethodPost, "",
		fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%d,`+
			`"info":{"name":"raw","version":"1"},"capabilities":{"elicitation":{"form":{},"url":{}}},`+
			`"clientInfo":{"name":"raw","version":"1"},"clientCapabilities":{"elicitation":{"form":{},`+
			`"url":{}}}}}`, version), nil)
	text, _ := io.ReadAll(answer.Body)
	var m Message
	if err := json.Unmarshal(text, &m); err != nil || answer.StatusCode != http.StatusOK {
		c.t.Fatalf("initialize: %s %s", answer.Status, text)
	}
	c.Connection = answer.Header.Get("Acp-Connection-Id")
	return m
}

// Post sends a message and returns the status.
func (c *Client) Post(session, body string) int {
	c.t.Helper()
	answer := c.Do(c.brief(), http.MethodPost, session, body, nil)
	io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// Request posts a request, which has to be taken, and returns its id.
func (c *Client) Request(session, method, params string) string {
	c.t.Helper()
	c.next++
	id := fmt.Sprint(c.next)
	if status := c.Post(session, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method,
		params)); status != http.StatusAccepted {
		c.t.Fatalf("%s: %d", method, status)
	}
	return id
}

// Prompt posts session/prompt with one text and returns its id.
func (c *Client) Prompt(session, text string) string {
	c.t.Helper()
	return c.Request(session, "session/prompt",
		fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text))
}

// Respond answers a request of the agent's.
func (c *Client) Respond(session string, id json.RawMessage, result string) {
	c.t.Helper()
	if status := c.Post(session, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)); status !=
		http.StatusAccepted {
		c.t.Fatalf("the answer to %s: %d", id, status)
	}
}
