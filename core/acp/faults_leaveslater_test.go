//go:build !js

package acp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault595_TurnBeforeThePromptLeft: an app prompts, and the prompt waits. Meanwhile a turn ends of which
// that app has heard nothing before: of an earlier page's prompt, or of the agent's own. Then the prompt
// leaves, and is accepted before its turn begins. It settles with the end of its turn, and not with the one
// that was over when it left.
func TestFault595_TurnBeforeThePromptLeft(t *testing.T) {
	tests := []struct {
		name string
		wait func(s *sim, a *modelSession) (goOn func()) // what the prompt waits for
	}{
		{"a history is told", func(s *sim, a *modelSession) func() {
			var left modelRequest
			a.m.onPrompt = func(_ *modelSession, r modelRequest) { left = r }
			s.prompt(s.handle(a.id), "earlier")
			s.settle(0)
			s.post = func(string) delivery { return travels } // the request for the history
			s.load()
			s.settle(0)
			a.echo(left, "u1")
			a.accept(left, "u1")
			return func() {
				s.post = nil
				s.arrive()
			}
		}},
		{"the store is slow", func(s *sim, _ *modelSession) func() {
			s.slow = true
			return func() {
				s.slow = false
				s.landed()
				s.pump()
			}
		}},
		{"another request is on its way", func(s *sim, a *modelSession) func() {
			s.post = func(string) delivery { return travels }
			s.request(s.handle(a.id), "session/set_config_option", `{"configId":"x","value":"y"}`)
			return func() {
				s.post = nil
				s.arrive()
			}
		}},
	}
	for _, test := range tests {
		for _, heard := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, its beginning heard: %t", test.name, heard), func(t *testing.T) {
				s, _, a := opened(t, newModel())
				goOn := test.wait(s, a)
				handle := s.handle(a.id)
				a.m.onPrompt = func(a *modelSession, r modelRequest) {
					a.echo(r, "u2")
					a.accept(r, "u2")
				}
				w := newWaiters(func() []engine.Effect { return s.effects }, s.prompt)
				prompt := w.prompt(handle, "next")
				a.is(`"state":"running"`)
				a.chunk("a1", "x")
				a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":1}`)
				s.settle(0)
				goOn()
				s.settle(0)
				w.hear()
				s.expect(prompt.answers == 1 && !prompt.failed, "it is answered %d times", prompt.answers)
				s.expect(!prompt.settled, "it settles with the end of turn %d", prompt.by)
				if heard {
					a.is(`"state":"running"`)
					a.chunk("a2", "y")
				}
				a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":2}`)
				s.settle(0)
				w.hear()
				s.expect(prompt.settled && prompt.by == 2, "it settles with the end of turn %d", prompt.by)
			})
		}
	}
}
