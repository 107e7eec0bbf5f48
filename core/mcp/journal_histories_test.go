package mcp_test

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestJournalHistories plays random lives over many pages: calls, events in
// pieces, cuts, reloads, commits that land, fail, hang or lose their secrets,
// a cleared store, forgotten sessions, sleep, questions and answers. What must
// hold after every input is in journal_audit_test.go, after every commit in
// journal_shelf_test.go, and at the end in finish.
func TestJournalHistories(t *testing.T) {
	count := uint64(5_000)
	if testing.Short() {
		count = 2_000
	}
	first, n := seeds(t, count)
	pages, cuts, landed, failed, events := 0, 0, 0, 0, 0
	ends := map[string]int{}
	for seed := first; seed < first+n; seed++ {
		l := playLife(t, seed)
		pages, cuts, landed, failed = pages+l.pages, cuts+l.cuts, landed+l.landed, failed+l.failed
		for _, e := range l.errands {
			events += len(e.at)
			ends[e.outcome()]++
		}
	}
	t.Logf("%d histories: %d pages, %d cuts, %d commits and %d that failed, %d events: 0 lost, 0 twice; %v",
		n, pages, cuts, landed, failed, events, ends)
	if n > 100 && 2*ends["result"] < 3*(ends["outcome_unknown"]+ends["lost"]) {
		t.Error("the histories are too harmful to show anything")
	}
}

// TestDeferredHistories plays them in a tab that knows of no other one, most of the time:
// what nobody needs yet is written later, or never.
func TestDeferredHistories(t *testing.T) {
	count := uint64(3_000)
	if testing.Short() {
		count = 1_000
	}
	first, n := seeds(t, count)
	told, ended, never, pages := 0, 0, 0, 0
	for seed := first; seed < first+n; seed++ {
		l := playLife(t, seed, func(l *life) { l.alone = true })
		pages += l.pages
		for _, e := range l.errands {
			if e.told {
				told++
			}
			if e.ended != nil {
				ended++
			}
			if e.record == 0 {
				never++
			}
		}
	}
	t.Logf("%d histories, %d pages: 0 lost, 0 twice; %d outcomes were handed over unstored, %d were stored, "+
		"%d calls left no trace", n, pages, told, ended, never)
	if n > 100 && (told < int(n)/10 || never < int(n)/20) {
		t.Error("hardly anything is written later: nothing is shown")
	}
}

// aloneStep does what an app does that acknowledges a call by having its outcome; or
// another tab comes, or goes.
func (l *life) aloneStep() {
	e := one(l.rng, l.errands)
	switch {
	case e == nil:
	case l.rng.IntN(8) == 0:
		alone := l.rng.IntN(3) > 0
		l.input("alone", func(m *mcp.Client, now engine.Time) { m.Alone(now, alone) })
	case l.rng.IntN(8) == 0:
		l.Advance(int64(l.rng.IntN(60)))
	case e.page != nil && e.page.settled != nil:
		l.input("handed", func(m *mcp.Client, now engine.Time) { m.Handed(now, e.page.c) })
	}
}

// TestFault409_Histories plays them where calls wait for connections: what says that they leave
// is stored ahead, nothing leaves before that or twice, and what has not left when its page is
// left is sent by the next.
func TestFault409_Histories(t *testing.T) {
	count := uint64(4_000)
	if testing.Short() {
		count = 1_500
	}
	first, n := seeds(t, count)
	ahead, vain, left, unknown := 0, 0, 0, 0
	for seed := first; seed < first+n; seed++ {
		l := playLife(t, seed, func(l *life) { l.alone, l.scarce = true, true })
		for _, e := range l.errands {
			switch {
			case e.left && e.ahead:
				ahead++
			case e.left:
				left++
			case e.ahead:
				vain++
			}
			if !e.left && e.outcome() == string(engine.CodeOutcomeUnknown) {
				unknown++
			}
		}
	}
	t.Logf("%d histories: %d calls left, %d of which that was stored ahead; of %d it was in vain, and %d "+
		"ended as unknown", n, left+ahead, ahead, vain, unknown)
	if n > 100 && (ahead < int(n)/3 || unknown == 0) {
		t.Error("hardly anything is written ahead: nothing is shown")
	}
}

// scarceStep gives a call a connection, or several in their order, or makes some at a time.
func (l *life) scarceStep() {
	switch n := l.rng.IntN(6); {
	case n < 2:
		for range 2 + l.rng.IntN(4) {
			if len(l.errands) < l.most() {
				l.begin()
			}
		}
	case n < 4:
		for _, e := range l.errands {
			if e.page != nil && !e.left && e.page.settled == nil {
				l.input("hold", func(m *mcp.Client, now engine.Time) { m.Hold(now, e.page.c, false) })
				if l.rng.IntN(2) == 0 {
					break
				}
			}
		}
	default:
		if e := one(l.rng, l.errands); e != nil && e.page != nil {
			l.input("hold",
				func(m *mcp.Client, now engine.Time) { m.Hold(now, e.page.c, l.rng.IntN(4) == 0) })
		}
	}
}

// most is how many calls are made.
func (l *life) most() int {
	if l.scarce {
		return 14
	}
	return 4
}

func playLife(t *testing.T, seed uint64, as ...func(*life)) *life {
	defer func() {
		if t.Failed() {
			t.Logf("play it again with HOLDFAST_SEED=%d", seed)
		}
	}()
	l := newLife(t, seed)
	for _, set := range as {
		set(l)
	}
	l.Start()
	for range 25 + l.rng.IntN(30) {
		l.step()
		l.serve()
	}
	l.finish()
	return l
}

// step does one random thing.
func (l *life) step() {
	if l.alone && l.rng.IntN(5) == 0 {
		l.aloneStep()
		return
	}
	if l.scarce && l.rng.IntN(3) == 0 {
		l.scarceStep()
		return
	}
	r, k := one(l.rng, l.runs), one(l.rng, l.wires)
	e := one(l.rng, l.errands)
	switch n := l.rng.IntN(100); {
	case e == nil || n < 8 && len(l.errands) < l.most():
		l.begin()
	case n < 26:
		if r != nil {
			r.work(l.rng)
		}
	case n < 46:
		l.deliver(k)
	case n < 54:
		// Mostly one that the client can resume: else it is a short story.
		if k != nil && (k.json || l.resumable(k.run.errand) || l.rng.IntN(10) == 0) {
			l.cut(k)
		}
	case n < 60:
		l.reload()
		if l.rng.IntN(5) > 0 {
			l.Start()
		}
	case n < 72:
		l.commit()
	case n < 73:
		l.storeBack()
	case n < 74 && l.rng.IntN(2) == 0:
		l.forget()
		for _, k := range slices.Clone(l.wires) {
			l.end(k, engine.EndNetwork)
		}
		for _, e := range l.errands {
			e.unsure, e.lost = true, true
		}
	case n < 78:
		l.respond()
	case n < 80:
		l.input("offline", (*mcp.Client).Offline)
	case n < 82:
		l.input("online", (*mcp.Client).Online)
	case n < 83:
		l.input("woke", func(m *mcp.Client, now engine.Time) { m.Woke(now, int64(l.rng.IntN(100_000))) })
	case n < 84 && e.page != nil:
		l.input("pause", func(m *mcp.Client, now engine.Time) { m.Pause(now, e.page.c, l.rng.IntN(3) == 0) })
	case n < 85 && e.page != nil:
		l.input("park", func(m *mcp.Client, now engine.Time) { m.Park(now, e.page.c, l.rng.IntN(3) == 0) })
	case n < 86 && e.page != nil && l.rng.IntN(3) == 0:
		e.cancelled = true
		l.input("cancel", func(m *mcp.Client, now engine.Time) { m.Cancel(now, e.page.c, "") })
	case n < 87:
		l.Start() // a page that has not been started; else nothing
	case n < 89 && e.page != nil:
		l.ack(e, uint32(l.rng.IntN(8)))
	case n < 90 && e.page != nil && e.page.settled != nil:
		l.ack(e, 0)
	default:
		if l.Store.Flying() != 0 && l.rng.IntN(20) > 0 {
			l.stored(journal.ResultOK, 0) // else it hangs
		}
		l.Advance(int64(l.rng.IntN([]int{50, 1_000, 5_000, 50_000}[l.rng.IntN(4)])))
	}
	if l.Store.Flying() != 0 && l.rng.IntN(2) == 0 {
		l.stored(journal.ResultOK, 0)
	}
}

// resumable reports whether a cursor of the call is stored.
func (l *life) resumable(e *errand) bool {
	r := l.shelf.calls[e.record]
	return r != nil && len(r.Cursor) > 0
}

// begin makes a call.
func (l *life) begin() {
	e := &errand{total: l.rng.IntN(7), ids: l.rng.IntN(12) > 0, polling: l.rng.IntN(5) == 0,
		inline: l.rng.IntN(12) == 0,
		retry:  one(l.rng, []string{"", "retry: 200\n", "retry: 3000\n"}),
		flags: one(l.rng, []journal.Flags{0, 0, journal.ReadOnly | journal.RerunNever, journal.ReadOnly,
			journal.Idempotent, journal.RerunAlways})}
	if l.rng.IntN(3) == 0 && e.ids && !e.inline {
		e.questions = 1 + l.rng.IntN(2)
	}
	l.call(e)
}

// commit ends the commit under way in one of many ways.
func (l *life) commit() {
	if l.Store.Flying() == 0 {
		return
	}
	switch n := l.rng.IntN(20); {
	case n == 0:
		l.stored(journal.ResultQuota, 0)
	case n == 1:
		l.stored(journal.ResultFailed, durable.ReasonFailed)
	case n == 2:
		l.stored(journal.ResultUnsealed, 0)
	default:
		l.stored(journal.ResultOK, 0)
	}
}

// storeBack lets the store work again, or deletes all that is in it: a logout.
func (l *life) storeBack() {
	if l.rng.IntN(6) == 0 {
		l.storeForgotten(l.rng.IntN(2) == 0)
	} else {
		l.storeIsBack()
	}
}

// storeIsBack lets a store that has failed work again, unless what it held was
// deleted: a commit that was given up has got there after all.
func (l *life) storeIsBack() {
	l.input("storeback", func(m *mcp.Client, now engine.Time) { m.Stored(now, 0, journal.ResultOK, 0) })
	if l.forgotten && (!l.memory || l.Store.Flying() != 0) {
		l.t.Helper()
		l.fatal("it stores again what was deleted")
	}
}

// storeForgotten deletes all that is stored, and the commit under way with it, of
// whose end the page hears late where it had landed before.
func (l *life) storeForgotten(landed bool) {
	flying := l.Store.Flying()
	*l.Store = coretest.Store{}
	for _, r := range l.shelf.calls {
		l.errands[r.errand].gone = true
	}
	l.shelf, l.forgotten = shelf{}, true
	l.input("forgotten", func(m *mcp.Client, now engine.Time) { m.StoreGone(now, durable.ReasonClosed) })
	if flying != 0 {
		result := journal.ResultFailed
		if landed {
			result = journal.ResultOK
		}
		l.input("stored late",
			func(m *mcp.Client, now engine.Time) { m.Stored(now, flying, result, durable.ReasonClosed) })
	}
}

// respond answers a question, as a person does.
func (l *life) respond() {
	if len(l.prompts) == 0 {
		return
	}
	i := l.rng.IntN(len(l.prompts))
	p := l.prompts[i]
	l.prompts = slices.Delete(l.prompts, i, i+1)
	p.q.answer = `{"jsonrpc":"2.0","id":"` + p.q.id + `","result":{"action":"accept"}}`
	l.input("respond "+p.q.id,
		func(m *mcp.Client, now engine.Time) {
			m.Respond(now, p.handle, true,
				[]byte(`{"action":"accept"}`))
		})
}

func (l *life) ack(e *errand, position uint32) {
	if e.page.settled != nil && position == 0 {
		e.page.acked = true
	}
	up := position
	if up == 0 || up > e.page.position {
		up = e.page.position
	}
	l.acks = append(l.acks, ack{e, up})
	l.input("ack",
		func(m *mcp.Client, now engine.Time) { m.Ack(now, e.page.c, position, uint32(len(l.acks))) })
}
