//go:build !js

package peer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// policies names the policies of a stream by the order of their tokens, and the
// rest of it as words does.
func policies(es []event) string {
	var out []string
	for _, e := range es {
		switch {
		case strings.Contains(e.data, `"requestId":"nobody"`):
			out = append(out, "foreign")
		case strings.HasSuffix(what(e), "resumePolicy"):
			out = append(out, "policy")
		default:
			out = append(out, what(e))
		}
	}
	return strings.Join(out, " ")
}

// Fault 90, and what faults 91 to 94 need.
func TestOddPolicies(t *testing.T) {
	odd := func(o ...peer.Oddity) peer.ResumePolicy { return peer.ResumePolicy{Odd: o} }
	const able, unable = `{"resumableRequests":{}}`, `{}`
	for name, tc := range map[string]struct {
		policy             peer.ResumePolicy
		revision, declared string
		want               string
	}{
		"proper":       {odd(), peer.Revision20250618, able, "policy p1 result"},
		"not declared": {odd(), peer.Revision20250618, unable, "p1 result"},
		"too old":      {odd(), peer.Revision20250326, able, "p1 result"},
		"unasked":      {odd(peer.PolicyUnasked), peer.Revision20250618, unable, "policy p1 result"},
		"foreign":      {odd(peer.PolicyForeign), peer.Revision20250618, able, "foreign policy p1 result"},
		"twice":        {odd(peer.PolicyTwice), peer.Revision20250618, able, "policy policy p1 result"},
		"late":         {odd(peer.PolicyLate), peer.Revision20250618, able, "p1 result policy"},
		"late, unasked": {odd(peer.PolicyLate, peer.PolicyUnasked), peer.Revision20250618, unable,
			"p1 result policy"},
	} {
		t.Run(name, func(t *testing.T) {
			p := peer.New(t, peer.Options{})
			p.Tool("work", peer.Script{peer.Progress(1, 0, ""), peer.Text("ok")}, peer.Resumable(tc.policy))
			got, _ := declaring(t, p, tc.revision, tc.declared).call(1, "work", `{}`).rest()
			equal(t, "stream", policies(got), tc.want)
		})
	}
	p := peer.New(t, peer.Options{})
	p.Tool("work", peer.Script{peer.Text("ok")},
		peer.Resumable(peer.ResumePolicy{Waits: `"minWait":1.5,"maxWait":"soon"`,
			Odd: []peer.Oddity{peer.PolicyTwice}, Close: peer.FIN}))
	c := resuming(t, p, peer.Revision20250618)
	s := c.call(1, "work", `{}`)
	first, _ := s.next()
	contains(t, "waits", first.data, `"minWait":1.5,"maxWait":"soon"}`)
	second := s.token(t)
	c.refused("the first token", c.ask(1, "requests/resume",
		fmt.Sprintf(`{"resumeToken":%q}`, tokenOf(first)), ""))
	got, _ := c.again(1, second, "").rest()
	equal(t, "the second token", words(got), "result")
	c.refused("no such token", c.ask(1, "requests/resume", `{"resumeToken":"x"}`, ""))
	equal(t, "no violation", len(p.Violations()), 0)
	c.refused("no such request", c.ask(9, "requests/resume", `{"resumeToken":"x"}`, ""))
	dishonest(t, p, "not that of a resumable request")
}

// Faults of the resumed stream, by POST and by GET alike.
func TestOddResumes(t *testing.T) {
	other := `p1 p2 result of 1`
	for name, tc := range map[string]struct {
		fault     peer.Fault
		post, get string
	}{
		"none":           {peer.Fault{}, "p2 p3 result of 2", "p2 p3 result of 2"},
		"behind headers": {peer.Fault{Cut: peer.FIN}, "", ""},
		"after one":      {peer.Fault{Cut: peer.Clean, After: 1}, "p2", "p2"},
		"all over again": {peer.Fault{FromStart: true}, "p1 p2 p3 result of 2",
			"notifications/requests/resumePolicy p1 p2 p3 result of 2"},
		"of another call":  {peer.Fault{Other: true}, other, other},
		"a foreign event":  {peer.Fault{Foreign: true}, "p1 p2 p3 result of 2", "p1 p2 p3 result of 2"},
		"a hole":           {peer.Fault{Skip: 1}, "p3 result of 2", "p3 result of 2"},
		"one event repeat": {peer.Fault{Repeat: 1}, "p1 p2 p3 result of 2", "p1 p2 p3 result of 2"},
	} {
		for _, post := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " post ", post), func(t *testing.T) {
				p := peer.New(t, peer.Options{})
				p.Tool("work", steps(3, 1, peer.FIN)[1:], peer.Resumable(peer.ResumePolicy{}))
				p.Tool("else", steps(2, 0, peer.None)[1:])
				p.OnResumeRequest(func(int) peer.Fault { return tc.fault })
				p.OnResume(func(int) peer.Fault { return tc.fault })
				c := resuming(t, p, peer.Revision20250618)
				c.call(1, "else", `{}`).rest()
				first, _ := c.call(2, "work", `{}`).rest()
				var got []event
				want := tc.get
				if post {
					got, _ = c.again(2, tokenOf(first[0]), "").rest()
					want = tc.post
				} else {
					got, _ = read(c.get(first[1].id)).rest()
				}
				said := words(got)
				if strings.HasSuffix(said, "result") {
					_, id, _ := strings.Cut(got[len(got)-1].data, `"id":`)
					said += " of " + id[:1]
				}
				equal(t, "stream", said, want)
			})
		}
	}
}

// Servers from which nothing can be got back, though events had their ids.
func TestNothingToResume(t *testing.T) {
	p := peer.New(t, peer.Options{NoResume: true})
	p.Counting(nil)
	c := resuming(t, p, peer.Revision20251125)
	got, _ := c.call(1, "count", `{"n":1}`).rest()
	equal(t, "ids", got[1].id != "", true)
	equal(t, "GET", c.get(got[0].id).StatusCode, 405)

	p = peer.New(t, peer.Options{})
	p.Counting(nil, peer.Resumable(peer.ResumePolicy{}))
	c = resuming(t, p, peer.Revision20251125)
	got, _ = c.call(1, "count", `{"n":1}`).rest()
	p.Restart()
	equal(t, "GET", c.get(got[0].id).StatusCode, 404)
	equal(t, "resume", c.ask(1, "requests/resume", fmt.Sprintf(`{"resumeToken":%q}`, tokenOf(got[0])),
		"").StatusCode, 404)
}

// The proposal's cursor is a header that CORS has to allow.
func TestResumeCORS(t *testing.T) {
	for _, tc := range []struct {
		cors peer.CORS
		want bool
	}{{peer.CORS2025(), false}, {peer.CORSResuming(), true}} {
		p := peer.New(t, peer.Options{CORS: tc.cors})
		c := resuming(t, p, peer.Revision20250618)
		h := c.do(c.request("OPTIONS", "")).Header
		equal(t, "allowed", strings.Contains(h.Get("Access-Control-Allow-Headers"), "Last-Event-ID"), tc.want)
	}
}
