package tabs

import "github.com/holdfast-mcp/holdfast/core/journal"

// gone takes that a tab has ended.
func (m *Machine) gone(tab string) {
	for i, p := range m.peers {
		if p.name == tab {
			m.peers = cut(m.peers, i)
			break
		}
	}
	m.takeOver(tab, false)
}

// takeOver goes on with what a tab has carried that is gone, or lives and does not
// answer: then only with what can be gone on with. The store settles who does.
func (m *Machine) takeOver(owner string, lives bool) {
	for _, call := range m.carriedBy(owner) {
		m.takeFrom(call, owner, lives)
	}
}

// carriedBy returns the calls without an outcome that a tab carries, in any order: others
// may be taking them, too.
func (m *Machine) carriedBy(owner string) (list []uint64) {
	for _, c := range m.calls {
		if c.state == followed && !c.ended && c.owner == owner {
			list = append(list, c.id)
			last := len(list) - 1
			other := m.random.Below(int64(last) + 1)
			list[last], list[other] = list[other], c.id
		}
	}
	return list
}

// takeUnowned takes a call over that nobody has and the client could read.
func (m *Machine) takeUnowned(call uint64) {
	if c := m.calls.find(call); c != nil && c.state == followed && c.owner == "" &&
		m.client.Standing(call) != Unknown {
		m.takeFrom(call, "", false)
	}
}

// taking returns the place of a call's takeover among what was asked for, -1 for none.
func (m *Machine) taking(call uint64) int {
	for i, r := range m.requests {
		if r.takes && r.call == call {
			return i
		}
	}
	return -1
}

func (m *Machine) takeFrom(call uint64, owner string, lives bool) {
	if m.taking(call) >= 0 {
		return
	}
	// that may be so for as long as the store has no room: not in a loop
	if c := m.calls.find(call); c.refused {
		c.refused = false
		m.readLater(c)
		return
	}
	m.requests = append(m.requests, &request{takes: true, call: call})
	if lives {
		// What the others tell has no secrets, and so does not say whether it can be gone on with.
		m.read(call, &Input{Kind: knownForTakeOver, Tab: owner, call: call})
	} else {
		m.tryTake(call, owner, false)
	}
}

func (m *Machine) tryTake(call uint64, owner string, lives bool) {
	i := m.taking(call)
	c := m.calls.find(call)
	if c == nil || c.state != followed || c.owner != owner || c.ended && owner != "" ||
		lives && m.client.Standing(call) != Resumable {
		m.requests = cut(m.requests, i)
		return
	}
	m.ticket++
	r := m.requests[i]
	r.ticket, r.epoch, r.n = m.ticket, c.epoch, c.n
	e := m.emit(TakeOver, call)
	e.Ticket, e.Epoch = m.ticket, c.epoch
}

// took takes what became of a takeover.
func (m *Machine) took(t *request, ops []byte) {
	c := m.calls.find(t.call)
	l := readOps(ops).call()
	if l == nil {
		switch {
		case c == nil || c.state != followed:
		case c.epoch == t.epoch:
			c.refused = true
			m.read(t.call, nil)
		default:
			m.changed = true // who was first may have ended meanwhile: it is watched again
		}
		return
	}
	var waiting []*Input
	if c != nil && c.read != nil {
		waiting, c.read.waiting = c.read.waiting, nil
	}
	m.book(l)
	m.restore(t.call, ops)
	var rows []byte
	for r := readOps(ops); r.next(); {
		if op := &r.op; op.Kind == journal.OpLog && op.Epoch == l.epoch-1 && op.N > t.n {
			op.Secret = nil
			rows = appendOp(rows, op)
		}
	}
	m.broadcastTaken(l, rows)
	m.goOn(waiting)
}
