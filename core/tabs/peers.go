package tabs

import "github.com/holdfast-mcp/holdfast/core/engine"

const (
	// pingEvery is how often a tab asks those that carry calls whether they can answer, in ms.
	pingEvery = 1_000
	// silence is how long one may be silent before its calls are taken over, in ms: it
	// hangs, or is frozen, and keeps its lock.
	silence = 3_000
	// pollEvery is how often a tab without a channel reads what it follows, and after how
	// long a call is read again that could not be, in ms.
	pollEvery = 2_000
)

// peer is another tab.
type peer struct {
	name    string
	heard   bool // it has said something: it is of this server and user
	known   bool // it knows that this tab is there: it tells of all that it stores
	judged  bool // it is asked whether it can answer
	heardAt engine.Time
	_       [0]func() // it has no ==: the code for one would be in the wasm
}

// hear notes who has said something. Until a tab knows that this one is there it may not
// broadcast what it stores: what it carries is read once it does. What it says of its
// calls proves nothing, since others may be there that it says it to (fault 177).
func (m *Machine) hear(from string, knows bool) {
	p := m.peer(from)
	if p == nil {
		return
	}
	p.heard = true
	if m.pingAt != engine.Never {
		p.judged, p.heardAt = true, m.now
	}
	if p.known || !knows {
		return
	}
	p.known = true
	for _, call := range m.carriedBy(from) {
		m.readAnew(call, nil)
	}
}

// peer returns another tab, and has its end watched for; nil for this one and for nobody.
func (m *Machine) peer(name string) *peer {
	if name == "" || name == m.tab {
		return nil
	}
	for _, p := range m.peers {
		if p.name == name {
			return p
		}
	}
	p := &peer{name: name}
	m.peers = append(m.peers, p)
	m.emit(Watch, 0).Tab = name
	return p
}

// watchOwners watches those that carry calls without an outcome, and begins to ask whether
// they can answer, or stops that where there is none.
func (m *Machine) watchOwners() {
	any := false
	for _, c := range m.calls {
		if c.state == followed && !c.ended && m.peer(c.owner) != nil {
			any = true
		}
	}
	switch {
	case !any || m.hidden:
		m.pingAt = engine.Never
		m.unjudge()
	case m.pingAt == engine.Never:
		m.pingAt = m.now.After(pingEvery)
	}
}

// unjudge judges nobody by what this page could not hear.
func (m *Machine) unjudge() {
	for _, p := range m.peers {
		p.judged = false
	}
}

// ping asks those that carry calls whether they can answer, and takes over from those
// that have been silent for too long.
func (m *Machine) ping() {
	if m.now.Since(m.lastPing) > 2*pingEvery {
		m.unjudge() // a page that was busy itself has not heard the others
	}
	m.lastPing, m.pingAt = m.now, m.now.After(pingEvery)
	for _, p := range m.peers {
		if len(m.carriedBy(p.name)) == 0 {
			continue
		}
		if !p.judged {
			p.judged, p.heardAt = true, m.now
		} else if m.now.Since(p.heardAt) > silence {
			p.heardAt = m.now
			m.takeOver(p.name, true)
		}
		m.emit(Ping, 0).Tab = p.name
	}
}
