package coretest

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// What tests do with a store that no client does: they look into it, and write what
// another page, another build or a fault would.

// Heads returns the head of each call, in order of the calls.
func (s *Store) Heads() []journal.Op { return slices.Clone(s.heads) }

// Head returns the head of a call; false where it is not stored.
func (s *Store) Head(call uint64) (journal.Op, bool) {
	i := slices.IndexFunc(s.heads, func(head journal.Op) bool { return head.Call == call })
	if i < 0 {
		return journal.Op{}, false
	}
	return s.heads[i], true
}

// Rows returns the rows of a call that count, in order.
func (s *Store) Rows(call uint64) []journal.Op {
	head, ok := s.Head(call)
	if !ok {
		return nil
	}
	return s.log(head)
}

// Change lets do change every head and row.
func (s *Store) Change(do func(op *journal.Op)) {
	for _, ops := range [][]journal.Op{s.heads, s.logs} {
		for i := range ops {
			do(&ops[i])
		}
	}
}

// Lose takes a row away, as a browser that has lost data does.
func (s *Store) Lose(lost journal.Op) {
	s.logs = slices.DeleteFunc(s.logs, func(row journal.Op) bool {
		return row.Call == lost.Call && row.Epoch == lost.Epoch && row.N == lost.N
	})
}

// Append adds a row to the log of a call, as the page would that carries it.
func (s *Store) Append(call uint64, plain []byte) {
	head, _ := s.Head(call)
	row := journal.Op{Kind: journal.OpLog, Call: call, Epoch: head.Epoch, N: 1, Plain: plain}
	for _, other := range s.logs {
		if other.Call == call && other.Epoch == head.Epoch {
			row.N = max(row.N, other.N+1)
		}
	}
	s.add(&s.logs, row)
}

// Join adds the calls of another store, as if both pages had written to this one.
func (s *Store) Join(other *Store) {
	s.write(nil, true)
	if s.server == nil {
		s.server = other.server
	}
	for _, head := range other.heads {
		s.add(&s.heads, head)
		s.seals[head.Call] = slices.Clone(other.seals[head.Call])
	}
	for _, row := range other.logs {
		s.add(&s.logs, row)
	}
}

// Followed returns what a page is given that looks on at all calls.
func (s *Store) Followed() []byte {
	var b []byte
	if s.server != nil {
		b = journal.AppendOp(b, *s.server)
	}
	for _, head := range s.heads {
		b = journal.AppendOp(b, head)
		for _, row := range s.log(head) {
			b = journal.AppendOp(b, row)
		}
	}
	return b
}

// Commits that a client has given up are behind the one under way: where it has
// waited for long enough it goes on, and they may land yet.

// Begin takes a commit, behind those that have not landed.
func (s *Store) Begin(e engine.Effect) {
	if s != nil && s.flying != nil && e.Ticket != 0 {
		s.givenUp = append(s.givenUp, flight{s.ticket, s.flying})
	}
	s.begin(e)
}

// Waiting returns the tickets of the commits that have not landed, oldest first.
func (s *Store) Waiting() []uint32 {
	var tickets []uint32
	for _, f := range s.givenUp {
		tickets = append(tickets, f.ticket)
	}
	if s.flying != nil {
		tickets = append(tickets, s.ticket)
	}
	return tickets
}

// Land writes the oldest commit that has not landed, and returns its ticket.
func (s *Store) Land() uint32 {
	if len(s.givenUp) == 0 {
		s.land(true)
		return s.ticket
	}
	first := s.givenUp[0]
	s.givenUp = s.givenUp[1:]
	s.write(first.ops, true)
	return first.ticket
}

// Drop loses the commits that have not landed: their page is gone.
func (s *Store) Drop() { s.givenUp, s.flying = nil, nil }

// flight is a commit that has not landed.
type flight struct {
	ticket uint32
	ops    []journal.Op
}

// Orphans returns how many rows are stored of calls that have no head.
func (s *Store) Orphans() (n int) {
	for _, row := range s.logs {
		if !slices.Contains(s.Calls(), row.Call) {
			n++
		}
	}
	return n
}
