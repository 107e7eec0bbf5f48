//go:build !js

package acp_test

import (
	"strings"
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
// done with the first, and both turns end while the stream is cut. One end is reported,
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
	s.expect(s.settled(second).Outcome == engine.OutcomeResult, "the second prompt ended with %+v",
		s.settled(second))
	s.expect(s.ended() == 2, "%d turns ended", s.ended())
}

// TestFault180_AnswerAfterTheTurn: a prompt is taken into the turn that is under way,
// and the agent answers it only when that turn is over. No other turn follows, so one
// more end is reported: who waits for the prompt would wait for ever. Of a prompt that was
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
		s.expect(s.settled(call).Outcome == engine.OutcomeResult, "held %v: the second prompt ended with %+v",
			held, s.settled(call))
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

// TestFault184_AnswerBesideTheLog: a tab that looks on prompts. The answer and the log
// come to it on two ways: it hears of the turn's end once after its prompt was made,
// whichever is first, and also where the log, written again from a history, has no more
// of the turn than its end.
func TestFault184_AnswerBesideTheLog(t *testing.T) {
	running, idle := `"state":"running"`, `"state":"idle","stopReason":"end_turn"`
	for _, test := range []struct {
		name   string
		before string // the agent's state when the prompt is made
		log    string // what the log has of the turn
		first  bool   // the answer comes before the log
		want   int    // so many ends after the prompt was made
	}{
		{"the answer, then a turn", idle, running + "|" + idle, true, 1},
		{"the answer, then its end alone", idle, idle, true, 1},
		{"the end alone, then the answer", idle, idle, false, 1},
		{"into a turn, the answer first", running, idle, true, 1},
		{"into a turn, its end first", running, idle, false, 2},
	} {
		s, _, a := opened(t, quiet())
		a.is(test.before)
		s.settle(0)
		l := s.look(77)
		id := l.request("session/prompt", hello)
		request := idIn(l.forwarded()[0])
		answer := func() {
			l.do(func(c *acp.Client) {
				c.ForwardSettled(l.Now, request, engine.OutcomeResult, []byte(`{"messageId":"u1"}`), nil)
			})
		}
		if test.first {
			answer()
		}
		plain := journal.AppendEntry(nil,
			journal.Entry{Kind: journal.Placed, N: [3]uint64{request}, Data: []byte("placed")})
		for state := range strings.SplitSeq(test.log, "|") {
			plain = journal.AppendEntry(plain, journal.Entry{Kind: journal.Event,
				N:    [3]uint64{uint64(engine.EventPhase)},
				Data: []byte(`{"sessionUpdate":"state_update",` + state + `}`)})
		}
		record := s.Store.Calls()[0]
		before := len(s.Store.Rows(record))
		s.Store.Append(record, plain)
		l.tell(s.Store.Rows(record)[before:]...)
		if !test.first {
			answer()
		}
		s.expect(l.outcome(id) != "", "%s: not settled", test.name)
		s.expect(l.ended() == test.want, "%s: %d turns ended, want %d", test.name, l.ended(), test.want)
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
		idle := journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(engine.EventPhase)},
			Data: []byte(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)}
		write(journal.Entry{Kind: journal.Placed, N: [3]uint64{request}, Data: []byte("placed")})
		if over {
			write(idle)
		}
		l.told = nil
		l.hear(2)
		s.expect(l.outcome(id) == "1 {}", "settled with %q", l.outcome(id))
		if !over {
			s.expect(l.ended() == 0, "a turn ended that goes on")
			write(idle)
			l.hear(2)
		}
		s.expect(l.ended() == 1, "%d turns ended", l.ended())
	}
}
