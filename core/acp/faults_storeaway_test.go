//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// storeFails has the store fail, and storeWorks has it work again.
func (s *sim) storeFails() {
	s.do("the store fails", func(c *acp.Client, now engine.Time) { c.StoreGone(now, durable.ReasonLost) })
}

func (s *sim) storeWorks() {
	s.do("the store works", func(c *acp.Client, now engine.Time) { c.Stored(now, 0, journal.ResultOK, 0) })
}

// storedAgain has it do both: what is alive is rewritten.
func (s *sim) storedAgain() {
	s.storeFails()
	s.storeWorks()
}

// TestFault478_MadeMeanwhile: a session is made while nothing can be stored. Once the store
// works again the session is stored, and the next page has it.
func TestFault478_MadeMeanwhile(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	s.storeFails()
	handle, id := s.session()
	m.sessions[id].ask(func() {})
	s.prompt(handle, "hi")
	s.settle(0)
	s.storeWorks()
	s.load()
	s.handle(id)
	s.expect(len(s.open()) == 1 && len(s.events(engine.EventItem, `"pending"`)) == 1,
		"it is asked %d times", len(s.open()))
}

// TestFault478_ForgottenMeanwhile: a session is forgotten while nothing can be stored. A
// deletion can be, as a rule; else it is deleted once the store works again.
func TestFault478_ForgottenMeanwhile(t *testing.T) {
	for _, atOnce := range []bool{true, false} {
		s, handle, _ := opened(t, newModel())
		s.storeFails()
		s.slow = !atOnce
		s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, handle) })
		s.expect((len(s.Store.Heads()) == 0) == atOnce, "at once %v: %d are stored", atOnce,
			len(s.Store.Heads()))
		if !atOnce {
			s.Store.Drop()
			s.settle(10_000) // given up
			s.slow = false
		}
		s.storeWorks()
		s.settle(1_000)
		s.expect(len(s.Store.Heads()) == 0, "at once %v: it is stored still", atOnce)
		s.load()
		s.expect(len(s.find(func(e engine.Effect) bool { return e.Kind == engine.Recall })) == 0,
			"it was recalled")
	}
}

// TestFault478_TakenOverMeanwhile: a tab takes a session over while it can store nothing. What
// the agent asks there, and says, is stored once the store works again.
func TestFault478_TakenOverMeanwhile(t *testing.T) {
	m := newModel()
	there := newSim(t, acp.Config{}, m)
	_, id := there.session()
	s := newSim(t, acp.Config{Epoch: 50, Tabs: true}, m)
	s.do("look on", func(c *acp.Client, now engine.Time) { c.Restore(now, unsealed(there.Store.Followed())) })
	s.storeFails()
	m.leaveAll()
	stored := inEpoch(there.Store.Loaded(), 2)
	s.Store = there.Store
	s.do("take over", func(c *acp.Client, now engine.Time) { c.Restore(now, stored) })
	s.settle(1_000)
	m.sessions[id].ask(func() {})
	s.settle(1_000)
	s.expect(len(s.open()) == 1, "not asked")
	s.storeWorks()
	s.settle(1_000)
	s.load()
	s.expect(len(s.open()) == 1, "the next page does not ask: %s",
		strings.Join(s.Trace[len(s.Trace)-10:], "\n"))
}

// TestFault478_ForgottenOneAfterAnother: while the first is being deleted another session is
// forgotten; and the store works again before it has said that they are.
func TestFault478_ForgottenOneAfterAnother(t *testing.T) {
	for _, works := range []bool{false, true} {
		s, first, _ := opened(t, newModel())
		second, _ := s.session()
		s.storeFails()
		s.slow = true
		for _, handle := range []uint32{first, second} {
			s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, handle) })
		}
		if works {
			s.storeWorks()
		}
		s.slow = false
		s.landed()
		s.pump()
		s.expect(len(s.Store.Heads()) == 0, "%d are stored still", len(s.Store.Heads()))
	}
}

// TestFault478_ForgottenWithACommitThatFails: the store fails for the commit that deletes a
// session. It is deleted once the store works again.
func TestFault478_ForgottenWithACommitThatFails(t *testing.T) {
	s, handle, _ := opened(t, newModel())
	s.slow = true
	s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, handle) })
	s.expect(s.Store.Flying() != 0, "nothing is being stored")
	ticket := s.Store.Flying()
	s.Store.Drop()
	s.slow = false
	s.do("failed", func(c *acp.Client, now engine.Time) {
		c.Stored(now, ticket, journal.ResultFailed, durable.ReasonFailed)
	})
	s.storeWorks()
	s.settle(1_000)
	s.expect(len(s.Store.Heads()) == 0, "it is stored still")
}
