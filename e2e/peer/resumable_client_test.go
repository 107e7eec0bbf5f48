//go:build !js

package peer_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// resumer is a client that has declared resumableRequests.
type resumer struct {
	*client
	revision string
}

func resuming(t *testing.T, p *peer.Peer, revision string) *resumer {
	return declaring(t, p, revision, `{"resumableRequests":{}}`)
}

func declaring(t *testing.T, p *peer.Peer, revision, capabilities string) *resumer {
	t.Helper()
	c := &resumer{&client{t: t, url: p.URL(), http: &http.Client{Transport: &http.Transport{}}}, revision}
	t.Cleanup(c.http.CloseIdleConnections)
	a := c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"`+revision+
		`","capabilities":`+capabilities+`,"clientInfo":{"name":"t","version":"1"}}}`, "")
	io.Copy(io.Discard, a.Body)
	c.session = a.Header.Get("Mcp-Session-Id")
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "")
	return c
}

// send POSTs one message, with a cursor if it is not empty.
func (c *resumer) send(body, cursor string) *http.Response {
	c.t.Helper()
	r := c.request("POST", body)
	r.Header.Set("Content-Type", "application/json")
	if c.session != "" {
		r.Header.Set("Mcp-Protocol-Version", c.revision)
	}
	if cursor != "" {
		r.Header.Set("Last-Event-Id", cursor)
	}
	return c.do(r)
}

func (c *resumer) call(id int, tool, arguments string) *stream {
	c.t.Helper()
	return read(c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,`+
		`"arguments":%s,"_meta":{"progressToken":"t"}}}`, id, tool, arguments), ""))
}

// again is requests/resume, answered by an event stream.
func (c *resumer) again(id int, token, cursor string) *stream {
	c.t.Helper()
	return read(c.ask(id, "requests/resume", fmt.Sprintf(`{"resumeToken":%q}`, token), cursor))
}

// refused is requests/resume or getStatus, answered by an error.
func (c *resumer) refused(what string, r *http.Response) {
	c.t.Helper()
	equal(c.t, what+": status", r.StatusCode, 200)
	contains(c.t, what, body(r), `"error":{"code":-32602`)
}

func (c *resumer) ask(id int, method, params, cursor string) *http.Response {
	c.t.Helper()
	return c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params),
		cursor)
}

// status is requests/getStatus: "processing pending input".
func (c *resumer) status(id, of int, token string) string {
	c.t.Helper()
	all := body(c.ask(id, "requests/getStatus", fmt.Sprintf(`{"requestId":%d,"resumeToken":%q}`, of, token),
		""))
	contains(c.t, "getStatus", all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"requestId":%d,`, id, of))
	var out []string
	for _, s := range []string{"processing", "completed", "failed"} {
		if strings.Contains(all, `"status":"`+s+`"`) {
			out = append(out, s)
		}
	}
	if strings.Contains(all, `"hasPendingMessage":true`) {
		out = append(out, "pending")
	}
	if strings.Contains(all, `"hasInputRequest":true`) {
		out = append(out, "input")
	}
	return strings.Join(out, " ")
}

// token takes the policy that has to come next.
func (s *stream) token(t *testing.T) string {
	t.Helper()
	e, err := s.next()
	if err != nil || what(e) != "notifications/requests/resumePolicy" {
		t.Fatalf("no policy: %q, %v", e.data, err)
	}
	return tokenOf(e)
}

func tokenOf(e event) string {
	_, token, _ := strings.Cut(e.data, `"resumeToken":"`)
	token, _, _ = strings.Cut(token, `"`)
	return token
}

// until waits for something that the Peer shows.
func until(t *testing.T, p *peer.Peer, what string, ok func() bool) {
	t.Helper()
	if !p.Await(soon(t), ok) {
		t.Fatal("never: " + what)
	}
}

// resume is requests/resume, not sent yet.
func (c *resumer) resume(id int, token string) *http.Request {
	r := c.request("POST",
		fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"requests/resume","params":{"resumeToken":%q}}`, id,
			token))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Mcp-Protocol-Version", c.revision)
	return r
}
