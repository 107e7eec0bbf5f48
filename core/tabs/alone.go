package tabs

import "github.com/holdfast-mcp/holdfast/core/engine"

// answersWithin is how long the tabs that were there before this one, or came while it
// slept, may take to say so before it counts as alone, in ms.
const answersWithin = 1_000

// pageState is what has become of this tab's page, as far as it bears on whom it hears of.
// enterPage alone changes it.
type pageState uint8

const (
	pageLoading pageState = iota // the client has not got all that was loaded
	pageAwake                    // it hears of others, and they of it
	pageFrozen                   // it is frozen
	// in the back/forward cache, where it has no channel; Chrome has it wake before it is shown
	pageCached
	pageParted // what was stored is deleted
)

// pageTransitions are the states that may follow each.
var pageTransitions = engine.Transitions{
	pageLoading: 1<<pageAwake | 1<<pageFrozen | 1<<pageCached | 1<<pageParted,
	pageAwake:   1<<pageFrozen | 1<<pageCached | 1<<pageParted,
	pageFrozen:  1<<pageAwake | 1<<pageCached | 1<<pageParted,
	pageCached:  1<<pageAwake | 1<<pageParted,
	pageParted:  0,
}

// presence is whether this tab is alone, as far as it can know.
type presence struct {
	page  pageState
	told  bool        // the client has heard that it is
	since engine.Time // from when on it is, where it is awake and no other tab says something
}

// enterPage has the page in another state, where that may follow.
func (m *Machine) enterPage(next pageState) {
	if pageTransitions.May(uint8(m.presence.page), uint8(next)) {
		m.presence.page = next
	}
}

// lookAround has the others say so, where there may be any.
func (m *Machine) lookAround(any bool) {
	m.presence.since = m.now
	if any {
		m.presence.since = m.now.After(answersWithin)
	}
}

// tellAlone tells the client where it has changed whether this tab is alone: it has heard
// of no other one of its server and user, and nothing else speaks against it.
func (m *Machine) tellAlone() {
	alone := m.mayBeAlone() && m.waking == 0 && m.now >= m.presence.since
	if alone != m.presence.told {
		m.presence.told = alone
		m.client.Alone(m.now, alone)
	}
}

// mayBeAlone reports whether this tab is awake, would hear of others and of its own end,
// has heard of none, and is seen. What is to be stored after 50 ms waits up to a minute for
// a timer of a hidden page, and a phone ends such a page without a word.
func (m *Machine) mayBeAlone() bool {
	if m.deaf || m.abrupt || m.hidden || m.presence.page != pageAwake {
		return false
	}
	for _, p := range m.peers {
		if p.heard {
			return false
		}
	}
	return true
}

// aloneDue returns when this tab may turn out to be alone.
func (m *Machine) aloneDue() engine.Time {
	if m.presence.told || m.now >= m.presence.since || !m.mayBeAlone() {
		return engine.Never
	}
	return m.presence.since
}
