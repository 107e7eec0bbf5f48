//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Fault 121: what is stored of an agent is deleted while a turn is under way, with a
// commit that lands before and is heard of late, or is refused. The turn is read to its
// end, nothing of it is written again, the app is told once, and nothing more leaves (fault 718).
func TestFault121_AgentForgottenInATurn(t *testing.T) {
	for _, result := range []journal.Result{journal.ResultOK, journal.ResultFailed} {
		s, handle, a := opened(t, quiet())
		s.settle(0)
		call := s.prompt(handle, "hi")
		s.settle(0)
		s.slow = true
		a.is(`"state":"running"`)
		s.settle(0)
		waiting := s.Store.Waiting()
		s.expect(len(waiting) == 1, "%d commits are under way", len(waiting))
		last := waiting[0]
		s.Store.Drop()
		s.do("forgotten", func(c *acp.Client, now engine.Time) { c.StoreGone(now, durable.ReasonClosed) })
		s.do("stored late",
			func(c *acp.Client, now engine.Time) { c.Stored(now, last, result, durable.ReasonClosed) })
		s.do("forgotten", func(c *acp.Client, now engine.Time) { c.StoreGone(now, durable.ReasonClosed) })
		s.settle(0)
		a.is(`"state":"idle","stopReason":"end_turn"`)
		s.settle(0)
		s.session()
		again := s.prompt(handle, "more")
		s.settle(0)
		s.expect(s.settled(call).Outcome == engine.OutcomeResult, "a prompt that has left is not taken in")
		refused := s.settled(again)
		s.expect(refused.Failure != nil && refused.Failure.Code == engine.CodeUnsent,
			"a prompt leaves behind the logout (fault 718)")
		s.expect(len(s.Store.Waiting()) == 0, "it stores again")
		s.expect(len(s.events(engine.EventDurability, "")) == 1 &&
			len(s.events(engine.EventDurability, `"why":"closed"`)) == 1, "the app is not told once")
	}
}
