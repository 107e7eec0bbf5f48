//go:build !js

package acp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestAttemptsResetOnProgress: a connection that brought news and was lost is made
// again soon, however often that was before and however short it lasted:
// attempts start over on progress.
func TestAttemptsResetOnProgress(t *testing.T) {
	s, _, agent := opened(t, newModel())
	for i := range 12 {
		news := fmt.Sprintf("news %d", i)
		s.agent.forget(s)
		s.settle(5_000) // the ladder's second step is 4 s at most
		agent.chunk("a", news)
		s.settle(0)
		s.expect(len(s.events(engine.EventItem, news)) > 0, "%q is not heard 5 s after loss %d", news,
			i+1)
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

// TestResumedOnAnotherConnection: the app takes up a session without its history, and
// the connection is lost before the agent has answered. It is asked again on the next
// one, and what the app prompts then leaves.
func TestResumedOnAnotherConnection(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	s.settle(0)
	m.sessions["s1"] = &modelSession{m: m, id: "s1", conn: m.connections["c1"], state: `"state":"idle"`}
	m.silent["session/resume"] = true
	call := s.request(0, "session/resume", `{"sessionId":"s1","cwd":"/w","mcpServers":[]}`)
	s.settle(0)
	delete(m.silent, "session/resume")
	m.connections = map[string]*modelConnection{} // no stream ends: the next POST is refused
	s.request(0, "session/list", `{}`)
	s.settle(60_000)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not taken up")
	s.prompt(s.handle("s1"), "hi")
	s.settle(60_000)
	s.expect(len(m.of("session/prompt")) == 1, "the prompt does not leave")
}
