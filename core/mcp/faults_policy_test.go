package mcp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 93: "allowing servers to delete delivered messages as part of the resume
// request" (SEP-975): when it leaves, all that the app was told is on disk, and
// so is the cursor that it names.
func TestFault93_OnDiskBeforeTheServerMayForget(t *testing.T) {
	for n := range 6 {
		o := connected(t, withDisk).resumable("", durably)
		for i := 1; i <= n; i++ {
			o.progress(i) // nothing is stored meanwhile, or all of it at once
			if i%2 == 0 {
				o.store()
			}
		}
		o.cut(engine.EndNetwork)
		strict := false
		for o.posted("requests/resume") == 0 {
			if o.Store.Flying() != 0 {
				o.Stored(journal.ResultOK, 0)
				o.audit()
			} else {
				o.Advance(max(o.NextDeadline(), 0))
			}
			for _, e := range o.Effects {
				strict = strict || e.Kind == engine.Store && e.Strict
			}
		}
		if o.Store.Flying() != 0 || !strict {
			t.Errorf("%d events: resumed before a strict commit", n)
		}
		r := o.Store.Record(o.Store.Calls()[0])
		cursor, _ := o.field(o.Newest(), "Last-Event-ID")
		if int(r.Position) != n || string(r.Cursor) != cursor || n > 0 && cursor != fmt.Sprintf("e%d", n) {
			t.Errorf("%d events: %d and cursor %q are on disk, %q is sent", n, r.Position, r.Cursor, cursor)
		}
	}
}

// Fault 93: what a cut ate comes again, and is told once. That nothing is missing
// is never claimed: ids are opaque.
func TestFault93_WhatTheCutAte(t *testing.T) {
	o := connected(t, withDisk).resumable("", durably)
	o.progress(1)
	o.say("id: e2\ndata: {\"jsonrpc\"")
	o.cut(engine.EndNetwork)
	o.resumePost(`"tok"`, hour)
	o.accept()
	o.progress(1)
	o.progress(2)
	o.progress(3)
	o.result("e4")
	o.store()
	o.wantProgress(1, 2, 3)
	o.wantResult()
	if o.told(engine.EventResumed, `"proven":true`) != 0 {
		t.Error("proven by nothing")
	}
}

// Fault 93: a store that fails does not keep the call from going on.
func TestFault93_StoreFails(t *testing.T) {
	o := connected(t, withDisk).resumable("", durably)
	o.cut(engine.EndNetwork)
	o.Advance(300)
	o.Stored(journal.ResultFailed, durable.ReasonFailed)
	o.audit()
	o.resumePost(`"tok"`, hour)
	if n := o.told(engine.EventGuarantee, `"lost-on-reload"`); n != 1 {
		t.Errorf("told %d times that nothing is promised any more", n)
	}
	o.accept()
	o.result("")
	o.wantResult()
}

// Fault 94: once the server is free to have forgotten the request nothing is
// asked any more, in the page that waits, and in one that comes later.
func TestFault94_AwayForTooLong(t *testing.T) {
	o := connected(t, mcp.Config{}).resumable(`,"maxWait":600`, mcp.CallOptions{})
	o.cut(engine.EndNetwork)
	o.Now = o.Now.After(606_000) // the machine slept
	o.Advance(0)
	o.wantLost()

	for _, c := range []struct {
		away, jump int64
		lost       bool
	}{
		{600_000, 0, false},
		{605_000 + 150_000 + 180_000, 0, false}, // as late as contact may have been
		{605_000 + 150_000 + 181_000, 0, true},
		{10 * 24 * hour, 0, true},
		{10 * 24 * hour, -11 * 24 * hour, false}, // it cannot be known: the server's word decides
		{10 * 24 * hour, -8 * 24 * hour, true},
		{1_000, 24 * hour, true}, // nor can this
		{1_000, -24 * hour, false},
	} {
		o := connected(t, withDisk).resumable(`,"maxWait":600`, durably)
		o = o.reload(c.away, c.jump)
		if !c.lost {
			o.resumePost(`"tok"`, 1_000)
			continue
		}
		o.store()
		o.Advance(0)
		o.wantLost()
	}
}

// Fault 94: as long as the stream brings something the journal knows of contact,
// so a page that goes after days of it has lost nothing.
func TestFault94_ContactIsNoted(t *testing.T) {
	o := connected(t, withDisk).resumable(`,"maxWait":60`, durably)
	for range 2000 {
		o.say(": \n\n")
		o.store()
		o.Advance(30_000)
	}
	if rows := len(o.Trace); rows > 2000*8 {
		t.Errorf("%d lines: too many rows", rows)
	}
	o = o.reload(60_000, 0)
	o.resumePost(`"tok"`, 1_000)
}

// Fault 94: an outage is no contact: the attempts go on within maxWait, one of
// them late, and then the call is lost.
func TestFault94_OutageLongerThanMaxWait(t *testing.T) {
	for _, maxWait := range []int64{1, 5, 60, 600, 7200} {
		o := connected(t, mcp.Config{}).resumable(fmt.Sprintf(`,"maxWait":%d`, maxWait), mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		began, last, tries := o.Now, int64(0), 0
		for {
			x, _ := o.nextFetch(10 * hour)
			if x == 0 {
				break
			}
			tries, last = tries+1, o.Now.Since(began)
			o.End(x, engine.EndNetwork)
		}
		if least := maxWait * 1000; last < min(least, 2_000) || last > max(least, 2_000)+5_000 {
			t.Errorf("maxWait %d s: the last of %d attempts after %d ms", maxWait, tries, last)
		}
		o.wantLost()
	}
}

// Fault 87 and 94: what a server says of waiting is a number of seconds, or
// nothing. None of it makes a hot loop, or a wait that wraps.
func TestFault94_HostilePolicies(t *testing.T) {
	for _, c := range []struct {
		more        string
		least, most int64 // until the first resume
	}{
		{`,"maxWait":0`, 0, 250},
		{`,"maxWait":-1`, 0, 250},
		{`,"maxWait":0.001`, 0, 250},
		{`,"maxWait":1e-300`, 0, 250},
		{`,"maxWait":"soon"`, 0, 250},
		{`,"maxWait":null`, 0, 250},
		{`,"maxWait":[600]`, 0, 250},
		{`,"maxWait":1e12`, 0, 250},
		{`,"maxWait":1e400`, 0, 250},
		{`,"maxWait":-1e400`, 0, 250},
		{`,"maxWait":9007199254740993`, 0, 250},
		{`,"maxWait":2147483.648`, 0, 250},
		{`,"minWait":-5`, 0, 250},
		{`,"minWait":"NaN"`, 0, 250},
		{`,"minWait":true`, 0, 250},
		{`,"minWait":0.25`, 250, 500},
		{`,"minWait":1e12`, hour, hour + 250},
		{`,"minWait":1e400`, 0, hour + 250},
		{`,"minWait":1e12,"maxWait":1e12`, hour, hour + 250},
		{`,"minWait":1e12,"maxWait":0.002`, 0, 250},
		{`,"minWait":1e12,"maxWait":10`, 7_500, 10_000},
		{`,"minWait":10,"maxWait":0`, 10_000, 10_250},
		{`,"minWait":10,"minWait":1`, 0, 10_250}, // nobody knows which
	} {
		o := connected(t, mcp.Config{}).resumable(c.more, mcp.CallOptions{})
		o.cut(engine.EndNetwork)
		if waited := o.resumePost(`"tok"`, 2*hour); waited < c.least || waited > c.most {
			t.Errorf("%s: resumed after %d ms", c.more, waited)
		}
		// The server accepts and closes, again and again: a loop that it asked for.
		before, began := len(o.Exchanges()), o.Now
		for o.Now.Since(began) < hour {
			o.accept()
			o.cut(engine.EndClean)
			o.resumePost(`"tok"`, 2*hour)
		}
		if n := len(o.Exchanges()) - before; n > 2_000 {
			t.Errorf("%s: %d resumes in an hour", c.more, n)
		}
		// Parked, it is asked for no more often than once a second.
		o.park(o.c, true)
		before, began = len(o.Exchanges()), o.Now
		for o.Now.Since(began) < hour {
			x, _ := o.nextFetch(2 * hour)
			if x == 0 {
				break
			}
			o.Head(x, 200, "content-type", coretest.JSON)
			o.Chunk(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), `{"status":"processing"}`))
			o.End(x, engine.EndClean)
		}
		if n := len(o.Exchanges()) - before; n == 0 || n > 3_601 {
			t.Errorf("%s: asked for %d times in an hour", c.more, n)
		}
		o.wantPending()
	}
}

// A token goes back byte for byte as it came, whatever it holds.
func TestFault94_TokensAreOpaque(t *testing.T) {
	for _, token := range []string{
		`"a"`, `" "`, `"\u0000\u001f\r\n"`, `"\ud800"`, `"é\u00e9"`, `"\"}}"`,
		`"` + strings.Repeat("t", 8<<10-2) + `"`,
	} {
		o := connected(t, withDisk).resumable("", durably)
		o.event("", policyFor(o.id, token, ""))
		o.store()
		if n := o.Client.Counters(); n.IgnoredPolicies+n.UnreadableMessages != 0 {
			if token == `"\ud800"` {
				continue // no text in JSON at all
			}
			t.Errorf("%.40s: %+v", token, n)
			continue
		}
		o.cut(engine.EndNetwork)
		o.resumePost(token, hour)
		o = o.reload(0, 0)
		o.resumePost(token, hour)
		for _, e := range o.Effects {
			if e.Kind == engine.Deliver && bytes.Contains(e.Data, []byte(token)) {
				t.Errorf("%.40s: told", token)
			}
		}
	}
}
