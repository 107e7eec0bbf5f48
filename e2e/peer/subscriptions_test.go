//go:build !js

package peer_test

import (
	"io"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

func listen(t *testing.T, p *peer.Peer, c *bare, filter string) *stream {
	t.Helper()
	before := p.Listeners()
	a := c.ask("subscriptions/listen", "", `"notifications":`+filter, "")
	equal(t, "type", a.Header.Get("Content-Type"), "text/event-stream")
	if !p.Await(soon(t), func() bool { return p.Listeners() > before }) {
		t.Fatal("nobody listens")
	}
	return read(a)
}

func TestSubscription(t *testing.T) {
	p := modernPeer(t)
	p.Resource(peer.Resource{URI: "file:///a", Name: "a"})
	c := modern(t, p)
	s := listen(t, p, c,
		`{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["file:///a"]}`)
	e, _ := s.next()
	equal(t, "ack: what the capabilities cover", e.data,
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":`+
			`{"_meta":{"io.modelcontextprotocol/subscriptionId":1},`+
			`"notifications":{"resourceSubscriptions":["file:///a"],"toolsListChanged":true}}}`)
	equal(t, "watched", p.Watched("file:///a"), true)
	equal(t, "not watched", p.Watched("file:///b"), false)
	p.Push("notifications/prompts/list_changed", "")
	p.Push("notifications/resources/updated", `{"uri":"file:///b"}`)
	p.Updated("file:///b")
	p.Push("notifications/tools/list_changed", "")
	p.Updated("file:///a")
	e, _ = s.next()
	equal(t, "first", e.data, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed",`+
		`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`)
	e, _ = s.next()
	contains(t, "second", e.data, `"method":"notifications/resources/updated"`, `"uri":"file:///a"`,
		`"io.modelcontextprotocol/subscriptionId":1`)
	p.PushMessage(`{"for":$LISTEN}`)
	e, _ = s.next()
	equal(t, "anything", e.data, `{"for":1}`)
	equal(t, "ended", p.EndListen(true), 1)
	es, err := s.rest()
	equal(t, "end", err, io.EOF)
	equal(t, "result", es[0].data, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",`+
		`"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`)
	equal(t, "none left", p.Await(soon(t), func() bool { return p.Listeners() == 0 }), true)
	clean(t, p)
}

func TestSubscriptionsThatEndBadly(t *testing.T) {
	p := modernPeer(t)
	c := modern(t, p)
	s := listen(t, p, c, `{"toolsListChanged":true}`)
	equal(t, "dropped", p.EndListen(false), 1)
	es, err := s.rest()
	equal(t, "without result", words(es), "notifications/subscriptions/acknowledged")
	equal(t, "as an error", err, io.ErrUnexpectedEOF)
	// The client hears of the end before the peer has let go of it.
	equal(t, "let go", p.Await(soon(t), func() bool { return p.Listeners() == 0 }), true)
	s = listen(t, p, c, `{}`)
	p.CancelListen()
	es, _ = s.rest()
	equal(t, "cancelled by the server", words(es),
		"notifications/subscriptions/acknowledged notifications/cancelled")
	a := c.ask("subscriptions/listen", "", `"notifications":{}`, "")
	a.Body.Close()
	equal(t, "by the client",
		p.Await(soon(t), func() bool { return p.Cancelled("subscriptions/listen") == 1 }), true)
	p.Method("subscriptions/listen", peer.Script{
		peer.Notify("notifications/tools/list_changed", ""), peer.Gate("ack"),
		peer.Ack(`{"toolsListChanged":true}`), peer.Listening(),
	})
	s = read(c.ask("subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, ""))
	e, _ := s.next()
	equal(t, "too early", what(e), "notifications/tools/list_changed")
	p.Release("ack")
	e, _ = s.next()
	equal(t, "late", what(e), "notifications/subscriptions/acknowledged")
	clean(t, p)
}

func TestTaskIDsNeedTheirExtension(t *testing.T) {
	p := modernPeer(t)
	a := modern(t, p).ask("subscriptions/listen", "", `"notifications":{"taskIds":["7"]}`, "")
	equal(t, "status", a.StatusCode, 400)
	contains(t, "what is missing", body(a), `"code":-32021`,
		`"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
	dishonest(t, p, "taskIds needs the tasks extension")
}

func TestCandidateEndsWithoutResultAndKeepsAlive(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728, Candidate: true,
		KeepAlive: 5 * time.Millisecond})
	s := listen(t, p, modern(t, p), `{}`)
	s.next()
	for line := ""; line != ": keep-alive\n"; {
		var err error
		if line, err = s.lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "ended", p.EndListen(true), 1)
	es, err := s.rest()
	equal(t, "nothing more", words(es), "")
	equal(t, "properly", err, io.EOF)
}

func TestRestartEndsModernRequests(t *testing.T) {
	p := modernPeer(t)
	s := listen(t, p, modern(t, p), `{}`)
	p.Restart()
	s.rest()
	equal(t, "none left", p.Await(soon(t), func() bool { return p.Listeners() == 0 }), true)
	equal(t, "nobody cancelled", p.Cancelled("subscriptions/listen"), 0)
}
