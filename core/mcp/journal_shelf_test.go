package mcp_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// shelf is what is stored, read a second time: World.Store says what a new page
// is given, the shelf whether that is right.
type shelf struct {
	calls  map[uint64]*stored
	server string // the session that a new page is given; "" for none
	flying []journal.Op
	strict bool
}

// stored is a call as it is stored: its rows folded as they land.
type stored struct {
	*recorded.Call
	errand int
	last   spot // of its events
}

// write takes a commit that is under way, or what a page stores that is being
// left: nobody waits for that.
func (l *life) write(e engine.Effect) {
	ops := []journal.Op{}
	for r := journal.ReadOps(e.Data); ; {
		op, ok := r.Next()
		if !ok {
			break
		}
		op.Plain, op.Secret = bytes.Clone(op.Plain), bytes.Clone(op.Secret)
		ops = append(ops, op)
		if op.Kind == journal.OpCall {
			l.errands[errandOf(op)].record = op.Call
		}
	}
	if e.Ticket > 0 {
		l.shelf.flying, l.shelf.strict = ops, e.Strict
		return
	}
	under, strict := l.shelf.flying, l.shelf.strict
	l.shelf.flying, l.shelf.strict = ops, true
	l.land(true)
	l.shelf.flying, l.shelf.strict = under, strict
}

// errandOf returns the number of the errand whose head an op is.
func errandOf(op journal.Op) (n int) {
	_, after, _ := strings.Cut(string(op.Plain), `"name":"`)
	fmt.Sscanf(after, "%d", &n)
	return n
}

// land stores the commit under way. After it, of every call: its events are the
// run's, each once and in order; the cursor names the last of them; and what a
// person has answered is known.
func (l *life) land(sealed bool) {
	l.t.Helper()
	if l.shelf.calls == nil {
		l.shelf.calls = map[uint64]*stored{}
	}
	for _, op := range l.shelf.flying {
		if !sealed {
			op.Secret = nil
		}
		switch op.Kind {
		case journal.OpServer:
			s, err := journal.ParseServer(op.Plain, op.Secret)
			if err != nil {
				l.fatal("a handshake that cannot be read: %v", err)
			}
			l.shelf.server = s.Session
		case journal.OpCall:
			h, err := journal.ParseHead(op.Plain)
			if err != nil {
				l.fatal("a head that cannot be read: %v", err)
			}
			n := errandOf(op)
			l.errands[n].gone = false
			l.shelf.calls[op.Call] = &stored{Call: recorded.New(h, 0), errand: n}
		case journal.OpForget:
			if r := l.shelf.calls[op.Call]; r != nil {
				l.errands[r.errand].gone = true
				delete(l.shelf.calls, op.Call)
			}
		case journal.OpLog:
			r := l.shelf.calls[op.Call]
			switch {
			case r == nil:
			case op.IsAck():
				r.Acked = max(r.Acked, op.N)
			default:
				l.fold(r, op)
			}
		}
	}
	if !sealed {
		for _, op := range l.shelf.flying {
			if r := l.shelf.calls[op.Call]; r != nil {
				l.errands[r.errand].unsure, l.errands[r.errand].unsealed = true, true
			}
		}
	}
}

// fold takes one row.
func (l *life) fold(r *stored, op journal.Op) {
	l.t.Helper()
	e := l.errands[r.errand]
	err := r.Apply(op.Plain, op.Secret, func(kind engine.EventKind, position uint32, data []byte) {
		if kind != engine.EventProgress {
			return
		}
		n, run := readProgress(string(data))
		s := spot{run, n}
		if position > r.Checkpoint+1 && s != (spot{r.last.run, r.last.n + 1}) &&
			(s.run <= r.last.run || n != 1) {
			l.fatal("call %d: %v is stored after %v", e.number, s, r.last)
		}
		if known, ok := e.at[position]; ok && known.run == s.run && known != s {
			l.fatal("call %d: %v is stored at position %d, where a page was told %v", e.number, s, position,
				known)
		}
		r.last = s
	})
	if err != nil {
		l.fatal("call %d: a row that cannot be read: %v", e.number, err)
	}
	if r.Checkpoint > 0 && r.Position == r.Checkpoint {
		r.last = e.at[r.Checkpoint]
	}
	for _, part := range [][]byte{op.Plain, op.Secret} {
		for row := journal.ReadRow(part); ; {
			entry, ok := row.Next()
			if !ok {
				break
			}
			if entry.Kind == journal.Answer {
				q := l.questionOf(string(entry.Data[entry.N[0]:]))
				q.stored = true
				if !l.shelf.strict {
					l.fatal("an answer is stored by a commit that is not strict")
				}
			}
			if entry.Kind == journal.Outcome && !l.shelf.strict {
				l.fatal("an outcome is stored by a commit that is not strict")
			}
		}
	}
	if r.Outcome != 0 && e.ended == nil {
		e.ended = &engine.Effect{Outcome: r.Outcome, Data: r.Data, Failure: r.Failure}
		return
	}
	if len(r.Cursor) == 0 {
		return
	}
	of, n := l.find(string(r.Cursor))
	if want := (spot{of.number, of.said[n].progress}); want.n > 0 && r.last != want ||
		want.n == 0 && r.last.run == of.number && r.last.n > 0 {
		l.fatal("call %d: cursor %s covers %v, and what is stored ends at %v", e.number, r.Cursor, want,
			r.last)
	}
}
