//go:build !js

package acp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// outlasts has three prompts made, each in the turn of the one before, the last of them there where last
// says: in this tab or in one that looks on. The agent holds it over the first two turns, which are over now,
// and then answers it before it repeats it.
func outlasts(t *testing.T, there bool) (s *sim, a *modelSession, settled func() (by int, ok bool),
	l *lookingOn) {
	m := newModel()
	var held []modelRequest
	m.onPrompt = func(a *modelSession, r modelRequest) { held = append(held, r) }
	s, handle, a := opened(t, m)
	w := newWaiters(func() []engine.Effect { return s.effects }, s.prompt)
	l = s.lookOn()
	hear := func() {
		s.settle(0)
		drain(l)
		w.hear()
	}
	w.prompt(handle, "one")
	hear()
	begin := func(i int) {
		a.echo(held[i], fmt.Sprint("u", i+1))
		a.accept(held[i], fmt.Sprint("u", i+1))
		a.is(`"state":"running"`)
		hear()
	}
	begin(0)
	w.prompt(handle, "two")
	hear()
	var third *awaitedPrompt
	if there {
		third = l.waits.prompt(1, "three")
	} else {
		third = w.prompt(handle, "three")
	}
	hear()
	s.expect(len(held) == 3, "the agent has %d prompts", len(held))
	a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":1}`)
	begin(1)
	a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":2}`)
	a.accept(held[2], "u3")
	hear()
	s.expect(third.answers == 1, "it is answered %d times", third.answers)
	return s, a, func() (int, bool) {
		hear()
		return third.by, third.settled
	}, l
}

// TestFault674_AcceptedBeforeTheEcho: a prompt that the agent has held over the turn of another one is
// accepted before it is repeated. It settles with its own turn, here and in a tab that looks on.
func TestFault674_AcceptedBeforeTheEcho(t *testing.T) {
	for _, there := range []bool{false, true} {
		t.Run(fmt.Sprint("there ", there), func(t *testing.T) {
			s, a, settled, _ := outlasts(t, there)
			by, ok := settled()
			s.expect(!ok, "it settles with the end of turn %d", by)
			a.update(`{"sessionUpdate":"user_message","messageId":"u3","content":[{"type":"text",` +
				`"text":"three"}]}`)
			a.is(`"state":"running"`)
			s.settle(60_000)
			a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":3}`)
			by, ok = settled()
			s.expect(ok && by == 3, "it settles %v with the end of turn %d", ok, by)
		})
	}
}

// TestFault674_NoTurnOfItsOwn: the agent has taken it into the turn before, and says so when that is over.
// No caller waits for ever.
func TestFault674_NoTurnOfItsOwn(t *testing.T) {
	for _, there := range []bool{false, true} {
		s, _, settled, l := outlasts(t, there)
		s.settle(16_000)
		l.do(func(c *acp.Client) { c.Advance(l.Now.After(16_000)) })
		by, ok := settled()
		s.expect(ok && by == 2, "there %v: it settles %v with the end of turn %d", there, ok, by)
	}
}

// TestFault704_InTheAgentsWords: the agent repeats a prompt in words of its own, and accepts it once its turn
// has ended. It settles with that turn at once, and there is no other one.
func TestFault704_InTheAgentsWords(t *testing.T) {
	for _, says := range []string{"", "done"} {
		for _, message := range []string{"", "u1"} {
			t.Run(fmt.Sprintf("says %q accepted as %q", says, message), func(t *testing.T) {
				m := newModel()
				var prompt modelRequest
				m.onPrompt = func(_ *modelSession, r modelRequest) { prompt = r }
				s, handle, a := opened(t, m)
				w := newWaiters(func() []engine.Effect { return s.effects }, s.prompt)
				waits := w.prompt(handle, "/review")
				s.settle(0)
				a.update(`{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text",` +
					`"text":"Review what has changed."}]}`)
				a.is(`"state":"running"`)
				if says != "" {
					a.chunk("a1", says)
				}
				a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":1}`)
				s.settle(0)
				a.accept(prompt, message)
				s.settle(0)
				w.hear()
				s.expect(waits.settled && s.ended() == 1, "it has settled: %v, and %d turns have ended",
					waits.settled, s.ended())
			})
		}
	}
}
