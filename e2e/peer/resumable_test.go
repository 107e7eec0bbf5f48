//go:build !js

package peer_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// The life of a resumable request, from its policy to its response, as the
// sequence diagram of SEP-975 draws it.
func TestResumableLife(t *testing.T) {
	for _, revision := range []string{peer.Revision20250618, peer.Revision20251125} {
		t.Run(revision, func(t *testing.T) {
			p := peer.New(t, peer.Options{})
			p.Counting(nil, peer.Resumable(peer.ResumePolicy{MinWait: 1, MaxWait: 600, Close: peer.Clean}))
			c, o := resuming(t, p, revision), p.Oracle()
			s := c.call(7, "count", `{"call":"a","n":3,"gate":"g"}`)
			first, _ := s.next()
			contains(t, "policy", first.data, `"requestId":7,"resumeToken":"resume-`,
				`"minWait":1,"maxWait":600}`)
			token := tokenOf(first)
			rest, _ := s.rest()
			equal(t, "closed behind the policy", len(rest), 0)
			p.Waiting("g")
			equal(t, "at first", c.status(8, 7, token), "processing")
			p.Pass("g")
			until(t, p, "one", func() bool {
				return slices.ContainsFunc(o.Messages("a"), func(e peer.Entry) bool { return e.Seq == 1 })
			})
			equal(t, "with a message", c.status(9, 7, token), "processing pending")
			s = c.again(7, token, "")
			one, _ := s.next()
			equal(t, "undelivered", what(one), "p1")
			p.Release("g")
			rest, _ = s.rest()
			equal(t, "live", words(rest), "p2 p3 result")
			contains(t, "under the same id", rest[2].data, `"id":7,`)
			equal(t, "runs", o.Runs("a"), 1)
			equal(t, "at once", o.MaxOpenStreams("a"), 1)
			equal(t, "tokens", len(o.Tokens("a")), 1)
			equal(t, "statuses", len(o.Statuses("a")), 2)
			equal(t, "resumes", len(o.Resumes("a")), 1)
			equal(t, "requests", len(o.Requests("a")), 4)
			c.refused("delivered", c.ask(7, "requests/resume", fmt.Sprintf(`{"resumeToken":%q}`, token), ""))
			clean(t, p)
		})
	}
}

func TestResumableEnds(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600, Close: peer.FIN}))
	c, o := resuming(t, p, peer.Revision20250618), p.Oracle()
	token := c.call(1, "count", `{"call":"ok","n":1}`).token(t)
	until(t, p, "the result", func() bool { return len(o.Messages("ok")) == 3 })
	equal(t, "completed", c.status(2, 1, token), "completed pending")
	token = c.call(3, "count", `{"call":"bad","n":0,"fail":true}`).token(t)
	until(t, p, "the error", func() bool { return len(o.Messages("bad")) == 2 })
	equal(t, "failed", c.status(4, 3, token), "failed pending")
	rest, _ := c.again(3, token, "").rest()
	equal(t, "error", words(rest), "error")
}

// schema.json: maxWait, and that getStatus and resume start it over.
func TestResumableExpiry(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600, Close: peer.FIN}))
	c, o := resuming(t, p, peer.Revision20250618), p.Oracle()
	token := c.call(1, "count", `{"call":"a","n":1,"gate":"g"}`).token(t)
	until(t, p, "gone", func() bool { return o.OpenStreams("a") == 0 })
	p.Advance(500 * time.Second)
	equal(t, "in time", c.status(2, 1, token), "processing")
	p.Advance(500 * time.Second)
	equal(t, "in time again", c.status(3, 1, token), "processing")
	p.Advance(600 * time.Second)
	c.refused("resume", c.ask(1, "requests/resume", fmt.Sprintf(`{"resumeToken":%q}`, token), ""))
	c.refused("getStatus", c.ask(4, "requests/getStatus",
		fmt.Sprintf(`{"requestId":1,"resumeToken":%q}`, token), ""))
	p.Release("g")
	equal(t, "cancelled", len(o.Produced("a")), 0)
	equal(t, "why", o.Resumes("a")[0].Refused, "expired: nobody came within maxWait")
	if waited := o.Resumes("a")[0].Waited; waited < 1600*time.Second {
		t.Errorf("waited %v", waited)
	}

	p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600, Lapse: time.Millisecond}))
	s := c.call(5, "count", `{"call":"b","n":1,"gate":"h"}`)
	token = s.token(t)
	p.Advance(time.Hour)
	equal(t, "not while connected", c.status(6, 5, token), "processing")
	p.CutStreams(peer.FIN)
	until(t, p, "lapsed", func() bool { return o.Over("b") != "" })
	c.refused("lapsed", c.ask(5, "requests/resume", fmt.Sprintf(`{"resumeToken":%q}`, token), ""))
}

// What the server still has: "there is no expectation for servers to retain
// messages that have been confirmed delivered".
func TestResumableKeeping(t *testing.T) {
	for _, tc := range []struct {
		keeps      peer.Keeping
		bare, with string
	}{
		{peer.Unwritten, "p3 p4 result", "p3 p4 result"},
		{peer.Unconfirmed, "p1 p2 p3 p4 result", "p2 p3 p4 result"},
		{peer.Everything, "p1 p2 p3 p4 result", "p1 p2 p3 p4 result"},
	} {
		for _, cursor := range []bool{false, true} {
			t.Run(fmt.Sprint(tc.keeps, cursor), func(t *testing.T) {
				p := peer.New(t, peer.Options{})
				p.Tool("work", peer.Script{
					peer.Progress(1, 0, ""), peer.Eaten(peer.Progress(2, 0, ""), peer.FIN),
					peer.Progress(3, 0, ""), peer.Progress(4, 0, ""), peer.Text("all"),
				}, peer.Resumable(peer.ResumePolicy{Keeps: tc.keeps}))
				c := resuming(t, p, peer.Revision20250618)
				s := c.call(1, "work", `{}`)
				token := s.token(t)
				got, _ := s.rest()
				equal(t, "first", words(got), "p1")
				want, last := tc.bare, ""
				if cursor {
					want, last = tc.with, got[0].id
				}
				got, _ = c.again(1, token, last).rest()
				equal(t, "resumed", words(got), want)
				clean(t, p)
			})
		}
	}
}

// The reviewer's question: "what if a request is resumed twice?"
func TestResumedTwice(t *testing.T) {
	for _, second := range []peer.Doubling{peer.DropFirst, peer.RefuseSecond} {
		p := peer.New(t, peer.Options{})
		p.Counting(nil, peer.Resumable(peer.ResumePolicy{Second: second, Close: peer.FIN}))
		c, o := resuming(t, p, peer.Revision20250618), p.Oracle()
		token := c.call(1, "count", `{"call":"a","n":2,"gate":"g"}`).token(t)
		first := c.again(1, token, "")
		p.Pass("g")
		one, _ := first.next()
		equal(t, "first", what(one), "p1")
		if second == peer.RefuseSecond {
			c.refused("second", c.ask(1, "requests/resume", fmt.Sprintf(`{"resumeToken":%q}`, token), ""))
			p.Release("g")
			rest, _ := first.rest()
			equal(t, "first goes on", words(rest), "p2 result")
			equal(t, "at once", o.MaxOpenStreams("a"), 1)
			continue
		}
		two := c.again(1, token, "")
		if _, err := first.next(); err == nil {
			t.Error("the first stream lives")
		}
		p.Release("g")
		rest, _ := two.rest()
		equal(t, "second goes on", words(rest), "p2 result")
		equal(t, "at once", o.MaxOpenStreams("a"), 2)
		equal(t, "runs", o.Runs("a"), 1)
	}
}

func TestResumeWithNewTokens(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Counting(nil, peer.Resumable(peer.ResumePolicy{NewTokens: true, Close: peer.FIN}))
	c, o := resuming(t, p, peer.Revision20250618), p.Oracle()
	old := c.call(1, "count", `{"call":"a","n":1,"gate":"g"}`).token(t)
	p.OnResumeRequest(func(n int) peer.Fault {
		return []peer.Fault{{}, {NoAnswer: true}, {Cut: peer.FIN}, {}, {}}[n]
	})
	if _, err := c.http.Do(c.resume(1, old)); err == nil {
		t.Error("an answer, although there is none")
	}
	got, _ := c.again(1, old, "").rest()
	equal(t, "cut before its first byte", len(got), 0)
	s := c.again(1, old, "")
	fresh := s.token(t)
	equal(t, "another", fresh != old, true)
	c.refused("the old one", c.ask(1, "requests/resume", fmt.Sprintf(`{"resumeToken":%q}`, old), ""))
	equal(t, "issued", len(o.Tokens("a")), 2)
	s = c.again(1, fresh, "")
	s.token(t)
	p.Release("g")
	got, _ = s.rest()
	equal(t, "rest", words(got), "p1 result")
}

// A token belongs to its request and to no session: a server may keep the call when
// its session has gone, for whoever comes with the token in another one.
func TestResumedInTheNextSession(t *testing.T) {
	for _, outlives := range []bool{true, false} {
		t.Run(fmt.Sprint(outlives), func(t *testing.T) {
			p := peer.New(t, peer.Options{})
			p.Counting(nil, peer.Resumable(peer.ResumePolicy{Outlives: outlives}))
			c, o := resuming(t, p, peer.Revision20251125), p.Oracle()
			s := c.call(7, "count", `{"call":"a","n":4,"gate":"g"}`)
			token := s.token(t)
			p.Pass("g")
			_, _ = s.next() // the priming event
			one, _ := s.next()
			equal(t, "in its session", what(one), "p1")
			p.Expire()
			_, err := s.next()
			equal(t, "its stream ends", err != nil, true)

			next := resuming(t, p, peer.Revision20251125)
			if !outlives {
				next.refused("resume", next.ask(7, "requests/resume",
					fmt.Sprintf(`{"resumeToken":%q}`, token), one.id))
				return
			}
			next.refused("another token", next.ask(7, "requests/resume", `{"resumeToken":"resume-other"}`,
				""))
			equal(t, "status", next.status(8, 7, token), "processing")
			p.Pass("g")
			until(t, p, "two", func() bool { return len(o.Produced("a")) == 2 })
			s = next.again(7, token, one.id)
			two, _ := s.next()
			equal(t, "undelivered", what(two), "p2")
			p.Release("g")
			rest, _ := s.rest()
			equal(t, "live", words(rest), "p3 p4 result")
			equal(t, "runs", o.Runs("a"), 1)
			p.Expire()
			third := resuming(t, p, peer.Revision20251125)
			equal(t, "after its end", third.status(9, 7, token), "completed")
		})
	}
}
