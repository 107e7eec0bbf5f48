package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

const day = 24 * 3_600_000

// until plays on until cond holds.
func (j *journey) until(what string, cond func() bool) {
	j.t.Helper()
	for range 500 {
		if cond() {
			return
		}
		if !j.tick() {
			break
		}
	}
	if !cond() {
		j.fatal("it never comes to this: %s", what)
	}
}

// stops lets no further commit land.
func (j *journey) stops() { j.lag = 1 << 30 }

// has reports whether the page has had n progress events.
func (j *journey) has(n int) func() bool {
	return func() bool { return j.errands[0].page.last.n >= n }
}

// ends plays to the end and wants that outcome.
func (j *journey) ends(want string) {
	j.t.Helper()
	if got := j.finishes(); got != want {
		j.fatal("the call ends as %s, want %s", got, want)
	}
}

// Fault 22: an id names one request for ever: over many pages, with calls that
// are resumed under their old ids, none is given twice. (life.auditFetch checks
// every request.)
func TestFault22_IDsOverReloads(t *testing.T) {
	j := newJourney(t, 0, 0, 1<<20)
	j.until("the first event", j.has(1))
	for range 200 {
		j.reloadAs(true, true)
		for range 3 {
			j.call(&errand{total: 1, ids: true})
		}
		for n := 0; n < 8; n++ {
			j.tick()
		}
		j.lag = j.rng.IntN(3)
	}
	if n := len(j.bodies); n < 500 {
		j.fatal("no more than %d ids were given", n)
	}
	if e := j.errands[0]; len(e.runs) != 1 || e.record != 1<<24+2 {
		j.fatal("the first call is %d, with %d runs", e.record, len(e.runs))
	}
}

// Fault 35: a POST whose connection fails before the head has an unknown
// outcome, which is stored: no later page tries again, unless the tool allows it.
func TestFault35_CutBeforeTheHead(t *testing.T) {
	for _, flags := range []journal.Flags{0, journal.Idempotent} {
		for _, ran := range []bool{false, true} {
			j := newJourney(t, flags, 1, 1<<20)
			e := j.errands[0]
			sent := func() bool { return e.page.x != 0 }
			j.until("the POST", sent)
			if ran {
				j.run(e, coretest.RequestID(j.Exchange(e.page.x).Request))
			}
			e.unsure = true
			j.waiting = nil
			j.End(e.page.x, engine.EndNetwork)
			if flags != 0 {
				j.ends("result")
				continue
			}
			j.until("its outcome", func() bool { return e.page.settled != nil })
			posts := len(j.bodies)
			for range 3 {
				j.reloadAs(false, false)
				if s := e.page.settled; s == nil || s.Failure == nil ||
					s.Failure.Code != engine.CodeOutcomeUnknown {
					j.fatal("the next page does not know that the outcome is unknown")
				}
			}
			if len(j.bodies) != posts {
				j.fatal("something was sent again")
			}
			j.ends("outcome_unknown")
		}
	}
}

// Fault 42: what a replay holds of other streams is dropped and told, and is
// not stored as this call's.
func TestFault42_ReplayOfAnotherStreamIsNotStored(t *testing.T) {
	j := newJourney(t, 0, 0, 1<<20)
	e := j.errands[0]
	j.until("two events", j.has(2))
	j.reloadAs(true, true)
	j.until("the replay", func() bool { return e.page.x != 0 && j.Exchange(e.page.x).Head })
	before := j.shelf.calls[e.record].Position
	j.Chunk(e.page.x, coretest.Message("", coretest.Progress("99", 1))+
		coretest.Message("", coretest.Result("99", `{"content":["another's"]}`)))
	if j.Client.Counters().UnknownResponses != 1 || j.Client.Counters().LateProgress != 1 {
		j.fatal("it is not counted: %+v", j.Client.Counters())
	}
	for j.Store.Flying() != 0 {
		j.stored(journal.ResultOK, 0)
	}
	if after := j.shelf.calls[e.record].Position; after != before {
		j.fatal("%d events of another stream's are stored", after-before)
	}
}

// Fault 53: killed between commit and callback, an event or an outcome comes
// from the store; killed before its acknowledgement is stored, again; after
// that, no more.
func TestFault53_RedeliveredUntilAcknowledged(t *testing.T) {
	j := newJourney(t, 0, 0, 1<<20)
	e := j.errands[0]
	j.stopsBefore("outcome")
	posts := len(j.bodies)
	j.reloadAs(true, true) // landed, and the page never told its app
	if s := e.page.settled; s == nil || s.Outcome != engine.OutcomeResult || e.page.last.n != e.total {
		j.fatal("the outcome that was stored is not told")
	}
	j.ack(e, 0)
	j.reloadAs(false, true) // the acknowledgement did not land
	if s := e.page.settled; s == nil || s.Outcome != engine.OutcomeResult {
		j.fatal("what was not acknowledged is not told again")
	}
	if len(j.bodies) != posts {
		j.fatal("the server was asked for what is stored")
	}
	j.ack(e, 0)
	j.reloadAs(true, true)
	if e.page != nil {
		j.fatal("what was acknowledged comes back")
	}
}

// stopsBefore plays until a commit that holds such an entry is under way.
func (j *journey) stopsBefore(entry string) {
	j.t.Helper()
	lag := j.lag
	j.lag = 1
	j.until(entry+" is being stored", func() bool {
		if j.Store.Flying() == 0 {
			return false
		}
		for i := len(j.Trace) - 1; i >= 0; i-- {
			if strings.HasPrefix(j.Trace[i], "  store ") {
				return strings.Contains(j.Trace[i], entry)
			}
		}
		return false
	})
	j.lag = lag
}

// Fault 54: killed after the POST has left and before anything that came of it
// is stored: the outcome is unknown, nothing runs again by itself, and what may
// be run again is.
func TestFault54_KilledAfterThePOST(t *testing.T) {
	for _, flags := range []journal.Flags{0, journal.ReadOnly, journal.Idempotent, journal.RerunAlways} {
		for _, arrived := range []bool{false, true} {
			j := newJourney(t, flags, 0, 1<<20)
			e := j.errands[0]
			j.until("the POST", func() bool { return e.page.x != 0 && j.Store.Flying() == 0 })
			j.reloadAs(false, arrived)
			if e.page == nil {
				j.fatal("the new page is not told of the call")
			}
			if flags == 0 {
				j.ends("outcome_unknown")
			} else {
				j.ends("result")
			}
			if runs := len(e.runs); flags == 0 && runs > 1 || flags != 0 && runs == 0 {
				j.fatal("the tool has run %d times", runs)
			}
		}
	}
}

// Fault 55: killed between a person's answer and its POST, or between that and
// its 202, the answer is sent again, the same, and the person is not asked.
func TestFault55_AnswerSurvives(t *testing.T) {
	for _, arrived := range []bool{false, true} {
		j := newJourney(t, 0, 0, 1<<20)
		j.stopsBefore("answer")
		asked := j.shelf.strict
		if !asked {
			j.fatal("the answer is not stored strictly")
		}
		for range 3 {
			j.reloadAs(true, arrived)
			j.until("the answer is sent", func() bool { return j.posted(`"id":"q0.0","result"`) })
			if len(j.prompts) > 0 {
				j.fatal("the person is asked again")
			}
		}
		j.ends("result")
	}
	// Taken, and that is stored: it is not sent any more.
	{
		j := newJourney(t, 0, 0, 1<<20)
		j.stopsBefore("taken")
		j.reloadAs(true, true)
		e := j.errands[0]
		j.until("the reconnect", func() bool { return e.page.x != 0 })
		j.ends("result")
		if strings.Count(j.Log(), `"id":"q0.0","result"`) != 1 {
			j.fatal("the answer is sent again although the server has taken it")
		}
	}
	// Not stored, it is asked for again.
	j := newJourney(t, 0, 0, 1<<20)
	j.stopsBefore("answer")
	j.reloadAs(false, false)
	j.until("the question", func() bool { return len(j.prompts) == 1 })
	j.ends("result")
}

// An answer that waits to be sent again when the session is lost belongs to
// nobody any more: it is dropped, and no timer is left behind.
func TestFault55_ReplyToALostSession(t *testing.T) {
	j := newJourney(t, 0, 0, 1<<20)
	j.stopsBefore("answer")
	j.stored(journal.ResultOK, 0)
	j.Head(j.Newest(), 503)
	j.call(&errand{flags: journal.ReadOnly, total: 1, ids: true})
	j.Head(j.Newest(), 404) // a second handshake has to wait, and the answer is due before it
	j.Advance(30_000)       // ends the test where a deadline stays in the past
	n := 0
	for _, e := range j.Exchanges() {
		if strings.Contains(string(e.Request.Body), `"id":"q0.0","result"`) {
			n++
		}
	}
	if n != 1 {
		j.fatal("the answer is sent %d times", n)
	}
}

// A call that the app has let go of, and whose session is then lost, is run again
// like any other: nobody is left to take up a stream that is gone.
func TestFault54_ParkedAndRunAgain(t *testing.T) {
	j := newJourney(t, journal.Idempotent, 0, 1<<20)
	e := j.errands[0]
	j.until("an event", func() bool { return j.has(1)() && j.resumable(e) })
	j.input("park", func(m *mcp.Client, now engine.Time) { m.Park(now, e.page.c, true) })
	j.forget()
	j.call(&errand{total: 1, ids: true}) // finds out
	j.until("the second run", func() bool { return len(e.runs) == 2 && e.page.last.run == e.runs[1].number })
	x := e.page.x
	j.wires = nil
	j.End(x, engine.EndNetwork)
	j.until("the reconnect", func() bool { return e.page.x != x })
	j.ends("result")
}

// Fault 73: a run in another session may get the ids that the one before had: its
// cursor is stored all the same, though it looks like the one that is stored.
func TestFault73_SameIDInAnotherSession(t *testing.T) {
	w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
	w.Handshake("2025-11-25")
	w.Stored(journal.ResultOK, 0)
	land := func() (x engine.ExchangeID) {
		for w.Store.Flying() != 0 {
			w.Stored(journal.ResultOK, 0)
			for _, y := range w.Fetches() {
				x = y
			}
		}
		return x
	}
	w.Advance(60_000)
	w.Call("tools/call", `{"name":"put"}`, mcp.CallOptions{Durable: true, Flags: journal.Idempotent})
	x := land()
	primed := func() {
		w.Head(x, 200, "content-type", coretest.Stream)
		w.Chunk(x, "id: 1\nretry: 10\ndata:\n\n")
		land()
	}
	primed()
	w.End(x, engine.EndNetwork)
	w.Advance(1_000)
	w.Head(w.Fetched(), 404) // the session is gone: a new one, and the call runs again
	w.End(w.AnswerInitialize(w.Fetched(), "2025-11-25", "s2"), engine.EndClean)
	w.Advance(1_000)
	x = land()
	primed()
	w.Reload()
	w.Start()
	w.Advance(0)
	if xs := w.Fetches(); len(xs) != 1 || header(w.Request(xs[0]), "Last-Event-ID") != "1" {
		t.Fatalf("the second run is not resumed\n%s", w.Log())
	}
}

// posted reports whether the page has POSTed such a text.
func (j *journey) posted(text string) bool {
	for _, e := range j.Exchanges() {
		if e.Request.Method == "POST" && strings.Contains(string(e.Request.Body), text) {
			return true
		}
	}
	return false
}

// Fault 56: a page that comes back after the server has dropped the session gets
// what was stored, and the reason; after a month without an end the record is
// collected, a finished one after a week.
func TestFault56_ComesBackTooLate(t *testing.T) {
	j := newJourney(t, 0, 0, 1<<20)
	e := j.errands[0]
	j.until("an event",
		func() bool { r := j.shelf.calls[e.record]; return r != nil && r.Position == 1 && len(r.Cursor) > 0 })
	j.forget()
	e.lost = true
	j.JumpWall(29 * day)
	j.reloadAs(true, true)
	if e.page.last.n != 1 {
		j.fatal("what was stored is not told")
	}
	j.until("it is lost", func() bool { return e.page.settled != nil })
	if s := e.page.settled; s.Failure == nil || s.Failure.Code != engine.CodeLost {
		j.fatal("it ends with %s", coretest.Describe(*s))
	}
	for j.tick() {
	}
	j.JumpWall(6 * day)
	j.SoundWall()
	j.World.Reload()
	if len(j.World.Effects) == 0 || j.World.Effects[0].Kind != engine.Recall {
		j.fatal("a finished call is forgotten within the week")
	}
	j.JumpWall(2 * day)
	j.SoundWall()
	j.World.Reload()
	for _, f := range j.World.Effects {
		if f.Kind == engine.Recall {
			j.fatal("a finished call is kept for ever")
		}
	}
	j.World.Stored(journal.ResultOK, 0)
	if left := j.Store.Calls(); len(left) > 0 {
		j.fatal("calls %v are left in the store", left)
	}
}

// Fault 83: a wall clock that is put on or back by a day between two pages
// changes nothing: streams are resumed at once, commits have their time.
func TestFault83_WallClockJumps(t *testing.T) {
	for _, jump := range []int64{-day, day, -400 * day} {
		j := newJourney(t, 0, 0, 1<<20)
		e := j.errands[0]
		j.until("an event", j.has(1))
		j.JumpWall(jump)
		j.reloadAs(true, true)
		before := j.Now
		j.until("the reconnect", func() bool { return e.page.x != 0 })
		if waited := j.Now.Since(before); waited > 1_000 {
			j.fatal("after a jump of %d ms the reconnect waits %d ms", jump, waited)
		}
		j.ends("result")
	}
}

// Fault 84: a machine that sleeps for eight hours in a stream and in a commit:
// neither has failed, the stream has to prove itself, and the call goes on.
func TestFault84_SleepsInAStreamAndACommit(t *testing.T) {
	j := newJourney(t, 0, 0, 1<<20)
	e := j.errands[0]
	j.stopsBefore("event")
	j.World.Now = j.Now.After(8 * 3_600_000) // the clock ran, and nothing else
	j.input("woke", func(m *mcp.Client, now engine.Time) { m.Woke(now, 8*3_600_000) })
	j.input("advance", func(m *mcp.Client, now engine.Time) { m.Advance(now) })
	if j.memory {
		j.fatal("a commit that slept counts as failed")
	}
	j.stored(journal.ResultOK, 0)
	x := e.page.x
	j.Advance(2_000)
	j.wires = nil // what the server sends now arrives nowhere
	j.Advance(8_000)
	if e.page.x == x {
		j.fatal("the stream is trusted although nothing comes")
	}
	j.ends("result")
}

// Fault 87: times that make no sense, the server's or stored ones, become ones
// that a timer can keep.
func TestFault87_DelaysAfterAReload(t *testing.T) {
	for _, retry := range []string{"0", "2147483648", "4294967296", "9007199254740993", "-1", "NaN", "1e3"} {
		j := newJourney(t, 0, 0, 1<<20)
		e := j.errands[0]
		e.retry = "retry: " + retry + "\n"
		for range 4 {
			j.run0().say(j.rng, "") // each of them may name it
		}
		j.until("an event", j.has(1))
		j.reloadAs(true, true)
		j.until("the reconnect", func() bool { return e.page.x != 0 })
		j.End(e.page.x, engine.EndNetwork)
		if d := j.NextDeadline(); d < 0 || d > 3_660_000 {
			j.fatal("retry: %s: the next reconnect is due in %d ms", retry, d)
		}
	}
	for _, timeouts := range []mcp.Timeouts{{Answer: -1, Idle: -1, Total: -1},
		{Answer: 1<<63 - 1, Idle: 1<<63 - 1, Total: 1<<63 - 1}, {Answer: 1, Idle: 1, Total: 1}} {
		w := coretest.NewMCP(t, mcp.Config{Journal: true, NoListen: true})
		w.Handshake("2025-11-25")
		w.Stored(journal.ResultOK, 0)
		w.Call("tools/call", `{"name":"0"}`, mcp.CallOptions{Durable: true, Timeouts: timeouts})
		w.Stored(journal.ResultOK, 0)
		w.Reload()
		w.Start()
		if at, ok := w.Client.Deadline(); ok && at < w.Now {
			t.Errorf("%+v: a deadline %d ms ago", timeouts, w.Now.Since(at))
		}
		w.Advance(10_000) // ends the test where a deadline stays in the past
	}
}

// run0 returns the first call's run, once it has one.
func (j *journey) run0() *run {
	j.t.Helper()
	j.until("its run", func() bool { return len(j.runs) > 0 })
	return j.runs[0]
}
