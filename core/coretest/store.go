package coretest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// Store is a model of the host's store: what was committed survives Reload, what
// was not is gone.
type Store struct {
	// Quota is how many bytes of rows it has room for, 0 for no end. As in Chrome, what
	// a commit deletes makes no room for what it writes, and what only deletes needs none.
	Quota int
	// Lossy: a commit beside the one under way, of a page that is being left, stores nothing.
	Lossy bool

	server *journal.Op
	heads  []journal.Op // in order of their calls
	logs   []journal.Op // in order of call, epoch, n
	// The last row that counts, by call, of each epoch before its owner's.
	seals map[uint64][]uint32
	keys  map[string]uint64          // whose each key is, as long as that call is stored
	ended map[uint64]journal.OpFlags // with which calls were forgotten

	flying  []journal.Op
	ticket  uint32
	strict  bool
	givenUp []flight
}

// Flying returns the ticket of the commit under way, 0 for none.
func (s *Store) Flying() uint32 {
	if s == nil || s.flying == nil {
		return 0
	}
	return s.ticket
}

// Plain returns what rests unsealed: of all heads, rows and the server's row.
func (s *Store) Plain() []byte {
	var all []byte
	for _, op := range append(slices.Concat(s.heads, s.logs), *cmp.Or(s.server, new(journal.Op))) {
		all = append(append(all, op.Plain...), '\n')
	}
	return all
}

// full reports whether the commit under way finds no room.
func (s *Store) full() bool {
	writes := rowBytes(s.flying)
	return s.Quota > 0 && writes > 0 && s.Bytes()+writes > s.Quota
}

// Bytes returns how much it holds of calls.
func (s *Store) Bytes() int { return rowBytes(s.heads) + rowBytes(s.logs) }

func rowBytes(rows []journal.Op) (n int) {
	for _, op := range rows {
		n += len(op.Plain) + len(op.Secret)
	}
	return n
}

func (s *Store) begin(e engine.Effect) {
	if s == nil {
		panic("coretest: a commit without a store")
	}
	var ops []journal.Op
	for r := journal.ReadOps(e.Data); ; {
		op, ok := r.Next()
		if !ok {
			break
		}
		op.Plain, op.Secret = bytes.Clone(op.Plain), bytes.Clone(op.Secret)
		ops = append(ops, op)
	}
	if e.Ticket == durable.Beside { // of a page that is being left: nobody waits for it
		if !s.Lossy {
			s.write(ops, true)
		}
		return
	}
	s.ticket, s.flying, s.strict = e.Ticket, append([]journal.Op{}, ops...), e.Strict
}

// land writes the commit under way, and returns what its host tells the client
// first: which calls have lost their keys, and to whom. A row that is there already
// is an error of the client's: rows are added blind.
func (s *Store) land(sealed bool) (lost []byte) {
	ops := s.flying
	s.flying = nil
	claimed := map[uint64]bool{}
	for _, op := range ops {
		if op.Kind == journal.OpKey {
			claimed[op.Call] = true
		}
	}
	of := func(want func(journal.Op) bool) []journal.Op {
		return slices.DeleteFunc(slices.Clone(ops), func(op journal.Op) bool { return !want(op) })
	}
	s.write(of(func(op journal.Op) bool { return !claimed[op.Call] }), sealed)
	for _, op := range ops {
		if op.Kind != journal.OpKey {
			continue
		}
		holder := s.keys[string(op.Plain)]
		switch i := slices.Index(s.Calls(), holder); {
		case i < 0 || holder == op.Call:
			s.keys[string(op.Plain)] = op.Call
		case op.Flags&journal.OpOwned == 0:
			lost = journal.AppendOp(lost, journal.Op{Kind: journal.OpKey, Call: op.Call})
			lost = journal.AppendOp(lost, s.heads[i])
			for _, row := range s.log(s.heads[i]) {
				lost = journal.AppendOp(lost, row)
			}
			continue
		}
		s.write(of(func(other journal.Op) bool { return other.Call == op.Call }), sealed)
	}
	return lost
}

func (s *Store) write(ops []journal.Op, sealed bool) {
	if s.seals == nil {
		s.seals, s.keys, s.ended = map[uint64][]uint32{}, map[string]uint64{}, map[uint64]journal.OpFlags{}
	}
	for _, op := range ops {
		if !sealed {
			op.Secret = nil
		}
		switch op.Kind {
		case journal.OpServer:
			s.server = &op
		case journal.OpCall:
			s.add(&s.heads, op)
			s.seals[op.Call] = make([]uint32, op.Epoch-1)
		case journal.OpLog:
			if op.IsAck() {
				s.logs = slices.DeleteFunc(s.logs,
					func(row journal.Op) bool { return row.IsAck() && row.Call == op.Call && row.N <= op.N })
			}
			s.add(&s.logs, op)
		case journal.OpForget:
			same := func(other journal.Op) bool { return other.Call == op.Call }
			s.heads, s.logs = slices.DeleteFunc(s.heads, same), slices.DeleteFunc(s.logs, same)
			s.ended[op.Call] = journal.OpOutcome(op.Flags.Gone(), op.Flags.Outcome())
		}
	}
}

func (s *Store) add(rows *[]journal.Op, op journal.Op) {
	i, there := slices.BinarySearchFunc(*rows, op, func(a, b journal.Op) int {
		for _, d := range []int64{int64(a.Call) - int64(b.Call), int64(a.Epoch) - int64(b.Epoch),
			int64(a.N) - int64(b.N)} {
			if d != 0 {
				return int(max(min(d, 1), -1))
			}
		}
		return 0
	})
	if there {
		panic(fmt.Sprintf("coretest: row %d/%d/%d is there already", op.Call, op.Epoch, op.N))
	}
	*rows = slices.Insert(*rows, i, op)
}

// Loaded returns what a new page is given: all calls, each owned from here on by
// that page in an epoch of its own.
func (s *Store) Loaded() []byte {
	var b []byte
	if s.server != nil {
		b = journal.AppendOp(b, *s.server)
	}
	for i := range s.heads {
		head := s.take(i)
		head.Flags |= journal.OpOwned
		b = journal.AppendOp(b, head)
		for _, row := range s.log(head) {
			b = journal.AppendOp(b, row)
		}
	}
	return b
}

// take gives a call another owner, with an epoch of its own.
func (s *Store) take(i int) journal.Op {
	head := &s.heads[i]
	var last uint32
	for _, row := range s.logs {
		if row.Call == head.Call && row.Epoch == head.Epoch {
			last = max(last, row.N)
		}
	}
	s.seals[head.Call] = append(s.seals[head.Call], last)
	head.Epoch++
	return *head
}

// log returns the rows of a call that count: not what an owner wrote whose
// epoch was over, and who did not know it.
func (s *Store) log(head journal.Op) (rows []journal.Op) {
	for _, row := range s.logs {
		if row.Call == head.Call && (row.IsAck() || row.Epoch == head.Epoch ||
			row.Epoch < head.Epoch && row.N <= s.seals[head.Call][row.Epoch-1]) {
			rows = append(rows, row)
		}
	}
	return rows
}

// Record folds what is stored of a call; nil where nothing is.
func (s *Store) Record(call uint64) *recorded.Call {
	for _, head := range s.heads {
		if head.Call != call {
			continue
		}
		h, err := journal.ParseHead(head.Plain)
		if err != nil {
			panic(err)
		}
		r := recorded.New(h, len(head.Plain))
		acked, rows := journal.TakeAcks(s.log(head))
		defer func() { r.Acked = max(r.Acked, min(acked, r.Position)) }()
		for _, row := range rows {
			if err := r.Apply(row.Plain, row.Secret, nil); err != nil {
				panic(err)
			}
		}
		return r
	}
	return nil
}

// Calls returns the ids of the calls that are stored.
func (s *Store) Calls() []uint64 {
	var ids []uint64
	for _, head := range s.heads {
		ids = append(ids, head.Call)
	}
	return ids
}

// Gone returns what a call has left that was forgotten (journal.OpOutcome); 0 for nothing.
func (s *Store) Gone(call uint64) journal.OpFlags { return s.ended[call] }

// Stored ends the commit under way: for want of room where there is none (Store.Quota).
func (w *World[M]) Stored(result journal.Result, why durable.Reason) []engine.Effect {
	if w.Store.full() {
		result, why = journal.ResultQuota, durable.ReasonQuota
	}
	ticket, first := w.Store.ticket, []engine.Effect(nil)
	if result == journal.ResultOK || result == journal.ResultUnsealed {
		flown := w.Store.flying
		ops := w.Store.land(result == journal.ResultOK)
		if w.Store.strict {
			ops = append(ops, w.Store.fenced(flown)...)
		}
		if ops != nil {
			first = w.input("lost", func() { w.Client.Restore(w.Now, ops) })
		}
	}
	w.Store.flying = nil
	w.input("stored", func() { w.Client.Stored(w.Now, ticket, result, why) })
	w.Effects = append(first, w.Effects...)
	return w.Effects
}

// fenced returns what a host tells its client before it tells of a strict commit:
// the calls whose rows it holds, and that another page carries by now.
func (s *Store) fenced(ops []journal.Op) (b []byte) {
	for _, op := range ops {
		i := slices.IndexFunc(s.heads, func(head journal.Op) bool { return head.Call == op.Call })
		if op.Kind != journal.OpLog || op.IsAck() || i < 0 || s.heads[i].Epoch <= op.Epoch {
			continue
		}
		b = journal.AppendOp(b, s.heads[i])
		for _, row := range s.log(s.heads[i]) {
			b = journal.AppendOp(b, row)
		}
	}
	return b
}

// StoreBack lets a store that has failed, or fails now, work again: a commit that was
// given up has got there after all.
func (w *World[M]) StoreBack() []engine.Effect {
	return w.Input("storeback", func(m M, now engine.Time) {
		m.StoreGone(now, durable.ReasonLost)
		m.Stored(now, 0, journal.ResultOK, 0)
	})
}

// Reload replaces the client by one that a new page makes from what is stored:
// what was under way is gone, commits included. It is not started yet.
func (w *World[M]) Reload() []engine.Effect {
	w.page.Epoch++
	w.Store.Drop()
	w.Client = w.make(w.page)
	w.contract = contract{}
	loaded := w.Store.Loaded()
	return w.input("reload", func() { w.Client.Restore(w.Now, loaded) })
}

// SoundWall has the next page count what is stored to the time that it would read now:
// another page has read it a day before, from the same clock.
func (w *World[M]) SoundWall() { w.page.Sound = w.page.Wall + int64(w.Now) }

// JumpWall sets the wall clock that the next page sees on by so many ms, or back.
func (w *World[M]) JumpWall(ms int64) { w.page.Wall += ms }
