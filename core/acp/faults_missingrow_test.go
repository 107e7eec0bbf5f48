//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// threeRows returns a page whose agent has said "one", "two" and "three", in a row each,
// and the record of its session with the rows that came after look.
func threeRows(t *testing.T, look func(s *sim)) (s *sim, id string, record uint64, rows []journal.Op) {
	s, _, a := opened(t, quiet())
	s.settle(0)
	look(s)
	record = s.Store.Calls()[0]
	before := len(s.Store.Rows(record))
	for _, word := range []string{"one", "two", "three"} {
		a.chunk(word, word)
		s.settle(0)
	}
	rows = s.Store.Rows(record)[before:]
	s.expect(len(rows) == 3, "%d rows", len(rows))
	return s, a.id, record, rows
}

// tell hands rows of the tab that carries the session to one that looks on.
func (l *looker) tell(rows ...journal.Op) {
	var ops []byte
	for _, op := range rows {
		op.Secret = nil
		ops = journal.AppendOp(ops, op)
	}
	l.do(func(c *acp.Client) { c.Restore(l.Now, ops) })
}

// said is what its app shows of the only session.
func (l *looker) said() string { return said(l.told, 1) }

// Fault 174: a row does not reach a tab that looks on at a session. What comes after it
// is left out, since nobody could tell that something is missing between; the tab reads
// the whole log instead, and then shows all of it, once.
func TestFault174_MissingRowOfASession(t *testing.T) {
	var l *looker
	s, _, _, rows := threeRows(t, func(s *sim) { l = s.look(2) })
	l.tell(rows[0])
	l.tell(rows[2])
	s.expect(l.said() == "one", "with a row missing it shows %q", l.said())
	l.tell(rows[1])
	s.expect(l.said() == "onetwo", "then %q", l.said())
	l.told = nil
	l.hear(1)
	s.expect(l.said() == "onetwothree", "of the whole log %q", l.said())
	l.tell(rows...)
	s.expect(l.said() == "onetwothree", "told twice %q", l.said())
}

// Fault 174: a row of the tab that had the session before is told late. It lies behind
// the seal of the one that has it now: it is left out.
func TestFault174_LateRowOfAnEarlierOwner(t *testing.T) {
	var l *looker
	s, _, _, rows := threeRows(t, func(s *sim) {
		l = s.look(2)
		l.hear(2) // another tab has it now
	})
	l.tell(rows[0])
	s.expect(l.said() == "", "it shows %q", l.said())
}

// Fault 174: a row is missing in the middle of what the next page reads. The session
// is not shown with a hole in it that nobody tells of: its record is left aside.
func TestFault174_MissingRowInTheStore(t *testing.T) {
	s, _, record, _ := threeRows(t, func(*sim) {})
	all := s.Store.Rows(record)
	s.Store.Lose(all[len(all)-2])
	s.load()
	s.settle(600_000)
	s.expect(quarantined(s.effects, record) == 1, "the host is told %d times", quarantined(s.effects, record))
	for _, e := range s.effects {
		s.expect(e.Kind != engine.Recall, "the app is told of the session")
	}
}
