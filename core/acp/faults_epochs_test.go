//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 472: a session changes hands while it is being stored that a prompt leaves, and this
// tab gets it back before that commit lands. The prompt leaves once its row is stored under
// the new epoch, or who takes the session over next would take it for one that has not left.
func TestFault472_PromptLeavesUnderItsOwnEpoch(t *testing.T) {
	m := newModel()
	s := newSim(t, acp.Config{Tabs: true}, m)
	handle, _ := s.session()
	s.settle(0)
	s.slow = true
	s.prompt(handle, "hello")
	s.expect(s.Store.Flying() != 0, "nothing is being stored")
	s.do("taken",
		func(c *acp.Client, now engine.Time) { c.Restore(now, unsealed(inEpoch(s.Store.Followed(), 5))) })
	s.do("taken back", func(c *acp.Client, now engine.Time) { c.Restore(now, inEpoch(s.Store.Loaded(), 6)) })
	s.settle(1_000)
	s.landed() // the commit under the old epoch
	s.expect(len(m.of("session/prompt")) == 0, "it leaves with the commit of another epoch")
	s.slow = false
	s.queue = append(s.queue, s.landed)
	s.settle(60_000)
	s.expect(len(m.of("session/prompt")) == 1, "it leaves %d times", len(m.of("session/prompt")))
}
