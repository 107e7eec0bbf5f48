//go:build !js

package peer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// old is a client of revision 2024-11-05: one stream, and where to POST.
type old struct {
	*client
	events   *stream
	endpoint string
}

func connectOld(t *testing.T, p *peer.Peer) *old {
	t.Helper()
	o := &old{client: &client{t: t, url: p.URL(), http: http.DefaultClient}}
	o.events = read(o.get(""))
	e, err := o.events.next()
	if err != nil || e.name != "endpoint" {
		t.Fatalf("first event: %+v, %v", e, err)
	}
	o.endpoint = e.data
	return o
}

func (o *old) send(p *peer.Peer, body string) int {
	o.t.Helper()
	r, _ := http.NewRequestWithContext(soon(o.t), "POST", p.Origin()+o.endpoint, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return o.do(r).StatusCode
}

func TestHTTPWithSSE(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20241105})
	equal(t, "path", strings.HasSuffix(p.URL(), "/sse"), true)
	o := connectOld(t, p)
	equal(t, "endpoint", strings.HasPrefix(o.endpoint, "/messages?sessionId="), true)
	equal(t, "accepted", o.send(p, `{"jsonrpc":"2.0","id":1,"method":"initialize",`+
		`"params":{"protocolVersion":"2025-11-25","capabilities":{}}}`), 202)
	e, _ := o.events.next()
	equal(t, "type", e.name+e.id, "message")
	contains(t, "result", e.data, `"protocolVersion":"2024-11-05"`)
	o.send(p, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.Tool("ask", peer.Script{peer.Progress(1, 0, ""), peer.Ask(`"q"`, "ping", ""), peer.Reply(`"q"`),
		peer.Text("thanks")})
	o.send(p,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","_meta":{"progressToken":1}}}`)
	e, _ = o.events.next()
	equal(t, "progress", what(e), "p1")
	e, _ = o.events.next()
	equal(t, "request", what(e), "ping")
	o.send(p, `{"jsonrpc":"2.0","id":"q","result":{}}`)
	e, _ = o.events.next()
	equal(t, "answer", what(e), "result")
	o.send(p, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow"}}`)
	p.Waiting(peer.SlowGate)
	o.send(p, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	equal(t, "cancelled", p.Cancelled("slow"), 1)
	p.Push("notifications/tools/list_changed", "")
	e, _ = o.events.next()
	equal(t, "pushed", what(e), "notifications/tools/list_changed")
	equal(t, "cut", p.CutStreams(peer.FIN), 1)
	equal(t, "the session goes with its stream", p.Await(soon(t), func() bool { return p.Sessions() == 0 }),
		true)
	equal(t, "afterwards", o.send(p, `{"jsonrpc":"2.0","id":4,"method":"ping"}`), 404)
	clean(t, p)
}

func TestHTTPWithSSEIsWhatRemains(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20241105})
	a := modern(t, p).ask("server/discover", "", "", "")
	equal(t, "probe", a.StatusCode, 405)
	c := &client{t: t, url: p.URL(), http: http.DefaultClient}
	equal(t, "initialize", c.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`).StatusCode,
		405)
	equal(t, "delete", c.do(c.request("DELETE", "")).StatusCode, 405)
	clean(t, p)
}

func TestHostileEndpoints(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20241105, HTTPSSE: peer.HTTPSSE{
		Endpoint: "http://elsewhere.example/m?s=$SESSION", First: "data: {}\n\n", Gate: "late",
	}})
	c := &client{t: t, url: p.URL(), http: http.DefaultClient}
	s := read(c.get(""))
	e, _ := s.next()
	equal(t, "something first", e.data, "{}")
	p.Waiting("late")
	p.Release("late")
	e, _ = s.next()
	equal(t, "type", e.name, "endpoint")
	equal(t, "foreign", strings.HasPrefix(e.data, "http://elsewhere.example/m?s="), true)
	none := peer.New(t, peer.Options{Revision: peer.Revision20241105,
		HTTPSSE: peer.HTTPSSE{NoEndpoint: true}})
	c = &client{t: t, url: none.URL(), http: http.DefaultClient}
	s = read(c.get(""))
	equal(t, "open", none.Await(soon(t), func() bool { return none.Sessions() == 1 }), true)
	none.Push("notifications/tools/list_changed", "")
	e, _ = s.next()
	equal(t, "no endpoint event at all", e.name, "message")
}
