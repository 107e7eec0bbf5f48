//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
)

// TestFault481_ParkedBeforeItsTurn: the agent has accepted a prompt and begins its turn later.
// Meanwhile the app uses another session, and the two have one stream: it comes back in time
// for the turn, as it does for one that is under way.
func TestFault481_ParkedBeforeItsTurn(t *testing.T) {
	m := newModel()
	s := newSim(t, acp.Config{}, m)
	first, id := s.session()
	second, _ := s.session()
	a := m.sessions[id]
	s.streamsOf(1)
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.echo(r, "u1")
		a.accept(r, "u1")
	}
	s.prompt(first, "one")
	s.settle(3_000)
	s.request(second, "session/set_config_option", `{"configId":"x","value":"y"}`)
	s.settle(6_000)
	a.is(`"state":"running"`)
	a.chunk("a1", "x")
	a.is(`"state":"idle","stopReason":"end_turn"`)
	s.settle(6_000)
	s.expect(s.ended() == 1, "%d turns ended in six seconds", s.ended())
}
