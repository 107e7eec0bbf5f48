package mcp_test

import (
	"fmt"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// outcome names how a call ended on the last page that knew it.
func (e *errand) outcome() string {
	switch {
	case e.ended != nil && e.ended.Outcome == engine.OutcomeResult,
		e.page != nil && e.page.settled != nil && e.page.settled.Outcome == engine.OutcomeResult:
		return "result"
	case e.ended != nil:
		return string(e.ended.Failure.Code)
	case e.page != nil && e.page.settled != nil:
		return string(e.page.settled.Failure.Code)
	}
	return "never stored"
}

// heal lets everything go well from here on, until every call that the page
// knows has settled.
func (l *life) heal() {
	l.t.Helper()
	l.kind = true
	if l.dead {
		l.reload()
	}
	l.Start()
	l.input("online", (*mcp.Client).Online)
	for _, e := range l.errands {
		if p := e.page; p != nil {
			l.input("unpause", func(m *mcp.Client, now engine.Time) {
				m.Pause(now, p.c, false)
				m.Park(now, p.c, false)
				m.Hold(now, p.c, false)
			})
		}
	}
	for range 1_000 {
		before := l.Newest()
		l.serve()
		if l.Store.Flying() != 0 {
			l.stored(journal.ResultOK, 0)
		}
		quiet := l.Store.Flying() == 0
		for _, r := range l.runs {
			quiet = !r.work(l.rng) && quiet
		}
		for _, k := range slices.Clone(l.wires) {
			quiet = quiet && k.pending == ""
			l.deliver(k)
		}
		l.respond()
		l.serve()
		busy := len(l.wires) > 0 || l.Store.Flying() != 0
		for _, e := range l.errands {
			busy = busy || e.page != nil && e.page.settled == nil
		}
		if !busy {
			return
		}
		if l.forgotten && quiet {
			l.hangUp() // its runs wait for answers that nobody gives any more
		}
		if d := l.NextDeadline(); d >= 0 && quiet && l.Newest() == before && l.Store.Flying() == 0 {
			l.Advance(d)
		}
	}
	for _, k := range l.wires {
		l.Trace = append(l.Trace, fmt.Sprintf("the server holds %+v for %+v", *k, *l.Exchange(k.x)))
	}
	l.fatal("a call has not settled: %d ms to the next deadline", l.NextDeadline())
}

// hangUp has the server close its streams.
func (l *life) hangUp() {
	l.t.Helper()
	for _, k := range slices.Clone(l.wires) {
		l.end(k, engine.EndNetwork)
	}
}

// finish: each call has its result, or a reason why not; another page gets the
// same from the store alone; once all are acknowledged nothing is left.
func (l *life) finish() {
	l.t.Helper()
	l.heal()
	for _, e := range l.errands {
		if e.page != nil {
			l.checkOutcome(e)
		}
		l.checkExecutions(e)
	}
	for again := range 2 {
		if again == 1 {
			l.reload()
			l.Start()
		}
		for _, e := range l.errands {
			if e.page == nil || again == 0 && !e.page.acked && l.rng.IntN(2) == 0 {
				continue
			}
			if e.page.settled == nil && !e.page.memory {
				if e.page.acked || e.ended != nil {
					l.fatal("call %d comes back without its outcome", e.number)
				}
				l.heal()
			}
			l.ack(e, 0)
		}
		for l.Store.Flying() != 0 {
			l.stored(journal.ResultOK, 0)
		}
		l.heal() // what comes back from a store that had failed goes on
	}
	for _, e := range l.errands {
		if e.page != nil {
			l.ack(e, 0)
		}
	}
	for l.Store.Flying() != 0 {
		l.stored(journal.ResultOK, 0)
	}
	if left := l.Store.Calls(); len(left) > 0 {
		l.fatal("calls %v are still stored", left)
	}
	l.input("close", (*mcp.Client).Close)
	l.serve()
	l.Advance(2_000)
	if d := l.NextDeadline(); d >= 0 {
		l.fatal("a timer is still set, for %d ms from now", d)
	}
	if held := l.Client.Held(); held != (mcp.Held{}) {
		l.fatal("the client still holds %+v", held)
	}
	if kept := l.Client.Journaled(); kept != (mcp.Journaled{}) {
		l.fatal("the client still keeps %+v", kept)
	}
}

// checkExecutions: the server has run a call once, and once more for each time that
// an app was told so. What changes nothing leaves before it is noted that it does,
// and what is kept in memory alone leaves no note: a later page may not know of it.
func (l *life) checkExecutions(e *errand) {
	l.t.Helper()
	if len(e.runs) > 1+e.restarts && !e.flags.Harmless() && !e.volatile {
		l.fatal("call %d was run %d times, and %d restarts were told", e.number, len(e.runs), e.restarts)
	}
}

// checkOutcome: no call fails but for a reason.
func (l *life) checkOutcome(e *errand) {
	l.t.Helper()
	s := e.page.settled
	if s.Failure == nil {
		return
	}
	ok := false
	switch s.Failure.Code {
	case engine.CodeCancelled:
		ok = e.cancelled
	case engine.CodeOutcomeUnknown:
		ok = e.unsure || !e.ids || e.inline || l.forgotten
	case engine.CodeLost:
		ok = e.lost
	case engine.CodeProtocol:
		ok = e.inline && e.unsure // half an answer, and a clean end
	case engine.CodeHTTP:
		ok = e.refused
	case engine.CodeTimeout:
		ok = true
	case engine.CodeUnsent:
		ok = e.volatile || l.forgotten && !e.left // behind a logout nothing leaves any more
	case mcp.CodeSessionRejected:
		ok = l.session > 3
	}
	if !ok {
		l.fatal("call %d ends with %s", e.number, coretest.Describe(*s))
	}
}
