//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// duringTurn has a second prompt sent during the turn of the first, to an agent that says
// nothing to it by itself: the call of that prompt, and the request as the agent has it.
func duringTurn(t *testing.T) (m *model, s *sim, a *modelSession, call engine.CallID, second modelRequest) {
	m = newModel()
	m.onPrompt = func(s *modelSession, r modelRequest) {
		if s.turns++; s.turns == 2 {
			second = r
			return
		}
		s.echo(r, "u1")
		s.accept(r, "u1")
		s.is(`"state":"running"`)
	}
	s, handle, a := opened(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	call = s.prompt(handle, "second")
	s.settle(0)
	return m, s, a, call, second
}

// TestHeldPromptWhoseTurnNobodyRead: the agent holds the second prompt until it is
// done with the first, and both turns end while the stream is cut. One end is told,
// and two are expected: who waits for the second turn would wait for ever.
func TestHeldPromptWhoseTurnNobodyRead(t *testing.T) {
	m, s, a, second, held := duringTurn(t)
	s.deaf = neverLeft
	s.cut(m.reading(a.id), 0)
	a.is(`"state":"idle","stopReason":"end_turn"`)
	a.echo(held, "u2")
	a.accept(held, "u2")
	a.is(`"state":"running"`)
	a.is(`"state":"idle","stopReason":"end_turn"`)
	m.each(func(b *modelBox) { b.frames = nil }) // they went to the socket that died
	s.expect(s.ended() == 0, "%d turns ended", s.ended())
	s.deaf = arrives
	s.settle(60_000)
	s.expect(s.settled(second).Outcome == engine.OutcomeResult, "the second prompt ended with %+v", s.settled(second))
	s.expect(s.ended() == 2, "%d turns ended", s.ended())
}

// TestFault180_AnswerAfterTheTurn: a prompt is taken into the turn that is under way,
// and the agent answers it only when that turn is over. No other turn follows, so one
// more end is told: who waits for the prompt would wait for ever. Of a prompt that was
// held until then the turn is still to come.
func TestFault180_AnswerAfterTheTurn(t *testing.T) {
	for _, held := range []bool{false, true} {
		_, s, a, call, second := duringTurn(t)
		if !held {
			a.echo(second, "u2")
		}
		a.is(`"state":"idle","stopReason":"end_turn"`)
		a.accept(second, "u2")
		s.settle(0)
		s.expect(s.settled(call).Outcome == engine.OutcomeResult, "held %v: the second prompt ended with %+v", held, s.settled(call))
		if held {
			s.expect(s.ended() == 1, "held: %d turns ended before its own", s.ended())
			a.echo(second, "u2")
			a.is(`"state":"running"`)
			a.is(`"state":"idle","stopReason":"end_turn"`)
			s.settle(0)
		}
		s.expect(s.ended() == 2, "held %v: %d turns ended", held, s.ended())
	}
}

// TestHeldPromptOfATabThatSlept: the same, where another tab has carried the session
// on and this one reads its log: who is at work is there no more than once.
func TestHeldPromptOfATabThatSlept(t *testing.T) {
	for _, over := range []bool{true, false} {
		s, _, _ := opened(t, newModel())
		l := s.look(77)
		id := l.request("session/prompt", hello)
		request := idIn(l.forwarded()[0])
		l.do(func(c *acp.Client) { c.ForwardSettled(l.Now, request, 0, nil, nil) })
		write := func(entries ...journal.Entry) {
			var plain []byte
			for _, e := range entries {
				plain = journal.AppendEntry(plain, e)
			}
			s.Store.Append(s.Store.Calls()[0], plain)
		}
		idle := journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(engine.EventTurn)}, Data: []byte(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)}
		write(journal.Entry{Kind: journal.Placed, N: [3]uint64{request}, Data: []byte("placed")})
		if over {
			write(idle)
		}
		l.told = nil
		l.hear(2)
		s.expect(l.outcome(id) == "1 {}", "settled with %q", l.outcome(id))
		ended := func() int {
			n := 0
			for _, e := range l.told {
				if e.Kind == engine.Deliver && e.Event == engine.EventTurn && string(e.Data[len(e.Data)-len(`"ended":true}`):]) == `"ended":true}` {
					n++
				}
			}
			return n
		}
		if !over {
			s.expect(ended() == 0, "a turn ended that goes on")
			write(idle)
			l.hear(2)
		}
		s.expect(ended() == 1, "%d turns ended", ended())
	}
}
