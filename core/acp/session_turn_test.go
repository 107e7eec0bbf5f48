//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
)

// TestTurn runs a turn of the scripted peer's; TestOfficialTurn one of the official server's.
func TestTurn(t *testing.T) {
	for name, options := range map[string]acppeer.Options{
		"peer":  {},
		"draft": {EmptyAck: true, State: "state_change"},
		"v1":    {Version: 1},
	} {
		t.Run(name, func(t *testing.T) { turn(t, acppeer.New(t, options).URL()) })
	}
	t.Run("peer over WebSocket",
		func(t *testing.T) { turn(t, acppeer.New(t, acppeer.Options{}).WebSocketURL()) })
}

// turn has the agent at url count in a turn, and looks at what is shown.
func turn(t *testing.T, url string) {
	p := open(t, url, nil)
	s, id := p.newSession()
	if e := p.settled(p.prompt(s, id, "count 5")); e.Outcome != engine.OutcomeResult {
		t.Fatalf("prompt: %v %s", e.Failure, e.Data)
	}
	p.wait(engine.Deliver, engine.EventPhase, `"ended":true`)
	p.waitText(s, counted(5))
}
