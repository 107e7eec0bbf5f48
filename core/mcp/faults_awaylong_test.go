package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 529: a task is cancelled while its server is away for minutes. It is cancelled there once it is back.
func TestFault529_CancelThatWaitsLong(t *testing.T) {
	o, other := taskBetweenSessions(t)
	o.cancel(o.c)
	o.store()
	began := o.Now
	for o.Now.Since(began) < 20*60_000 {
		for _, x := range o.UnderWay() {
			if strings.Contains(o.body(x), `"method":"initialize"`) {
				o.End(x, engine.EndNetwork)
			}
		}
		d := o.NextDeadline()
		if d < 0 {
			break
		}
		o.Advance(d)
		o.store()
	}
	other.nextSession("s2")
	o.store()
	o.asked("tasks/cancel", 10_000)
	if n := o.posted(`"tasks/cancel"`, `"taskId":"T"`); n != 1 {
		o.fatal("the task is cancelled %d times", n)
	}
}

// Fault 531: a question that was answered, and whose answer was taken, comes again under its event id in the
// next session. Nobody is asked again.
func TestFault531_AnsweredBeforeTheNextSession(t *testing.T) {
	o := connected(t, askingDisk).resumable("", durably)
	o.progress(1)
	o.event("e2", elicitation)
	o.store()
	o.respond()
	for _, x := range o.UnderWay() {
		if strings.Contains(o.body(x), `"action":"accept"`) {
			o.Head(x, 202)
			o.End(x, engine.EndClean)
		}
	}
	o.progress(3)
	o.store()
	o.wantAsked(1)
	o.cut(engine.EndNetwork)
	o.x = o.Newest()
	o.resumePost(`"tok"`, hour)
	o.Head(o.x, 404)
	o.nextSession("s2")
	o.resumedIn("s2")
	o.accept()
	o.progress(1)
	o.event("e2", elicitation)
	o.progress(3)
	o.store()
	o.wantAsked(1)
}

// Fault 526: a resume policy comes on a stream whose session is gone: its connection is proved again.
func TestFault526_PolicyOnAStrandedStream(t *testing.T) {
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			r := connected(t, mcp.Config{Journal: true, NoListen: true})
			r.store()
			r.Advance(5000)
			o := r.onStreamAs(mcp.CallOptions{})
			o.progress(1)
			o.store()
			if when == "before" {
				o.event("", policyFor(o.id, `"tok"`, ""))
				o.store()
			}
			r.sessionIsGone()
			o.store()
			if when == "after" {
				o.event("", policyFor(o.id, `"tok"`, ""))
				o.store()
			}
			if o.told(engine.EventGuarantee, `"resumable"`) < 1 {
				o.fatal("not resumable")
			}
			o.x = o.Newest()
			o.woke(1000)
			ms := o.resumePost(`"tok"`, hour)
			if ms > 5000 {
				o.fatal("resumed after %d ms", ms)
			}
			o.accept()
			o.event("", coretest.Progress(o.id, 7))
			o.store()
			o.Advance(60_000)
			o.event("", coretest.Progress(o.id, 8))
			o.store()
			o.woke(1000)
			ms = o.resumePost(`"tok"`, hour)
			if ms > 5000 {
				o.fatal("resumed the second time after %d ms", ms)
			}
		})
	}
}

// Fault 522: the handshake of a tab has failed, and another tab has made the session. This one takes it.
func TestFault522_AdoptedAfterAFailure(t *testing.T) {
	for _, first := range []bool{true, false} {
		r := connected(t, mcp.Config{Journal: true, NoListen: true, Tabs: true})
		r.store()
		r.Advance(5000)
		other := r.post("tools/list")
		other.Head(other.x, 404)
		session := func(n uint64) {
			r.input("session", func(m *mcp.Client, now engine.Time) { m.Restore(now, serverRow(n, "s3")) })
		}
		if first {
			session(later)
		} else {
			r.input("lease", (*mcp.Client).Handshake)
			x := r.waits("initialize")
			r.Head(x, 503, "retry-after", "600")
			r.store()
			session(later)
		}
		r.store()
		if s := r.states[len(r.states)-1]; !strings.Contains(s, "open") {
			t.Errorf("first: %t: %s", first, s)
		}
		x, ms := r.nextFetch(3_600_000)
		t.Logf("next fetch %d after %d: %s", x, ms, r.body(x))
	}
}
