package tabs

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// The inputs by their names.

func (m *Machine) Living(now engine.Time, tab string) { m.Report(now, &Input{Kind: Living, Tab: tab}) }

func (m *Machine) Hear(now engine.Time, from string, knows bool) {
	if knows {
		m.Report(now, &Input{Kind: HearHere, Tab: from})
	} else {
		m.Report(now, &Input{Kind: Hear, Tab: from})
	}
}

func (m *Machine) HearStored(now engine.Time, from string, ops []byte) {
	m.Report(now, &Input{Kind: HearStored, Tab: from, Ops: ops})
}

func (m *Machine) HearTaken(now engine.Time, from string, head journal.Op, ops []byte) {
	head.Kind = journal.OpCall
	m.Report(now, &Input{Kind: HearTaken, Tab: from, Ops: append(journal.AppendOp(nil, head), ops...)})
}

func (m *Machine) HearReleased(now engine.Time, from string, call uint64) {
	m.Report(now, &Input{Kind: HearReleased, Tab: from, Ops: headOf(call)})
}

func (m *Machine) HearFrozen(now engine.Time, from string) {
	m.Report(now, &Input{Kind: HearFrozen, Tab: from})
}

func (m *Machine) Gone(now engine.Time, tab string) { m.Report(now, &Input{Kind: Gone, Tab: tab}) }

func (m *Machine) Missed(now engine.Time, call uint64) {
	m.Report(now, &Input{Kind: Missed, Ops: headOf(call)})
}

func (m *Machine) Answer(now engine.Time, ticket uint32, ops []byte) {
	m.Report(now, &Input{Kind: Answer, Ticket: ticket, Ops: ops})
}

func (m *Machine) Fenced(now engine.Time, ticket uint32, ops []byte) {
	m.Report(now, &Input{Kind: Fenced, Ticket: ticket, Ops: ops})
}

func (m *Machine) Landed(now engine.Time, ticket uint32, stored bool) {
	if stored {
		m.Report(now, &Input{Kind: Landed, Ticket: ticket})
	} else {
		m.Report(now, &Input{Kind: Failed, Ticket: ticket})
	}
}

func (m *Machine) Start(now engine.Time) { m.Report(now, &Input{Kind: Start}) }
func (m *Machine) Wake(now engine.Time)  { m.Report(now, &Input{Kind: Wake}) }
func (m *Machine) Show(now engine.Time)  { m.Report(now, &Input{Kind: Show}) }
func (m *Machine) Part(now engine.Time)  { m.Report(now, &Input{Kind: Part}) }
func (m *Machine) Rest()                 { m.Report(m.now, &Input{Kind: Rest}) }
func (m *Machine) Hide()                 { m.Report(m.now, &Input{Kind: Hide}) }

func (m *Machine) Visible(now engine.Time, visible bool) {
	if visible {
		m.Report(now, &Input{Kind: Visible})
	} else {
		m.Report(now, &Input{Kind: Hidden})
	}
}

func headOf(call uint64) []byte {
	return journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Call: call})
}

// MayFollow reports whether one state of a call may follow another.
func MayFollow(from, next int) bool { return transitions.May(uint8(from), uint8(next)) }

// MayFollowPage reports the same of the states of a page.
func MayFollowPage(from, next int) bool { return pageTransitions.May(uint8(from), uint8(next)) }

// IllegalTransitions returns how often a state was entered that may not follow.
func (m *Machine) IllegalTransitions() uint32 { return m.illegalTransitions }

// Epoch returns the epoch under which this tab carries a call.
func (m *Machine) Epoch(call uint64) (uint32, bool) {
	if c := m.calls.find(call); c != nil && c.state == owned {
		return c.epoch, true
	}
	return 0, false
}

// Follows reports whether this tab looks on at a call.
func (m *Machine) Follows(call uint64) bool {
	c := m.calls.find(call)
	return c != nil && c.state == followed
}
