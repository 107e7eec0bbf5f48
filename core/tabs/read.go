package tabs

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// request is a Read or a TakeOver under way.
type request struct {
	ticket   uint32 // 0 where a call is read before it is taken over
	takes    bool   // it is a TakeOver
	call     uint64
	epoch, n uint32   // of a TakeOver: as far as the call was known
	waiting  []*Input // of a Read: what goes on once it is over
}

func (r *request) wait(in *Input) {
	if in != nil {
		r.waiting = append(r.waiting, in)
	}
}

// read reads a call's whole log, or joins the read that is under way: rows were missed,
// or it has changed hands.
func (m *Machine) read(call uint64, in *Input) {
	c := m.add(call)
	if c.state == unreadable {
		if in != nil {
			m.take(in)
		}
		return
	}
	if c.read == nil {
		m.ticket++
		c.read = &request{ticket: m.ticket, call: call}
		m.requests = append(m.requests, c.read)
		m.emit(Read, call).Ticket = m.ticket
	}
	c.read.wait(in)
}

// readAnew reads a call's log from now on: what a read that is under way finds may be older
// than what this tab has to know. Who waits for that one waits for the new one, too.
func (m *Machine) readAnew(call uint64, in *Input) {
	if c := m.calls.find(call); c != nil {
		c.read = nil
	}
	m.read(call, in)
}

// answered takes what the store says to a Read or a TakeOver.
func (m *Machine) answered(ticket uint32, ops []byte) {
	for i, r := range m.requests {
		if r.ticket != ticket {
			continue
		}
		m.requests = cut(m.requests, i)
		if r.takes {
			m.took(r, ops)
			return
		}
		c := m.calls.find(r.call)
		switch {
		case c != nil && c.read == r:
			c.read, c.stale = nil, false
			if o := readOps(ops); c.handed == 0 && o.next() && o.op.Kind == journal.OpForget {
				r.waiting = m.lastRows(c, r.waiting)
			}
			m.found(c, ops)
		// this one is void: the client knows by the next, and what waited first goes on first
		case c != nil && c.read != nil:
			c.read.waiting = append(r.waiting, c.read.waiting...)
			return
		}
		m.goOn(r.waiting)
		return
	}
}

// goOn goes on with what has waited for a read.
func (m *Machine) goOn(waiting []*Input) {
	for _, in := range waiting {
		m.take(in)
	}
}

// found takes what was read of a call.
func (m *Machine) found(c *entry, ops []byte) {
	r := readOps(ops)
	r.next()
	switch op := &r.op; {
	case op.Kind == journal.OpCall:
		l := r.call()
		m.book(l)
		if !l.owned() {
			m.restore(c.id, ops)
			m.takeUnowned(c.id)
		}
	case op.Kind == journal.OpForget && c.handed != 0:
		m.tellOver(
			appendOp(nil, &journal.Op{Kind: journal.OpForget, Flags: op.Flags & outcomeFlags, Call: c.id}))
		if m.client.Standing(c.id) == Unknown { // it has done with the call, and waits for nothing of it
			m.forget(c.id, op.Flags)
			return
		}
		// It has ended and was acknowledged meanwhile: what the new owner says of that comes next.
		seal := appendOp(nil, &journal.Op{Kind: journal.OpCall, Flags: op.Flags & outcomeFlags, Call: c.id,
			Epoch: c.handed, N: c.seal})
		m.follow(c, c.owner, c.handed, 0)
		m.restore(c.id, seal)
	case op.Kind == journal.OpForget:
		m.forget(c.id, op.Flags)
	default: // it failed
		m.readLater(c)
	}
}

// readLater reads a call again with the next poll.
func (m *Machine) readLater(c *entry) {
	c.stale = true
	m.pollAt = min(m.pollAt, m.now.After(pollEvery))
}

// poll reads again what could not be read, and, without a channel, all that is followed.
func (m *Machine) poll() {
	m.pollAt = engine.Never
	waiting := m.unread
	m.unread = nil
	for _, in := range waiting {
		m.read(in.call, in)
	}
	if m.deaf {
		m.pollAt = m.now.After(pollEvery)
	}
	for _, c := range m.all() {
		if c.stale || m.deaf && c.state == followed && !c.ended {
			c.stale = false
			m.read(c.id, nil)
		}
	}
}

// wake finds out what of this tab's calls others have taken over while the page slept.
// Awake follows once that is known of all that is under way; what has ended, which a
// page may have thousands of, holds nothing up.
func (m *Machine) wake() {
	m.unjudge()
	m.lookAround(true)
	m.askAgain()
	idle := len(m.behind) == 0
	m.waking++
	for _, c := range m.all() {
		if c.state == owned && !c.ended {
			m.waking++
			m.readAnew(c.id, &Input{Kind: knownForWake})
		} else if c.state == owned {
			m.behind = append(m.behind, c.id)
		}
	}
	m.woken()
	if idle {
		m.readBehind()
	}
}

func (m *Machine) woken() {
	if m.waking--; m.waking == 0 {
		m.emit(Awake, 0)
	}
}

// readBehind reads the next of the calls that nobody waits for.
func (m *Machine) readBehind() {
	for len(m.behind) > 0 {
		call := m.behind[0]
		m.behind = m.behind[1:]
		if m.calls.find(call) != nil {
			m.read(call, &Input{Kind: knownBehind})
			return
		}
	}
}

// show reads what is followed, after a time when nothing was heard.
func (m *Machine) show() {
	m.enterPage(pageAwake)
	m.lookAround(true)
	m.askAgain()
	for _, c := range m.all() {
		if c.state == followed {
			m.readAnew(c.id, nil)
		}
	}
}
