package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

const headerRefused = `{"what":"header_refused","header":"Last-Event-ID"}`

// serveFetches answers what the client has asked for since *served, for as long
// as the clock takes to go on by ms. fails says which requests fail.
func (r *rig) serveFetches(ms int64, fails func(x engine.ExchangeID) bool) (resumes, pings int) {
	r.t.Helper()
	served, until := r.Newest(), r.Now.After(ms)
	for {
		for served < r.Newest() {
			served++
			body := string(r.Exchange(served).Request.Body)
			if _, resume := r.field(served, "Last-Event-ID"); resume {
				resumes++
			}
			ping := strings.Contains(body, `"ping"`)
			if ping {
				pings++
			}
			switch {
			case r.Exchange(served).Over:
			case fails(served):
				r.End(served, engine.EndNetwork)
			case ping:
				r.Head(served, 200, "content-type", coretest.JSON)
				r.Chunk(served, coretest.Result(coretest.RequestID(r.Exchange(served).Request), "{}"))
				r.End(served, engine.EndClean)
			default:
				r.Head(served, 200, "content-type", coretest.Stream)
			}
		}
		d := r.NextDeadline()
		if d < 0 || r.Now.After(d) > until {
			return resumes, pings
		}
		r.Advance(d)
	}
}

// Where the server's CORS rules refuse Last-Event-ID, the
// stream of a call with a resume policy goes on without it. The app is told once,
// and a later call does not send it at all.
func TestHeaderRefused_PolicyGoesOnWithoutIt(t *testing.T) {
	r := connected(t, mcp.Config{})
	refuse := func(x engine.ExchangeID) bool { _, has := r.field(x, "Last-Event-ID"); return has }
	for n := range 3 {
		o := r.resumable("", mcp.CallOptions{})
		o.progress(1)
		o.cut(engine.EndNetwork)
		resumes, pings := r.serveFetches(60_000, refuse)
		if want := 3 * (1 - min(n, 1)); resumes != 2*want || pings != want {
			t.Errorf("call %d: %d resumes with the header, %d pings", n, resumes, pings)
		}
		o.x = o.Newest()
		o.progress(2)
		o.result("")
		o.wantProgress(1, 2)
		o.wantResult()
		o.cut(engine.EndClean)
	}
	if !slices.Equal(r.integrity, []string{headerRefused}) {
		t.Errorf("told %v", r.integrity)
	}
	r.wantIdle()
}

// Without a policy only the header continues a stream: the error names it.
func TestHeaderRefused_NoPolicy(t *testing.T) {
	r := connected(t, mcp.Config{})
	refuse := func(x engine.ExchangeID) bool { _, has := r.field(x, "Last-Event-ID"); return has }
	for range 3 {
		o := r.primed("e0")
		o.cut(engine.EndNetwork)
		r.serveFetches(60_000, refuse)
		o.wantFailure(engine.CodeOutcomeUnknown)
		if text := o.call(o.c).settled.Failure.Error(); !strings.Contains(text, "Last-Event-ID") ||
			!strings.Contains(text, "CORS") {
			t.Errorf("the error is %s", text)
		}
	}
	if !slices.Equal(r.integrity, []string{headerRefused}) || r.posted(`"ping"`) != 3 {
		t.Errorf("told %v, %d pings", r.integrity, r.posted(`"ping"`))
	}
	r.wantIdle()
}

// No outage, of whatever length, is taken for a refusal, and in a long one pings
// stay rare.
func TestHeaderRefused_NotInAnOutage(t *testing.T) {
	for length := int64(0); length < 200_000; length += 317 {
		r := connected(t, mcp.Config{})
		o := r.primed("e0")
		if length%2 == 0 {
			o.event("", policyFor(o.id, `"tok"`, ""))
		}
		o.cut(engine.EndNetwork)
		back := r.Now.After(length)
		resumes, pings := r.serveFetches(length+60_000, func(engine.ExchangeID) bool { return r.Now < back })
		if len(r.integrity) > 0 || pings > resumes/3 {
			t.Fatalf("an outage of %d ms: told %v, %d resumes, %d pings", length, r.integrity, resumes, pings)
		}
		o.x = r.UnderWay()[0]
		o.result("e1")
		o.wantResult()
	}
}

// TestFault258_OutageBetweenPings: a network that fails a few requests in a row, and none of the
// pings between them, is no proof: there may have been an outage. The call goes on.
func TestFault258_OutageBetweenPings(t *testing.T) {
	for fails := 1; fails < 6; fails++ {
		r := connected(t, mcp.Config{})
		o := r.primed("e0")
		o.cut(engine.EndNetwork)
		left := fails
		_, pings := r.serveFetches(60_000, func(x engine.ExchangeID) bool {
			_, resume := r.field(x, "Last-Event-ID")
			if resume {
				left--
			}
			return resume && left >= 0
		})
		if len(r.integrity) > 0 || pings != max(fails-2, 0) {
			t.Errorf("%d requests failed: told %v, %d pings", fails, r.integrity, pings)
			continue
		}
		o.x = r.UnderWay()[0]
		o.result("e1")
		o.wantResult()
	}
}

// What fails long after the ping was answered may be another outage's. While
// offline, and once the header has had an answer, nothing is doubted.
func TestHeaderRefused_NeedsProof(t *testing.T) {
	failing := func(engine.ExchangeID) bool { return true }
	t.Run("offline", func(t *testing.T) {
		r := connected(t, mcp.Config{})
		o := r.primed("e0")
		r.offline()
		o.cut(engine.EndNetwork)
		if _, pings := r.serveFetches(hour, failing); pings > 0 {
			t.Errorf("%d pings", pings)
		}
	})
	t.Run("answered once", func(t *testing.T) {
		r := connected(t, mcp.Config{})
		o := r.primed("e0")
		o.cut(engine.EndNetwork)
		o.resumeStarts()
		o.Head(o.x, 503)
		if _, pings := r.serveFetches(hour, failing); pings > 0 {
			t.Errorf("%d pings", pings)
		}
	})
	t.Run("late", func(t *testing.T) {
		r := connected(t, mcp.Config{})
		o := r.stream("tools/call")
		o.say("id: e0\nretry: 120000\ndata:\n\n")
		o.cut(engine.EndNetwork)
		// The server wants two minutes between attempts: too long for a proof.
		_, pings := r.serveFetches(hour,
			func(x engine.ExchangeID) bool { return r.Exchange(x).Request.Method == "GET" })
		if pings == 0 || len(r.integrity) > 0 {
			t.Errorf("%d pings, told %v", pings, r.integrity)
		}
		o.wantPending()
	})
	t.Run("ping without an answer", func(t *testing.T) {
		r := connected(t, mcp.Config{})
		o := r.primed("e0")
		o.cut(engine.EndNetwork)
		for range 4 {
			x, _ := r.nextFetch(60_000)
			if r.Exchange(x).Request.Method == "GET" {
				r.End(x, engine.EndNetwork)
			}
		}
		r.serveFetches(hour, func(x engine.ExchangeID) bool { return r.Exchange(x).Request.Method == "GET" })
		if !slices.Equal(r.integrity, []string{headerRefused}) {
			t.Errorf("told %v", r.integrity)
		}
		o.wantFailure(engine.CodeOutcomeUnknown)
	})
}

// A new session learns again: the server may have been repaired.
func TestHeaderRefused_LearnedAgain(t *testing.T) {
	r := connected(t, mcp.Config{})
	refuse := func(x engine.ExchangeID) bool { _, has := r.field(x, "Last-Event-ID"); return has }
	o := r.primed("e0")
	o.cut(engine.EndNetwork)
	r.serveFetches(60_000, refuse)
	r.post("tools/list")
	r.Head(r.Newest(), 404)
	x := r.Newest()
	r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s2")
	r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request),
		`{"protocolVersion":"2025-11-25","capabilities":{}}`))
	r.End(x, engine.EndClean)
	r.Head(r.Newest(), 202)
	for _, x := range r.UnderWay() {
		if r.Exchange(x).Request.Method == "GET" {
			r.Head(x, 405)
		}
	}
	o = r.primed("f0")
	o.cut(engine.EndNetwork)
	if from, _ := o.resume(); from != "f0" {
		t.Errorf("resumed from %q", from)
	}
}
