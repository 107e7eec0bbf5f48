package mcp_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// audit holds the effects of the last input against what is stored, what the
// server said, and what pages were told before.
func (l *life) audit() {
	l.t.Helper()
	for i := range l.Effects {
		e := l.Effects[i]
		switch e.Kind {
		case engine.Fetch:
			l.waiting = append(l.waiting, e.X)
			l.auditFetch(e)
		case engine.Store:
			l.write(e)
		case engine.Recall:
			l.auditRecall(e)
		case engine.Deliver:
			l.auditDeliver(e)
		case engine.Settle:
			l.auditSettle(e)
		case engine.State:
			l.dead = l.dead || e.Failure != nil
		}
	}
}

// auditFetch: an id names one request for ever; nothing leaves before what
// covers it is stored; one exchange carries a call.
func (l *life) auditFetch(f engine.Effect) {
	l.t.Helper()
	body := string(f.Request.Body)
	if id := coretest.RequestID(f.Request); id != "" {
		if before, ok := l.bodies[id]; ok && before != body {
			l.fatal("id %s names two requests:\n%s\n%s", id, before, body)
		}
		l.bodies[id] = body
	}
	if e, id := l.toolCall(f.Request); e != nil {
		if e.leftBefore, e.left = e.left, true; e.never {
			l.fatal("call %d leaves although its app was told that it will not", e.number)
		}
		l.carries(e, f.X)
		r := l.shelf.calls[e.record]
		if !e.page.memory && !e.flags.Repeatable() && (r == nil || !r.Sent || fmt.Sprint(r.Request) != id) {
			l.fatal("call %d leaves before that is stored", e.number)
		}
		return
	}
	if f.Request.Method == "GET" {
		cursor := header(f.Request, "Last-Event-ID")
		r, n := l.find(cursor)
		l.carries(r.errand, f.X)
		if in := session(f.Request); in != fmt.Sprintf("s%d", r.session) {
			l.fatal("call %d resumes from %s in session %q, which it does not belong to", r.errand.number,
				cursor, in)
		}
		of := l.shelf.calls[r.record]
		if !r.page.memory && (of == nil || r.said[n].progress > 0 &&
			of.last != (spot{r.number, r.said[n].progress})) {
			l.fatal("call %d resumes from %s, and what that covers is not stored: %+v", r.errand.number,
				cursor, of)
		}
		if !r.page.memory && !r.unsealed && string(of.Cursor) != cursor {
			l.fatal("call %d resumes from %s, and %q is stored", r.errand.number, cursor, of.Cursor)
		}
		return
	}
	if q := l.questionOf(body); q != nil && f.Request.Method == "POST" {
		if q.answer != body {
			l.fatal("the answer to %s is sent as\n%s\nand was given as\n%s", q.id, body, q.answer)
		}
		if q.run.page == nil {
			l.fatal("the answer to %s is sent by a page that does not know the call", q.id)
		}
		if !q.stored && !q.answered && !q.run.cancelled && q.run.page.settled == nil && !q.run.page.memory &&
			!q.run.unsealed {
			l.fatal("the answer to %s leaves before it is stored", q.id)
		}
	}
}

// carries notes that x carries the call, which nothing else may.
func (l *life) carries(e *errand, x engine.ExchangeID) {
	l.t.Helper()
	if e.page == nil || e.page.settled != nil || e.ended != nil && !e.gone && !e.page.memory {
		l.fatal("call %d is asked for although it has ended", e.number)
	}
	if before := l.Exchange(e.page.x); before != nil && !before.Over {
		l.fatal("exchanges %d and %d carry call %d", e.page.x, x, e.number)
	}
	e.page.x = x
}

// auditRecall: a new page is told what is stored, and of nothing else.
func (l *life) auditRecall(f engine.Effect) {
	l.t.Helper()
	var id uint64
	_, after, _ := strings.Cut(string(f.Data), `"id":`)
	fmt.Sscanf(after, "%d", &id)
	r := l.shelf.calls[id]
	if r == nil {
		l.fatal("the page is told of call %d, which is not stored", id)
	}
	e := l.errands[r.errand]
	_, after, _ = strings.Cut(string(f.Data), `"acked":`)
	var acked uint32
	if fmt.Sscanf(after, "%d", &acked); acked != min(r.Acked, r.Position) {
		l.fatal("the page is told that call %d is done up to %d, and %d is stored", id, acked, r.Acked)
	}
	e.page = &sight{c: f.C, position: r.Checkpoint, last: e.at[r.Checkpoint], asked: map[string]bool{}}
	l.byCall[f.C] = e
}

// auditDeliver: a page has every event in order, at the position at which
// others had it, and is asked once what nobody has answered.
func (l *life) auditDeliver(f engine.Effect) {
	l.t.Helper()
	if f.Event == engine.EventDurability {
		l.memory = strings.Contains(string(f.Data), `"memory"`)
		if l.memory {
			for _, e := range l.errands {
				if e.page != nil {
					e.page.memory, e.volatile, e.unsure, e.lost = true, true, true, true
				}
			}
		}
		return
	}
	e := l.byCall[f.C]
	if f.C == 0 {
		return
	}
	p := e.page
	if f.Event == engine.EventAcked {
		if a := l.acks[f.Position-1]; string(f.Data) == `{"stored":true}` && !e.gone && !p.memory {
			e.done = max(e.done, a.position)
		}
		return
	}
	if p.settled != nil && f.Stream != engine.StreamForgotten {
		l.fatal("call %d gets an event after it has settled", e.number)
	}
	switch f.Event {
	case engine.EventResumed:
		if strings.Contains(string(f.Data), `"outcome":"restarted"`) {
			e.restarts++
		}
	case engine.EventProgress:
		n, run := readProgress(string(f.Data))
		s := spot{run, n}
		if p.position++; f.Position != p.position {
			l.fatal("call %d: position %d after %d", e.number, f.Position, p.position-1)
		}
		first := p.last == spot{} && p.position > 1 // what was before it is gone, which Checkpoint has told
		if !first && s != (spot{p.last.run, p.last.n + 1}) && (run <= p.last.run && p.last.n > 0 || n != 1) {
			l.fatal("call %d: %v after %v", e.number, s, p.last)
		}
		if known, ok := e.at[p.position]; ok && known.run == run && known != s {
			l.fatal("call %d: %v at position %d, where another page was told %v", e.number, s, p.position,
				known)
		}
		e.at[p.position], p.last = s, s
	case engine.EventRequest:
		q := l.questionOf(string(f.Data))
		if p.asked[q.id] {
			l.fatal("question %s is asked twice", q.id)
		}
		if q.stored {
			l.fatal("question %s is asked although its answer is stored", q.id)
		}
		p.asked[q.id] = true
		l.prompts = append(l.prompts, prompt{f.Position, q})
	}
}

// auditSettle: a call settles once for each page, with what its run gave, and
// with what is stored, which no later page is told otherwise.
func (l *life) auditSettle(f engine.Effect) {
	l.t.Helper()
	e := l.byCall[f.C]
	if e == nil {
		l.fatal("call c%d settles, and nobody made it", f.C)
	}
	if e.page.settled != nil {
		l.fatal("call %d settles twice", e.number)
	}
	e.page.settled = &f
	if f.Failure != nil && f.Failure.Code == engine.CodeUnsent && e.left {
		l.fatal("call %d may have run, and its app is told that it has not", e.number)
	}
	// Another page goes on with a call whose page is closed. It runs one again that may
	// be, where the note that it leaves is all that the store could take of it.
	r := l.shelf.calls[e.record]
	licensed := e.page.memory && e.flags.Repeatable() && r != nil && r.Sent && r.Outcome == 0
	e.never = e.never || f.Failure != nil && !e.left && f.Failure.Code != engine.CodeClosed && !l.dead &&
		!licensed
	if f.Outcome == engine.OutcomeResult {
		var number int
		if _, err := fmt.Sscanf(string(f.Data), `{"content":[],"run":%d}`, &number); err != nil ||
			number >= len(l.runs) || l.runs[number].errand != e {
			l.fatal("call %d has the result %s", e.number, f.Data)
		}
		if last := e.page.last; e.total > 0 && !e.inline && last != (spot{number, e.total}) &&
			last != (spot{}) {
			l.fatal("call %d has the result of run %d after %v of %d", e.number, number, last, e.total)
		}
	}
	if e.never && e.gone {
		return // no page can send it
	}
	if e.page.memory || l.dead {
		if r := l.shelf.calls[e.record]; e.never && r != nil && !r.Sent && r.Outcome == 0 {
			l.fatal("call %d is told as never sent, and the next page will send it", e.number)
		}
		return // the next page goes on with it, if it is stored
	}
	if l.alone && (e.ended == nil || e.gone) && f.Failure == nil && e.number%2 == 1 &&
		e.flags&journal.ManualAck == 0 {
		e.told = true
		return // it is written, unless the app acknowledges it before
	}
	if e.ended == nil || e.gone {
		l.fatal("call %d settles before its outcome is stored", e.number)
	}
	same := e.ended.Outcome == f.Outcome && (f.Failure != nil || bytes.Equal(e.ended.Data, f.Data))
	if f.Failure != nil && same {
		same = e.ended.Failure.Code == f.Failure.Code
	}
	if !same {
		l.fatal("call %d settles with %s, and %s is stored", e.number, coretest.Describe(f),
			coretest.Describe(*e.ended))
	}
}
