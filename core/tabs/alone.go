package tabs

import "github.com/holdfast-mcp/holdfast/core/engine"

// answersWithin is how long the tabs that were there before this one, or came while it
// slept, may take to say so before it counts as alone, in ms.
const answersWithin = 1_000

// presence is whether this tab is alone, as far as it can know.
type presence struct {
	told  bool        // the client has heard that it is
	since engine.Time // from when on it is, where no other tab says something; Never while it rests
}

// lookAround has the others say so, where there may be any.
func (m *Machine) lookAround(any bool) {
	m.presence.since = m.now
	if any {
		m.presence.since = m.now.After(answersWithin)
	}
}

// tellAlone tells the client where it has changed whether this tab is alone: it has heard
// of no other one of its server and user, would hear of one, and is awake.
func (m *Machine) tellAlone() {
	alone := !m.deaf && m.waking == 0 && m.now >= m.presence.since
	for _, p := range m.peers {
		alone = alone && !p.heard
	}
	if alone != m.presence.told {
		m.presence.told = alone
		m.client.Alone(m.now, alone)
	}
}

// aloneDue returns when this tab may turn out to be alone.
func (m *Machine) aloneDue() engine.Time {
	if m.presence.told || m.deaf {
		return engine.Never
	}
	for _, p := range m.peers {
		if p.heard {
			return engine.Never
		}
	}
	if m.now >= m.presence.since {
		return engine.Never
	}
	return m.presence.since
}
