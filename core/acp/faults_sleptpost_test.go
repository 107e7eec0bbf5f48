//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault810_SleepIsNoSilence: the page sleeps while a message is on its way. Nobody could hear an answer
// meanwhile, so that its server still has the time that it had.
func TestFault810_SleepIsNoSilence(t *testing.T) {
	s, handle, _ := opened(t, newModel())
	s.post = promptsTravel
	call := s.prompt(handle, "one")
	s.settle(0)
	const gap = 600_000
	s.Now = s.Now.After(gap)
	s.do("woke", func(c *acp.Client, now engine.Time) { c.Woke(now, gap) })
	s.settle(20_000)
	s.arrive()
	s.settle(0)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "it has not arrived: %v", s.settled(call).Failure)
}
