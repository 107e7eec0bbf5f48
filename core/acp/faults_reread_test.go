//go:build !js

package acp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

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

// TestFault378_LogWrittenAgain: the tab that carries the session writes its log again, which
// has the numbers of the old one. Tabs do not tell each other that it was deleted.
func TestFault378_LogWrittenAgain(t *testing.T) {
	m := newModel()
	s, _, a := opened(t, m)
	m.onPrompt = func(s *modelSession, r modelRequest) { s.echo(r, "u9") }
	l := s.look(77)
	id, request, call := l.prompts()
	l.hear(1)
	a.history = append(a.history,
		`{"sessionUpdate":"agent_message_chunk","messageId":"a9","content":{"type":"text","text":"quick"}}`)
	a.state = `"state":"idle","stopReason":"max_tokens"`
	m.forget(s)
	s.settle(1_000)
	s.expect(s.ended() == 1, "here %d turns ended", s.ended())
	l.answered(request, call) // at once
	l.hear(1)                 // once it is stored
	l.do(func(c *acp.Client) { c.Advance(l.Now.After(60_000)) })
	s.expect(l.outcome(id) == "1 {}", "settled with %q", l.outcome(id))
	s.expect(l.ended() == 1, "in the tab that looks on %d turns ended", l.ended())
}

// TestFault378_LogWithoutAState: the log is written again without its history, in which the
// agent was idle.
func TestFault378_LogWithoutAState(t *testing.T) {
	m := newModel()
	s := newSim(t, acp.Config{Limits: acp.Limits{Stored: 6500}}, m)
	_, id := s.session()
	_, id2 := s.session()
	a := m.sessions[id]
	a.chunk("a0", strings.Repeat("x", 4000))
	s.settle(0)
	m.onPrompt = func(s *modelSession, r modelRequest) { s.echo(r, "u9") }
	l := s.look(77)
	_, request, call := l.prompts()
	a.state = `"state":"idle","stopReason":"refusal"`
	m.forget(s)
	s.settle(1_000)
	l.hear(1)
	l.answered(request, call)
	m.sessions[id2].chunk("b0", strings.Repeat("y", 3000))
	s.settle(0)
	s.expect(len(s.events(engine.EventGuarantee, "resumable")) == 1, "it is all kept")
	l.hear(1)
	l.do(func(c *acp.Client) { c.Advance(l.Now.After(60_000)) })
	for _, e := range l.told {
		s.expect(e.Event != engine.EventIntegrity, "the agent is blamed: %s", e.Data)
	}
	s.expect(l.ended() == 1, "%d ended", l.ended())
}

// TestFault378_LostBeforeItWasStored: a tab loses a session whose second turn it has heard
// begin, and not stored. The log ends with the turn before.
func TestFault378_LostBeforeItWasStored(t *testing.T) {
	m := newModel()
	s, handle, _ := opened(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	stored := s.Store.Followed()
	m.onPrompt = func(s *modelSession, r modelRequest) {
		s.echo(r, "u2")
		s.accept(r, "u2")
		s.is(`"state":"running"`)
	}
	s.prompt(handle, "second")
	s.settle(0)
	s.effects = nil
	s.do("handed on", func(c *acp.Client, now engine.Time) { c.Restore(now, unsealed(inEpoch(stored, 2))) })
	s.expect(s.ended() == 0, "%d turns ended, and one goes on", s.ended())
}

// TestFault378_StoreAway: a turn ends while nothing can be stored, and the log is written again.
func TestFault378_StoreAway(t *testing.T) {
	m := newModel()
	s, _, a := opened(t, m)
	l := s.look(77)
	m.onPrompt = func(s *modelSession, r modelRequest) {
		s.echo(r, "u9")
		s.accept(r, "u9")
		s.is(`"state":"running"`)
	}
	_, request, call := l.prompts()
	l.answered(request, call)
	l.hear(1)
	l.told = nil
	s.slow = true
	a.chunk("a9", "x")
	s.settle(10_000) // given up
	a.is(`"state":"idle","stopReason":"max_tokens"`)
	s.settle(1_000)
	s.slow = false
	s.landed()
	s.pump()
	s.settle(60_000)
	l.hear(1)
	l.do(func(c *acp.Client) { c.Advance(l.Now.After(60_000)) })
	if l.ended() == 0 {
		t.Error("nothing ended there")
	}
}

// TestFault379_ServedByThePageBefore: a tab asks once more for what a page that has gone has
// sent for it; or the one before that, whose log was written again.
func TestFault379_ServedByThePageBefore(t *testing.T) {
	for loads := 1; loads <= 2; loads++ {
		for _, ms := range []int64{0, 5_000} {
			m := newModel()
			s, _, _ := opened(t, m)
			l := s.look(77)
			l.prompts()
			for range loads {
				s.load()
				s.settle(ms)
			}
			s.ask(l.forwarded()[0])
			s.settle(0)
			s.expect(len(m.of("session/prompt")) == 1, "%d loads: %d prompts", loads,
				len(m.of("session/prompt")))
		}
	}
}

// TestFault379_AskedForItsOwn: a tab is frozen with a prompt of another one, which takes the
// session over and sends the prompt itself. The first thaws, and asks for it.
func TestFault379_AskedForItsOwn(t *testing.T) {
	m := newModel()
	s, _, _ := opened(t, m)
	l := s.look(77)
	l.request("session/prompt", hello)
	text := l.forwarded()[0]
	stored := bytes.Clone(s.Store.Followed())
	l.told = nil
	l.takeOver()
	s.slow = true
	s.ask(text)
	s.do("lost", func(c *acp.Client, now engine.Time) { c.Restore(now, unsealed(inEpoch(stored, 2))) })
	var again []string
	for _, e := range s.events(engine.EventForward, "") {
		again = append(again, string(e.Data))
	}
	var got engine.CallID
	l.do(func(c *acp.Client) { got = c.Serve(l.Now, []byte(again[0])) })
	if got != 0 {
		t.Errorf("l makes its own prompt %d once more: call %d", idIn(text), got)
	}
}
