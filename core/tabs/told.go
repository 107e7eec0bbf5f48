package tabs

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// What an app was handed is deleted at once, and the tab that carried the call remembers it for a while. A tab that
// holds the call and has not got its outcome asks for it, when it finds the call gone: it was read while it ended,
// or this page was loading, frozen, in the back/forward cache, or hung.

// toldWithin is how long whoever carried a call may take to tell how that has ended, in ms: a page that takes
// nothing for so long counts as gone.
const toldWithin = 5_000

// asks asks how a call has ended that is not stored any more; false where nobody could tell, or it is known.
func (m *Machine) asks(c *entry, flags journal.OpFlags) bool {
	isBack := m.presence.page == pageCached // it wakes, and is shown next: it knows of no other tab yet
	if flags&journal.OpEnded == 0 || m.deaf || len(m.peers) == 0 && !isBack {
		return false
	}
	if s := m.client.Standing(c.id); s == Unknown || s == Ended {
		return false
	}
	if c.state == owned { // another tab took it over: this one's client lets go of it
		head := &journal.Op{Kind: journal.OpCall, Flags: flags, Call: c.id, Epoch: c.epoch + 1}
		m.client.Restore(m.now, appendOp(nil, head))
	}
	m.enter(c, asked)
	*c = entry{id: c.id, state: asked, epoch: c.epoch, flags: flags &^ journal.OpEnded}
	m.changed = true
	m.ask(c)
	return true
}

func (m *Machine) ask(c *entry) {
	c.askedAt = m.now
	m.askAt = min(m.askAt, m.now.After(toldWithin))
	m.emit(Ask, c.id)
}

// askAgain asks for what the page could not hear while it slept.
func (m *Machine) askAgain() {
	for _, c := range m.all() {
		switch {
		case c.state != asked:
		case len(m.peers) == 0 && m.presence.page == pageAwake:
			m.letGo(c)
		default:
			m.ask(c)
		}
	}
}

// tell tells how a call has ended that this tab has carried, if it remembers that.
func (m *Machine) tell(ops []byte) {
	r := readOps(ops)
	if m.presence.page == pageParted || !r.about() {
		return
	}
	if told := m.client.Remembered(m.now, r.op.Call); told != nil {
		m.emit(Tell, 0).Ops = told
	}
}

// told takes what another tab tells so. Nothing ends by it that is still stored.
func (m *Machine) told(ops []byte) {
	r := readOps(ops)
	if !r.next() || r.op.Kind != journal.OpForget || r.op.Flags.Outcome() == 0 || len(r.op.Plain) == 0 {
		return
	}
	if c := m.calls.find(r.op.Call); c != nil && c.state == asked {
		m.remove(c.id)
		m.client.Restore(m.now, appendOp(nil, &r.op))
	}
}

// askedInVain ends what nobody tells of.
func (m *Machine) askedInVain() {
	m.askAt = engine.Never
	for _, c := range m.all() {
		switch due := c.askedAt.After(toldWithin); {
		case c.state != asked:
		case m.now < due:
			m.askAt = min(m.askAt, due)
		default:
			m.letGo(c)
		}
	}
}

// letGo tells the client no more of a call than that it is over.
func (m *Machine) letGo(c *entry) {
	m.remove(c.id)
	m.client.Restore(m.now, appendOp(nil, &journal.Op{Kind: journal.OpForget, Flags: c.flags, Call: c.id}))
}

// lastRows takes the rows out of what has waited for a read that found no call any more: nothing else brings those
// that follow what is known.
func (m *Machine) lastRows(c *entry, waiting []*Input) (rest []*Input) {
	for _, in := range waiting {
		r := readOps(in.Ops)
		if in.Kind != HearStored || !r.next() || r.op.Kind != journal.OpLog {
			rest = append(rest, in)
		} else if r.op.Epoch == c.epoch && r.op.N == c.n+1 && c.state == followed {
			c.n++
			m.restore(c.id, in.Ops)
		}
	}
	return rest
}
