//go:build !js

package peer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// mounted serves a Peer among other things, and connects a client to it.
func mounted(t *testing.T) (*peer.Peer, *client) {
	t.Helper()
	p := peer.Mounted(peer.Options{Path: "/there", Title: "There"})
	mux := http.NewServeMux()
	mux.Handle("/there", p)
	web := httptest.NewServer(mux)
	t.Cleanup(func() {
		p.Close()
		web.Close()
	})
	c := &client{t: t, url: web.URL + "/there", http: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(c.http.CloseIdleConnections)
	c.initialize()
	return p, c
}

// TestMountedKeepsItsOwnTime: a script waits for the server's clock, which goes on
// when it is told to.
func TestMountedKeepsItsOwnTime(t *testing.T) {
	p, c := mounted(t)
	begun := p.Now()
	p.Tool("wait", peer.Script{
		peer.Open(), peer.Until(begun.Add(30 * time.Minute)), peer.Progress(1, 2, ""),
		peer.Until(begun.Add(time.Hour)), peer.Text("an hour later"),
	})
	s := read(c.call("wait", "{}"))
	p.Advance(31 * time.Minute)
	if e, err := s.next(); what(e) != "p1" {
		t.Fatalf("half an hour later: %v %v", e, err)
	}
	p.Advance(30 * time.Minute)
	all, _ := s.rest()
	equal(t, "an hour later", words(all), "result")
	equal(t, "runs", p.Ran("wait"), 1)
	clean(t, p)
}

// TestMountedConcludes: a script makes its result of what the client replies.
func TestMountedConcludes(t *testing.T) {
	p, c := mounted(t)
	p.Tool("ask", peer.Script{
		peer.Open(), peer.Ask(`"q"`, "elicitation/create",
			`{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{}}}`),
		peer.Conclude(`"q"`, func(reply json.RawMessage) string {
			return fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, reply)
		}),
	})
	s := read(c.call("ask", "{}"))
	if e, err := s.next(); what(e) != "elicitation/create" {
		t.Fatalf("it asks: %v %v", e, err)
	}
	equal(t, "the reply", c.post(`{"jsonrpc":"2.0","id":"q","result":{"action":"decline"}}`).StatusCode, 202)
	e, err := s.next()
	if err != nil || !strings.Contains(e.data, `{\"action\":\"decline\"}`) {
		t.Errorf("the result is %v %v", e, err)
	}
}

// TestMountedRestarts: sessions are forgotten, and nothing listens on a port of
// the Peer's own.
func TestMountedRestarts(t *testing.T) {
	p, c := mounted(t)
	p.Restart()
	equal(t, "its connections", p.OpenConnections(), 0)
	equal(t, "the old session", c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).StatusCode, 404)
	c.initialize()
	equal(t, "a new one", c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).StatusCode, 200)
}
