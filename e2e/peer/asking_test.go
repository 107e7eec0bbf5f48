//go:build !js

package peer_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

const said = `{"jsonrpc":"2.0","id":"a.1.q1","result":{"action":"accept","content":{"answer":"yes"}}}`

// A question that is asked while nobody is there: getStatus shows it, and the
// next stream brings it.
func TestAskedWhileAway(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Asking(peer.Resumable(peer.ResumePolicy{MaxWait: 600}))
	c, o := resuming(t, p, peer.Revision20250618), p.Oracle()
	s := c.call(1, "ask", `{"call":"a","away":true,"questions":2}`)
	token := s.token(t)
	s.rest()
	until(t, p, "asked", func() bool { return len(o.Messages("a")) == 2 && o.OpenStreams("a") == 0 })
	equal(t, "status", c.status(2, 1, token), "processing pending input")
	s = c.again(1, token, "")
	e, _ := s.next()
	contains(t, "question", e.data, `"id":"a.1.q1","method":"elicitation/create"`)
	equal(t, "taken", c.send(said, "").StatusCode, 202)
	s.rest()
	s = c.again(1, token, "")
	e, _ = s.next()
	contains(t, "question", e.data, `"id":"a.1.q2"`)
	c.send(`{"jsonrpc":"2.0","id":"a.1.q2","error":{"code":-1,"message":"no"}}`, "")
	e, _ = s.next()
	contains(t, "answers", e.data, `"structuredContent":{"answers":[{"action":"accept",`+
		`"content":{"answer":"yes"}},{"code":-1,"message":"no"}]}`)
	for _, q := range o.Questions("a") {
		equal(t, q.ID, fmt.Sprint(q.Asked, q.Written, len(q.Answers)), "1 1 1")
	}
	clean(t, p)
}

// Fault 55: the answer was taken, and nobody says so.
func TestReplyCut(t *testing.T) {
	p := peer.New(t, peer.Options{NoReuse: true})
	p.Asking()
	p.CutReplies(peer.FIN)
	c, o := resuming(t, p, peer.Revision20251125), p.Oracle()
	s := c.call(1, "ask", `{"call":"a"}`)
	s.next()
	e, _ := s.next()
	equal(t, "question", what(e), "elicitation/create")
	r := c.request("POST", said)
	r.Header.Set("Content-Type", "application/json")
	if a, err := c.http.Do(r); err == nil {
		t.Error("an answer:", a.Status)
	}
	rest, _ := s.rest()
	equal(t, "the tool goes on", words(rest), "result")
	equal(t, "sent once more", c.send(said, "").StatusCode, 202)
	clean(t, p)
	q := o.Questions("a")[0]
	equal(t, "answers", fmt.Sprint(len(q.Answers), q.Answers[0].Cut, q.Answers[1].Cut), "2 true false")
	c.send(said, "")
	dishonest(t, p, "answered twice")
}
