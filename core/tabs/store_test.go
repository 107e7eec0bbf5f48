package tabs_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/journal"
)

// store is what the tabs share: a model of web/src/storage. Each method is one transaction.
type store struct {
	server *journal.Op
	calls  []*stored // in the order in which they were added
	ended  map[uint64]journal.OpFlags
	loads  uint32
}

// stored is a call in the store.
type stored struct {
	head  journal.Op // its Epoch is the owner's
	owner string
	key   string
	seals []uint32 // the last row that counts, of each epoch before the owner's
	rows  []journal.Op
	acked uint32
}

func (s *store) find(call uint64) *stored {
	for _, c := range s.calls {
		if c.head.Call == call {
			return c
		}
	}
	return nil
}

// valid reports whether a row lies before the seal of its epoch.
func (c *stored) valid(row journal.Op) bool {
	return row.Epoch == c.head.Epoch || row.Epoch < c.head.Epoch && row.N <= c.seals[row.Epoch-1]
}

// ended reports whether it has its outcome.
func (c *stored) ended() bool {
	return slices.ContainsFunc(c.rows,
		func(row journal.Op) bool { return c.valid(row) && row.Flags&journal.OpEnded != 0 })
}

// list is the call as a tab reads it.
func (c *stored) list(tab string) []byte {
	head := c.head
	head.Flags, head.Secret = 0, []byte(c.owner)
	if c.owner == tab {
		head.Flags |= journal.OpOwned
	}
	var rows []journal.Op
	for _, row := range c.rows {
		if c.valid(row) {
			rows = append(rows, row)
			head.Flags |= row.Flags & journal.OpEnded
		}
	}
	b := journal.AppendOp(nil, head)
	if c.acked > 0 {
		b = journal.AppendOp(b, journal.AckRow(head.Call, c.acked))
	}
	for _, row := range rows {
		row.Flags = 0
		b = journal.AppendOp(b, row)
	}
	return b
}

// read answers a Read.
func (s *store) read(call uint64, tab string) []byte {
	if c := s.find(call); c != nil {
		return c.list(tab)
	}
	return journal.AppendOp(nil, journal.Op{Kind: journal.OpForget, Call: call, Flags: s.ended[call]})
}

// take gives a call another owner, if its epoch is still epoch.
func (s *store) take(call uint64, epoch uint32, tab string) []byte {
	c := s.find(call)
	if c == nil || c.head.Epoch != epoch {
		return nil
	}
	last := uint32(0)
	for _, row := range c.rows {
		if row.Epoch == epoch {
			last = max(last, row.N)
		}
	}
	c.seals = append(c.seals, last)
	c.head.Epoch, c.owner = epoch+1, tab
	return c.list(tab)
}

// load reads everything for a new tab, and takes over what tabs have that are gone.
func (s *store) load(tab string, lives func(string) bool) []byte {
	s.loads++
	var b []byte
	if s.server != nil {
		b = journal.AppendOp(b, *s.server)
	}
	for _, c := range s.calls {
		if c.owner != "" && !lives(c.owner) {
			s.take(c.head.Call, c.head.Epoch, tab)
		}
		b = append(b, c.list(tab)...)
	}
	return b
}

// commit writes ops of a tab in one transaction, and returns what it has found out
// (Machine.Fenced).
func (s *store) commit(data []byte, strict bool, tab string) (fenced []byte) {
	var ops []journal.Op
	guarded, claims := map[uint64]bool{}, map[uint64]string{}
	for r := journal.ReadOps(data); ; {
		op, ok := r.Next()
		if !ok {
			break
		}
		op.Plain, op.Secret = bytes.Clone(op.Plain), bytes.Clone(op.Secret)
		ops = append(ops, op)
		guarded[op.Call] = guarded[op.Call] || op.Kind == journal.OpForget && op.Flags&journal.OpOwned != 0
		if op.Kind == journal.OpKey {
			claims[op.Call] = string(op.Plain)
		}
	}
	skip := map[uint64]bool{}
	var lost []byte
	for _, op := range ops {
		if op.Call == 0 || skip[op.Call] {
			continue
		}
		if c := s.find(op.Call); guarded[op.Call] && c != nil && c.owner != tab {
			skip[op.Call] = true
			fenced = journal.AppendOp(fenced, journal.Op{Kind: journal.OpCall, Call: op.Call})
			continue
		}
		key, claimed := claims[op.Call]
		i := slices.IndexFunc(s.calls,
			func(c *stored) bool { return claimed && c.key == key && c.head.Call != op.Call })
		if i >= 0 {
			skip[op.Call] = true
			lost = journal.AppendOp(lost, journal.Op{Kind: journal.OpKey, Call: op.Call})
			lost = append(lost, s.calls[i].list(tab)...)
		}
	}
	looked := map[uint64]bool{}
	for _, op := range ops {
		if op.Kind == journal.OpServer || !skip[op.Call] {
			s.write(op, claims[op.Call], tab)
		}
		c := s.find(op.Call)
		if strict && op.Kind == journal.OpLog && op.Epoch > 0 && !skip[op.Call] && !looked[op.Call] &&
			(c == nil || c.owner != tab) {
			looked[op.Call] = true
			fenced = journal.AppendOp(fenced, journal.Op{Kind: journal.OpCall, Call: op.Call})
		}
	}
	return append(fenced, lost...)
}

func (s *store) write(op journal.Op, key, tab string) {
	c := s.find(op.Call)
	switch op.Kind {
	case journal.OpServer:
		s.server = &op
	case journal.OpCall:
		if c != nil {
			panic(fmt.Sprintf("call %d is there already", op.Call))
		}
		s.calls = append(s.calls, &stored{head: op, owner: tab, key: key, seals: make([]uint32, op.Epoch-1)})
	case journal.OpLog:
		switch {
		case c == nil: // of one that was deleted: nobody reads it
		case op.IsAck():
			c.acked = max(c.acked, op.N)
		default:
			for _, row := range c.rows {
				if row.Epoch == op.Epoch && row.N == op.N {
					panic(fmt.Sprintf("row %d/%d/%d is there already", op.Call, op.Epoch, op.N))
				}
			}
			c.rows = append(c.rows, op)
			slices.SortStableFunc(c.rows, func(a, b journal.Op) int {
				return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.N, b.N))
			})
		}
	case journal.OpForget:
		s.calls = slices.DeleteFunc(s.calls, func(other *stored) bool { return other == c })
		if flags := op.Flags & (0xf0 | journal.OpEnded); flags != 0 {
			s.ended[op.Call] = flags
		}
	}
}
