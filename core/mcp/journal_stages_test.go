package mcp_test

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// journey is a life in which all goes well, one input at a time, but for the
// reloads that a test puts in.
type journey struct {
	*life
	lag     int      // inputs that a commit takes to land
	flew    int      // inputs for which the one under way has flown
	pieces  int      // bytes of a chunk
	todo    []func() // inputs that follow from one of the server's answers
	reloads int
}

func newJourney(t testing.TB, flags journal.Flags, lag, pieces int) *journey {
	j := &journey{life: newLife(t, 1), lag: lag, pieces: pieces}
	j.kind = true
	j.Start()
	j.call(&errand{flags: flags, total: 3, questions: 1, ids: true, retry: "retry: 10\n"})
	return j
}

// tick does the next input; false where nothing is left to be done.
func (j *journey) tick() bool {
	j.t.Helper()
	if j.Store.Flying() != 0 {
		if j.flew++; j.flew > j.lag {
			j.flew = 0
			j.stored(journal.ResultOK, 0)
			return true
		}
	}
	if len(j.todo) > 0 {
		do := j.todo[0]
		j.todo = j.todo[1:]
		do()
		return true
	}
	for len(j.waiting) > 0 {
		x := j.waiting[0]
		j.waiting = j.waiting[1:]
		if !j.Exchange(x).Over {
			j.answer(x)
			return true
		}
	}
	j.wires = slices.DeleteFunc(j.wires, func(k *wire) bool { return j.Exchange(k.x).Over })
	for _, k := range j.wires {
		if j.Exchange(k.x).Reading && k.pending != "" {
			text := k.take(min(j.pieces, len(k.pending)))
			j.Chunk(k.x, text)
			return true
		}
		if j.Exchange(k.x).Reading && k.closing {
			j.end(k, engine.EndClean)
			return true
		}
	}
	if len(j.prompts) > 0 {
		j.respond()
		return true
	}
	for _, r := range j.runs {
		if r.work(j.rng) {
			return true
		}
	}
	if d := j.NextDeadline(); d >= 0 && (len(j.wires) == 0 || j.Store.Flying() != 0) && d < 3_000 {
		j.Advance(d)
		return true
	}
	return j.Store.Flying() != 0
}

// answer is serveOne, one input at a time.
func (j *journey) answer(x engine.ExchangeID) {
	j.t.Helper()
	r := j.Exchange(x).Request
	e, id := j.toolCall(r)
	accepted := func() {
		j.Head(x, 202)
		j.todo = append(j.todo, func() {
			if !j.Exchange(x).Over {
				j.End(x, engine.EndClean)
			}
		})
	}
	switch q := j.questionOf(string(r.Body)); {
	case session(r) != j.sessionName() && (e != nil || q != nil || r.Method == "GET"):
		j.Head(x, 404)
	case r.Method == "GET":
		j.serveGET(x)
	case e != nil:
		run := j.run(e, id)
		run.wire = &wire{x: x, run: run}
		j.wires = append(j.wires, run.wire)
		j.Head(x, 200, "content-type", coretest.Stream)
		run.say(j.rng, "")
	case q != nil:
		q.takes()
		accepted()
	case coretest.RequestID(r) != "":
		j.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", j.sessionName())
		j.todo = append(j.todo, func() {
			j.Chunk(x, coretest.Result(coretest.RequestID(r),
				`{"protocolVersion":"2025-11-25","capabilities":{}}`))
		}, func() { j.End(x, engine.EndClean) })
	default:
		accepted()
	}
}

// reloadAs replaces the page: with the commit under way landed although the page
// never heard of it, or not, and its requests arrived at the server, or not.
func (j *journey) reloadAs(landed, arrived bool) {
	j.t.Helper()
	waiting := j.waiting
	if landed && j.Store.Flying() != 0 {
		j.land(true)
		j.World.Stored(journal.ResultOK, 0) // what the page makes of it goes with the page
	}
	j.waiting, j.todo, j.flew = nil, nil, 0
	for _, x := range waiting {
		if e := j.Exchange(x); arrived && !e.Over {
			j.arrive(e.Request)
		}
	}
	j.reload()
	j.Start()
	j.reloads++
}

// finishes plays the rest and checks it.
func (j *journey) finishes() string {
	j.t.Helper()
	for n := 0; j.tick(); n++ {
		if n > 2_000 {
			j.fatal("no end")
		}
	}
	if j.forgotten {
		j.hangUp()
	}
	e := j.errands[0]
	switch {
	case e.page == nil && len(e.runs) > 0 && !e.flags.Harmless() && !e.volatile:
		j.fatal("the call has run, and the page does not know it")
	case e.page != nil && e.page.settled == nil:
		j.fatal("the call has not settled")
	case e.page != nil:
		j.checkOutcome(e)
	}
	outcome := e.outcome()
	j.finish()
	return outcome
}

// TestFault52_ReloadAfterEveryInput reloads the page after every input of a
// call's life, handshake and question included; twice, the second time after a
// few more; with commits that land at once or late, or that land without the
// page hearing of it; with requests that had arrived or had not. Each time
// nothing is lost, nothing is run or asked twice, and the outcome is unknown
// only where the server had not said how to go on.
func TestFault52_ReloadAfterEveryInput(t *testing.T) {
	reloads := 0
	for _, flags := range []journal.Flags{0, journal.ReadOnly, journal.Idempotent} {
		ends := map[string]int{}
		for _, lag := range []int{0, 1, 3, 8} {
			for _, pieces := range []int{1 << 20, 30} {
				whole := newJourney(t, flags, lag, pieces)
				inputs := 0
				for whole.tick() {
					inputs++
				}
				for at := 0; at <= inputs; at += 1 + (slow-1)/4 {
					for _, again := range []int{-1, 0, 2, 5} {
						for how := range 4 {
							j := newJourney(t, flags, lag, pieces)
							for range at {
								j.tick()
							}
							j.reloadAs(how&1 != 0, how&2 != 0)
							for n := 0; n <= again; n++ {
								j.tick()
							}
							if again >= 0 {
								j.reloadAs(how&1 == 0, how&2 != 0)
							}
							ends[j.finishes()]++
							reloads += j.reloads
						}
					}
				}
			}
		}
		t.Logf("flags %d: %v", flags, ends)
		for end := range ends {
			switch {
			case end == "result", end == "never stored":
			case end == "outcome_unknown" && !flags.Repeatable():
			default:
				t.Errorf("flags %d: a call ends as %s", flags, end)
			}
		}
	}
	t.Logf("%d reloads: 0 lost, 0 twice", reloads)
}
