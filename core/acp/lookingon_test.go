//go:build !js

package acp_test

import (
	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// lookingOn is a tab that looks on, with the channel between it and the tab that
// carries the sessions: what is said on it comes in its order, when carry says so.
type lookingOn struct {
	*looker
	waits   *waiters
	ask     func(text string) // of the tab that carries the sessions
	passed  int               // how many of its effects the channel has had
	channel []func()
	served  map[engine.CallID]uint64 // the calls that were made for it
	// that the tab which carries the sessions makes; the channel has them once they are stored
	commits [][]byte
}

// lookOn opens such a tab.
func (s *sim) lookOn() *lookingOn {
	l := &lookingOn{looker: s.look(77)}
	l.waits = newWaiters(func() []engine.Effect { return l.told },
		func(session uint32, text string) (id engine.CallID) {
			l.do(func(c *acp.Client) {
				id = c.Request(l.Now, session, "session/prompt",
					[]byte(`{"prompt":[{"type":"text","text":"`+text+`"}]}`))
			})
			return id
		})
	l.served = map[engine.CallID]uint64{}
	s.also = func(e engine.Effect) {
		switch id := l.served[e.C]; {
		case e.Kind == engine.Store:
			l.commits = append(l.commits, unsealed(broadcast(e.Data)))
		case e.Kind == engine.Settle && id != 0:
			l.say(
				func() {
					l.do(
						func(c *acp.Client) { c.ForwardSettled(l.Now, id, e.Outcome, e.Data, e.Failure) })
				})
		}
	}
	s.lands = func() { // it is told before the client hears that it is stored (core/tabs)
		rows := l.commits[0]
		l.commits = l.commits[1:]
		l.say(func() { l.do(func(c *acp.Client) { c.Restore(l.Now, rows) }) })
	}
	l.ask = func(text string) {
		if call := s.ask(text); call != 0 {
			l.served[call] = idIn(text)
			l.say(func() { l.do(func(c *acp.Client) { c.ForwardSettled(l.Now, idIn(text), 0, nil, nil) }) })
		}
	}
	return l
}

// broadcast is what the tabs tell each other of a commit: of a record that is written again
// not that it was deleted (core/tabs).
func broadcast(ops []byte) (b []byte) {
	made := map[uint64]bool{}
	for r := journal.ReadOps(ops); ; {
		op, ok := r.Next()
		if !ok {
			break
		}
		made[op.Call] = made[op.Call] || op.Kind == journal.OpCall
	}
	for r := journal.ReadOps(ops); ; {
		op, ok := r.Next()
		if !ok {
			return b
		}
		if op.Kind != journal.OpForget || !made[op.Call] {
			b = journal.AppendOp(b, op)
		}
	}
}

func (l *lookingOn) say(message func()) { l.channel = append(l.channel, message) }

// carry brings what was said first on the channel, and reports whether there was anything.
func (l *lookingOn) carry() bool {
	for _, e := range l.told[l.passed:] {
		if e.Kind == engine.Deliver && e.Event == engine.EventForward {
			text := string(e.Data)
			l.say(func() { l.ask(text) })
		}
	}
	l.passed = len(l.told)
	if len(l.channel) == 0 {
		return false
	}
	first := l.channel[0]
	l.channel = l.channel[1:]
	first()
	l.waits.hear()
	return true
}

// drain carries all that is said between the tabs.
func drain(l *lookingOn) {
	for l.carry() {
	}
	l.waits.hear()
}
