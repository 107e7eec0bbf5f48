//go:build !js

package peer_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

func TestAnswersOfTheTest(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.AnswerFunc("tools/list", func(n int, _ peer.Request) *peer.Response {
		if n == 1 {
			return &peer.Response{Status: 503, Header: map[string]string{"Retry-After": "1"}}
		}
		return nil
	})
	c := connect(t, p)
	list := `{"jsonrpc":"2.0","id":"l%","method":"tools/list","params":{}}`
	equal(t, "first", c.post(strings.Replace(list, "%", "1", 1)).StatusCode, 503)
	equal(t, "second", c.post(strings.Replace(list, "%", "2", 1)).StatusCode, 200)
	for name, r := range peer.Garbage() {
		if r.Write != nil {
			continue // 64 MiB: for clients that give up
		}
		p.Answer("ping", r)
		a := c.post(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
		b, err := io.ReadAll(a.Body)
		equal(t, name+": status", a.StatusCode, max(r.Status, 200))
		if name == "short body" {
			equal(t, name, errors.Is(err, io.ErrUnexpectedEOF), true)
			continue
		}
		equal(t, name, string(b), strings.ReplaceAll(r.Body, "$ID", "5"))
	}
}

// The odd but legal opening of some 2025 servers: 202 with the result on an
// event stream and the session id in that answer's headers.
func TestInitializeAnsweredBy202AndStream(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Answer("initialize", peer.Response{
		Status: 202,
		Header: map[string]string{"Content-Type": "text/event-stream", "Mcp-Session-Id": "$SESSION"},
		Body:   "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":$RESULT}\r\n\r\n",
	})
	c := &client{t: t, url: p.URL(), http: http.DefaultClient}
	a := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`)
	b, _ := io.ReadAll(a.Body)
	equal(t, "status", a.StatusCode, 202)
	equal(t, "result", strings.Contains(string(b), `"protocolVersion":"2025-06-18"`), true)
	equal(t, "session", a.Header.Get("Mcp-Session-Id") != "", true)
	equal(t, "sessions", p.Sessions(), 1)
}

func TestWireAndCutsBeforeHeaders(t *testing.T) {
	p := peer.New(t, peer.Options{NoReuse: true})
	p.Tool("dies", peer.Script{peer.Cut(peer.Reset)}, peer.AsJSON)
	p.Tool("fails", peer.Script{peer.Respond(peer.Response{Status: 500, Body: `{"oops":$ID}`})})
	c := connect(t, p)
	r := c.request("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dies"}}`)
	r.Header.Set("Content-Type", "application/json")
	if a, err := c.http.Do(r); err == nil {
		t.Errorf("got %s", a.Status)
	}
	equal(t, "it ran", p.Ran("dies"), 1)
	equal(t, "failed after it ran", c.call("fails", "{}").StatusCode, 500)
	equal(t, "it ran", p.Ran("fails"), 1)
	p.Answer("ping", peer.Response{Wire: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"})
	b, _ := io.ReadAll(c.post(`{"jsonrpc":"2.0","id":9,"method":"ping"}`).Body)
	equal(t, "wire", string(b), "abc")
}

func TestRawCommentsSecondResponseAndCancel(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tool("odd", peer.Script{
		peer.Comment("hello"), peer.Raw("data: {\"id\":$ID}\n\n"), peer.Text("one"), peer.Text("two"),
		peer.Message(`{"jsonrpc":"2.0","id":"unknown","result":{}}`),
	})
	c := connect(t, p)
	p.Dribble(1)
	es, _ := read(c.call("odd", "{}")).rest()
	equal(t, "events", words(es), `{"id":2} result result result`)
	p.Dribble(0)
	p.Tool("quiet", peer.Script{peer.Prime(-1), peer.Silence()})
	s := read(c.call("quiet", "{}"))
	s.next()
	c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	_, err := s.next()
	equal(t, "cancelled", err, io.EOF)
	clean(t, p)
}
