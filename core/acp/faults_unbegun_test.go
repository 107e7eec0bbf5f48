//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// unbegun is an agent that has taken a prompt into the history of a session, and has
// neither answered it nor begun its turn. before says whether there was a turn before it.
func unbegun(t *testing.T, before bool) (*model, *sim, *modelSession, engine.CallID) {
	t.Helper()
	m := newModel()
	s, handle, a := opened(t, m)
	if before {
		s.prompt(handle, "first")
		s.settle(0)
	}
	m.onPrompt = func(s *modelSession, r modelRequest) { s.echo(r, "u9") }
	call := s.prompt(handle, "second")
	s.settle(0)
	s.effects = nil
	return m, s, a, call
}

// TestFault369_TurnNotBegun: the history is read between a prompt and the beginning of its
// turn. The agent is idle there, with the reason of the turn before or none; that is not
// the end of the turn that comes.
func TestFault369_TurnNotBegun(t *testing.T) {
	for _, before := range []bool{false, true} {
		m, s, a, call := unbegun(t, before)
		m.forget(s)
		s.settle(1_000)
		s.expect(s.settled(call).Outcome == engine.OutcomeResult, "the prompt ended with %+v", s.settled(call))
		s.expect(s.ended() == 0, "before %v: %d turns ended, and none had begun", before, s.ended())
		a.is(`"state":"running"`)
		a.chunk("a9", "late")
		s.settle(60_000)
		s.expect(s.ended() == 0, "before %v: a turn ended that goes on", before)
		a.is(`"state":"idle","stopReason":"max_tokens"`)
		s.settle(60_000)
		s.expect(s.ended() == 1 && len(s.events(engine.EventTurn, `"max_tokens"`)) == 1, "before %v: %d turns ended", before, s.ended())
	}
}

// TestFault369_TurnThatSaidNothing: nor does anybody wait for ever where the turn had
// ended before the history was read, without a word of the agent's: it counts as over
// once nothing is heard of it for a while in which the agent is heard.
func TestFault369_TurnThatSaidNothing(t *testing.T) {
	for _, end := range []string{`"state":"idle","stopReason":"refusal"`, `"state":"idle"`} {
		m, s, a, _ := unbegun(t, false)
		a.state = end
		m.forget(s)
		s.settle(1_000)
		s.expect(s.ended() == 0, "it ended at once")
		s.cut(m.reading(a.id), 0)
		s.settle(60_000)
		s.expect(s.ended() == 1, "%s: %d turns ended", end, s.ended())
	}
}

// TestFault369_TurnThatSaidSomething: one of which the agent has said something has begun,
// and is over at once.
func TestFault369_TurnThatSaidSomething(t *testing.T) {
	m, s, a, _ := unbegun(t, true)
	a.history = append(a.history, `{"sessionUpdate":"agent_message_chunk","messageId":"a9","content":{"type":"text","text":"quick"}}`)
	a.state = `"state":"idle","stopReason":"max_tokens"`
	m.forget(s)
	s.settle(1_000)
	s.expect(s.ended() == 1 && len(s.events(engine.EventTurn, `"max_tokens"`)) == 1, "%d turns ended", s.ended())
}

// TestFault369_InAnotherTab: a tab that looks on has asked, and the tab that carries the
// session reads its history again in between.
func TestFault369_InAnotherTab(t *testing.T) {
	m := newModel()
	s, _, a := opened(t, m)
	m.onPrompt = func(s *modelSession, r modelRequest) { s.echo(r, "u9") }
	l := s.look(77)
	id := l.request("session/prompt", hello)
	call := s.ask(l.forwarded()[0])
	request := idIn(l.forwarded()[0])
	s.settle(0)
	m.forget(s)
	s.settle(1_000)
	e := s.settled(call)
	l.hear(1)
	l.do(func(c *acp.Client) { c.ForwardSettled(l.Now, request, e.Outcome, e.Data, e.Failure) })
	s.expect(l.outcome(id) == "1 {}", "settled with %q", l.outcome(id))
	s.expect(l.ended() == 0, "%d turns ended, and none had begun", l.ended())
	a.is(`"state":"running"`)
	a.is(`"state":"idle","stopReason":"end_turn"`)
	s.settle(0)
	l.hear(1)
	l.do(func(c *acp.Client) { c.Advance(l.Now.After(60_000)) })
	s.expect(l.ended() == 1, "%d turns ended", l.ended())
}

// TestFault369_NextPage: a page that is loaded in between waits for nobody's turn, and
// tells of no end before there is one.
func TestFault369_NextPage(t *testing.T) {
	_, s, a, _ := unbegun(t, false)
	s.load()
	s.settle(60_000)
	s.expect(s.ended() == 0, "%d turns ended, and none had begun", s.ended())
	a.is(`"state":"running"`)
	a.is(`"state":"idle","stopReason":"max_tokens"`)
	s.settle(0)
	s.expect(s.ended() == 1 && len(s.events(engine.EventTurn, `"max_tokens"`)) == 1, "%d turns ended", s.ended())
}

// TestFault378_TurnsOfALogReadAgain: a session changes hands in the middle of its second
// turn, and the tab that waits for it reads the log from the start. The turns in it are
// over for that tab: it does not hear once more that they end.
func TestFault378_TurnsOfALogReadAgain(t *testing.T) {
	for _, here := range []bool{true, false} {
		m := newModel()
		s, handle, a := opened(t, m)
		s.prompt(handle, "first")
		s.settle(0)
		m.onPrompt = func(s *modelSession, r modelRequest) {
			s.echo(r, "u2")
			s.accept(r, "u2")
			s.is(`"state":"running"`)
			s.chunk("a2", "half")
		}
		l := s.look(77)
		l.request("session/prompt", hello)
		s.ask(l.forwarded()[0])
		s.settle(0)
		l.hear(1)
		l.told = nil
		if here {
			l.takeOver()
		} else {
			l.hear(2)
		}
		s.expect(l.ended() == 0, "here %v: %d turns ended, and one goes on", here, l.ended())
		if here {
			continue // its agent is not there
		}
		a.is(`"state":"idle","stopReason":"max_tokens"`)
		s.settle(0)
		l.hear(2)
		s.expect(l.ended() == 1, "%d turns ended", l.ended())
	}
}
