//go:build !js

package acp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestAttemptsResetOnProgress: a connection that brought news and was lost is made
// again soon, however often that was before and however short it lasted
// (RELIABILITY.md: attempts reset on progress).
func TestAttemptsResetOnProgress(t *testing.T) {
	s, _, agent := opened(t, newModel())
	for i := range 12 {
		news := fmt.Sprintf("news %d", i)
		s.agent.forget(s)
		s.settle(5_000) // the ladder's second step is 4 s at most
		agent.chunk("a", news)
		s.settle(0)
		s.expect(len(s.events(engine.EventTranscript, news)) > 0, "%q is not heard 5 s after loss %d", news, i+1)
	}
}

// TestAttemptsGrowWithoutProgress: a host that lets everybody connect and forgets them
// before it has said a thing is not asked for ever at once.
func TestAttemptsGrowWithoutProgress(t *testing.T) {
	s := newSim(t, acp.Config{}, newModel())
	s.settle(0)
	s.session()
	before := len(s.agent.of("initialize"))
	s.agent.forgets = true
	s.agent.forget(s)
	s.settle(600_000)
	tries := len(s.agent.of("initialize")) - before
	s.expect(tries > 10 && tries < 40, "%d attempts in ten minutes", tries)
}
