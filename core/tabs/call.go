package tabs

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// state says what a call is to this tab; doc.go has what leads from one to the other. A
// call that the tab has not heard of has no entry. enter alone changes it.
type state uint8

const (
	followed   state = iota // another tab carries it, or nobody does
	owned                   // this tab carries it
	unreadable              // the client cannot read it
	asked                   // it is not stored any more, and who carried it is asked how it has ended
)

// transitions are the states that may follow each.
var transitions = engine.Transitions{
	followed:   1<<owned | 1<<unreadable | 1<<asked,
	owned:      1<<followed | 1<<unreadable | 1<<asked,
	unreadable: 1<<followed | 1<<owned,
	asked:      1<<followed | 1<<owned,
}

// enter has a call in another state.
func (m *Machine) enter(c *entry, next state) {
	engine.Enter(&transitions, &c.state, next, &m.illegalTransitions)
}

// entry is what is known of one call.
type entry struct {
	id    uint64
	state state
	// epoch is the one that this tab writes under, or that of the last row that it knows.
	epoch uint32
	n     uint32 // the number of that row, where the call is followed
	owner string // who carries it, where that is known; "" for nobody
	ended bool   // it has its outcome: nobody needs to carry it
	keyed bool   // it has a key, by which a tab may follow it that is not known here
	stale bool   // it is read again with the next poll: the last read has failed, or a takeover
	// refused: the store has not given it to this tab, nor, as far as is known, to another one.
	refused bool
	read    *request // of its log, under way
	// handed is the new epoch, where this tab carried the call until another one said that
	// it does; seal is the last row of the epoch before.
	handed, seal uint32
	// flags say how it had ended, and askedAt when it was asked after, where it is.
	flags   journal.OpFlags
	askedAt engine.Time
	_       [0]func() // it has no ==: the code for one would be in the wasm
}

// calls are the entries of one tab, in order of their calls.
type calls []*entry

// place returns where a call is, or would be.
func (cs calls) place(call uint64) int {
	from, to := 0, len(cs)
	for from < to {
		if mid := (from + to) / 2; cs[mid].id < call {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from
}

// find returns a call's entry, nil if there is none.
func (cs calls) find(call uint64) *entry {
	if i := cs.place(call); i < len(cs) && cs[i].id == call {
		return cs[i]
	}
	return nil
}

// add returns a call's entry, a new one if there is none. Calls are numbered as they are
// made, so that it goes to the end as a rule.
func (m *Machine) add(call uint64) *entry {
	if c := m.calls.find(call); c != nil {
		return c
	}
	c := &entry{id: call}
	list := append(m.calls, c)
	for i := len(list) - 1; i > 0 && list[i-1].id > call; i-- {
		list[i], list[i-1] = list[i-1], c
	}
	m.calls = list
	return c
}

// remove forgets a call.
func (m *Machine) remove(call uint64) {
	m.changed = true
	if m.calls.find(call) != nil {
		m.calls = cut(m.calls, m.calls.place(call))
	}
}

// all returns the entries, for a loop that changes them.
func (m *Machine) all() []*entry { return append([]*entry(nil), m.calls...) }

// own notes that this tab carries a call.
func (m *Machine) own(call uint64, epoch uint32) *entry {
	c := m.add(call)
	m.enter(c, owned)
	c.epoch, c.owner, c.handed, c.read = epoch, "", 0, nil
	m.changed = true
	return c
}

// follow notes that another tab carries a call, and which row of it is known last. A
// read that is under way says nothing any more.
func (m *Machine) follow(c *entry, owner string, epoch, n uint32) {
	if c.state == owned {
		c.ended = false // what it had for an outcome lies behind the seal
	}
	m.enter(c, followed)
	c.refused = c.refused && c.epoch == epoch
	c.owner, c.epoch, c.n, c.handed, c.read = owner, epoch, n, 0, nil
	m.changed = true
}

// book notes whose a call is that was read.
func (m *Machine) book(l *loaded) {
	var c *entry
	if l.owned() {
		c = m.own(l.call, l.epoch)
	} else {
		c = m.add(l.call)
		m.follow(c, string(l.owner), l.epoch, l.n)
	}
	c.ended = c.ended || l.flags&journal.OpEnded != 0
}

// restore gives the client what is stored of a call.
func (m *Machine) restore(call uint64, ops []byte) {
	m.client.Restore(m.now, ops)
	c := m.calls.find(call)
	if c != nil && !c.ended && m.client.Standing(call) == Ended {
		c.ended, m.changed = true, true
	}
}
