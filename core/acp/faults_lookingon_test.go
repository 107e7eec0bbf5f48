//go:build !js

package acp_test

import (
	"fmt"
	"testing"
)

// TestFault609_HeldForATabThatLooksOn: the agent holds the prompt of a tab that looks on, ends the turn of
// another tab's, and takes it in. The answer used to be there before the log said that the turn was over: the
// prompt settled with that.
func TestFault609_HeldForATabThatLooksOn(t *testing.T) {
	for _, version := range []int{2, 1} {
		for _, slow := range []bool{false, true} {
			t.Run(fmt.Sprintf("version %d, the store is slow: %t", version, slow), func(t *testing.T) {
				m := newModel()
				m.version = version
				var held []modelRequest
				m.onPrompt = func(a *modelSession, r modelRequest) {
					if held = append(held, r); len(held) == 1 && version == 2 {
						a.echo(r, "u1")
						a.accept(r, "u1")
						a.is(`"state":"running"`)
					}
				}
				s, handle, a := opened(t, m)
				l := s.lookOn()
				s.prompt(handle, "first")
				s.settle(0)
				drain(l)
				prompt := l.waits.prompt(1, "next")
				drain(l)
				s.expect(len(held) == 2, "the agent has %d prompts", len(held))
				s.slow = slow
				end := func(r modelRequest, turn int) {
					if version == 1 {
						a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn",`+
							`"_meta":{"turn":%d}}}`, r.ID, turn)
						return
					}
					a.is(fmt.Sprintf(`"state":"idle","stopReason":"end_turn","_meta":{"turn":%d}`, turn))
				}
				a.chunk("a1", "x") // whose commit is under way
				s.settle(0)
				end(held[0], 1)
				if version == 2 {
					a.accept(held[1], "u2")
					a.echo(held[1], "u2")
					a.is(`"state":"running"`)
				}
				s.settle(0)
				drain(l)
				s.expect(!prompt.settled, "it settles with the end of turn %d", prompt.by)
				for range 5 {
					s.landed()
					s.pump()
				}
				drain(l)
				s.expect(!prompt.settled, "it settles with the end of turn %d, late", prompt.by)
				s.slow = false
				end(held[1], 2)
				s.settle(0)
				s.landed()
				s.pump()
				drain(l)
				s.expect(prompt.settled && (prompt.by == 2 || version == 1),
					"it settles with the end of turn %d", prompt.by)
			})
		}
	}
}

// TestFault609_TurnsThatAnotherTabHadNotHeard: a tab that looks on prompts before it has heard that a turn is
// under way. The agent holds its prompt until that is over, and takes it in before its own turn begins.
func TestFault609_TurnsThatAnotherTabHadNotHeard(t *testing.T) {
	for _, leaves := range []string{"in that turn", "after it"} {
		t.Run(leaves, func(t *testing.T) {
			m := newModel()
			var held []modelRequest
			m.onPrompt = func(_ *modelSession, r modelRequest) { held = append(held, r) }
			s, handle, a := opened(t, m)
			l := s.lookOn()
			drain(l)
			if leaves == "after it" {
				s.post = func(string) delivery { return travels }
				// the prompt waits behind it
				s.request(handle, "session/set_config_option", `{"configId":"x","value":"y"}`)
			} else {
				a.is(`"state":"running"`)
				s.settle(0)
			}
			prompt := l.waits.prompt(1, "next")
			drain(l)
			a.is(`"state":"running"`)
			a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":1}`)
			s.settle(0)
			s.post = nil
			s.arrive()
			s.settle(0)
			s.expect(len(held) == 1, "the agent has %d prompts", len(held))
			a.accept(held[0], "u2")
			a.echo(held[0], "u2")
			s.settle(0)
			drain(l)
			s.expect(prompt.answers == 1 && !prompt.failed, "it is answered %d times", prompt.answers)
			s.expect(!prompt.settled, "it settles with the end of turn %d", prompt.by)
			a.is(`"state":"running"`)
			a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":2}`)
			s.settle(0)
			drain(l)
			s.expect(prompt.settled && prompt.by == 2, "it settles with the end of turn %d", prompt.by)
		})
	}
}

// TestFault609_TakenOverBeforeItHasHeard: a tab that looks on has prompted, and the tab that carries the
// session ends before the other one has heard its last rows: a turn that was under way is over, and the
// prompt was taken in behind it. It settles with its own turn.
func TestFault609_TakenOverBeforeItHasHeard(t *testing.T) {
	m := newModel()
	var held []modelRequest
	m.onPrompt = func(_ *modelSession, r modelRequest) { held = append(held, r) }
	s, _, a := opened(t, m)
	l := s.lookOn()
	drain(l)
	a.is(`"state":"running"`)
	s.settle(0)
	prompt := l.waits.prompt(1, "next")
	all := l.forwarded()
	s.ask(all[len(all)-1])
	s.settle(0)
	s.expect(len(held) == 1, "the agent has %d prompts", len(held))
	a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":1}`)
	a.echo(held[0], "u2")
	s.settle(0)
	m.leaveAll()
	l.channel = nil
	l.takeOver()
	l.waits.hear()
	s.expect(prompt.answers == 1 && !prompt.settled, "it has %d answers, and settles with the end of turn %d",
		prompt.answers, prompt.by)
}
