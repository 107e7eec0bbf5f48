//go:build !js

package acp_test

import (
	"math/rand/v2"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestQuestionHistories: an agent asks; a person answers in one of two tabs, or in both; the agent takes
// questions back; streams are cut, connections forgotten, pages loaded and sessions handed on.
// In the end nothing waits, in no tab, and each question was answered once.
func TestQuestionHistories(t *testing.T) {
	seeded(t, 300, questionHistory)
}

// openOf returns the questions that were asked and not withdrawn.
func openOf(effects []engine.Effect) (all []engine.Effect) {
	gone := map[uint32]bool{}
	for _, e := range effects {
		if e.Kind == engine.Deliver && e.Event == engine.EventWithdrawn {
			gone[e.Position] = true
		}
	}
	for _, e := range effects {
		if e.Kind == engine.Deliver && e.Event == engine.EventQuestion && !gone[e.Position] {
			all = append(all, e)
		}
	}
	return all
}

func questionHistory(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 3))
	m := quiet()
	s := newSim(t, acp.Config{Tabs: true}, m)
	_, id := s.session()
	a := m.sessions[id]
	l := s.lookOn()
	done := map[uint32]bool{}  // answered here by the person
	there := map[uint32]bool{} // and there
	answerHere := func() {
		for _, q := range openOf(s.effects) {
			if !done[q.Position] {
				done[q.Position] = true
				s.respond(q, yes)
				return
			}
		}
	}
	answerThere := func() {
		for _, q := range openOf(l.told) {
			if !there[q.Position] {
				there[q.Position] = true
				l.do(func(c *acp.Client) { c.Respond(l.Now, q.Position, true, []byte(yes)) })
				return
			}
		}
	}
	for range 20 + random.IntN(60) {
		switch choice := random.IntN(30); {
		case choice < 4 && a.asking == "":
			a.ask(func() {})
		case choice < 5 && a.asking != "":
			a.conn.say(a.id, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`,
				a.askID)
		case choice < 11:
			if x, frame, ok := m.take(s); ok {
				s.chunk(x, frame)
			}
		case choice < 14:
			answerHere()
		case choice < 17:
			answerThere()
		case choice < 18:
			if all := m.streams(); len(all) > 0 {
				s.cut(all[random.IntN(len(all))], random.IntN(2))
			}
		case choice < 19 && random.IntN(2) == 0:
			l.commits = nil // they went with their page
			s.load()
			done = map[uint32]bool{}
			clear(l.served)
			stored := unsealed(s.Store.Followed())
			l.say(func() { l.do(func(c *acp.Client) { c.Restore(l.Now, stored) }) })
		case choice < 20 && random.IntN(2) == 0:
			m.forget(s)
		case choice < 21:
			s.slow = !s.slow
			s.queue = append(s.queue, s.landed)
			s.pump()
		case choice < 23 && random.IntN(3) == 0:
			s.cancel(s.handle(id))
		case choice < 27:
			l.carry()
		default:
			s.settleOne(int64(random.IntN(8)) * 300)
		}
	}
	s.slow = false
	s.queue = append(s.queue, s.landed)
	s.pump()
	for range 10 {
		s.settle(60_000)
		for l.carry() {
		}
		answerHere()
		for l.carry() {
		}
	}
	s.settle(60_000)
	for l.carry() {
	}
	s.expect(a.asking == "", "seed %d: the agent waits still; here %d are open, there %d", seed,
		len(openOf(s.effects)), len(openOf(l.told)))
	for _, q := range openOf(s.effects) {
		s.expect(done[q.Position], "seed %d: open here still %s", seed, q.Data)
	}
	if n := len(openOf(l.told)); n != 0 {
		s.fatal("seed %d: %d are open there; that tab:\n%s", seed, n, l.Log())
	}
	for q, n := range m.answered {
		s.expect(n <= 1 || s.forgetful, "seed %d: question %s was answered %d times", seed, q, n)
	}
}
