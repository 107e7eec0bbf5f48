//go:build !js

package acp_test

import (
	"fmt"
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
		s.expect(s.settled(call).Outcome == engine.OutcomeResult, "the prompt ended with %+v",
			s.settled(call))
		s.expect(s.ended() == 0, "before %v: %d turns ended, and none had begun", before, s.ended())
		a.is(`"state":"running"`)
		a.chunk("a9", "late")
		s.settle(60_000)
		s.expect(s.ended() == 0, "before %v: a turn ended that goes on", before)
		a.is(`"state":"idle","stopReason":"max_tokens"`)
		s.settle(60_000)
		s.expect(s.ended() == 1 && len(s.events(engine.EventPhase, `"max_tokens"`)) == 1,
			"before %v: %d turns ended", before, s.ended())
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
	a.history = append(a.history,
		`{"sessionUpdate":"agent_message_chunk","messageId":"a9","content":{"type":"text","text":"quick"}}`)
	a.state = `"state":"idle","stopReason":"max_tokens"`
	m.forget(s)
	s.settle(1_000)
	s.expect(s.ended() == 1 && len(s.events(engine.EventPhase, `"max_tokens"`)) == 1, "%d turns ended",
		s.ended())
}

// TestFault369_InAnotherTab: a tab that looks on has asked, and the tab that carries the
// session reads its history again in between.
func TestFault369_InAnotherTab(t *testing.T) {
	m := newModel()
	s, _, a := opened(t, m)
	m.onPrompt = func(s *modelSession, r modelRequest) { s.echo(r, "u9") }
	l := s.look(77)
	id, request, call := l.prompts()
	m.forget(s)
	s.settle(1_000)
	l.hear(1)
	l.answered(request, call)
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
	s.expect(s.ended() == 1 && len(s.events(engine.EventPhase, `"max_tokens"`)) == 1, "%d turns ended",
		s.ended())
}

// TestFault369_ForgottenMeanwhile: the session goes while its turn is expected.
func TestFault369_ForgottenMeanwhile(t *testing.T) {
	for name, end := range map[string]func(s *sim){
		"forget": func(s *sim) { s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, 1) }) },
		"close":  func(s *sim) { s.request(1, "session/close", `{}`) },
		"forget, and the client closes": func(s *sim) {
			s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, 1) })
			s.do("close", (*acp.Client).Close)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := recover(); p != nil {
					t.Error(p)
				}
			}()
			m, s, _, _ := unbegun(t, false)
			m.forget(s)
			s.settle(1_000)
			end(s)
			s.settle(60_000)
		})
	}
}

// TestFault369_TwoSessionsAndOneStream: the history is read each time that the session has
// the stream, while another one works. The wait does not begin again with that.
func TestFault369_TwoSessionsAndOneStream(t *testing.T) {
	m := newModel()
	s := newSim(t, acp.Config{}, m)
	h1, id1 := s.session()
	h2, id2 := s.session()
	s.streamsOf(1)
	s.settle(60_000)
	m.onPrompt = func(a *modelSession, r modelRequest) { a.echo(r, "u9") }
	s.prompt(h1, "one")
	s.settle(0)
	s.prompt(h2, "two")
	s.settle(0)
	m.sessions[id1].state = `"state":"idle","stopReason":"error"` // without a word
	m.sessions[id2].is(`"state":"running"`)                       // and this one works for long
	s.settle(20_000)
	before := len(m.of("session/resume"))
	s.settle(600_000)
	s.expect(s.ended() == 1, "%d turns ended in ten minutes, %d histories were read", s.ended(),
		len(m.of("session/resume"))-before)
}

// TestFault369_StreamCutAgainAndAgain: nor where the stream is cut each 10 s.
func TestFault369_StreamCutAgainAndAgain(t *testing.T) {
	m, s, a, _ := unbegun(t, true)
	m.forget(s)
	s.settle(1_000)
	for range 60 {
		s.settle(10_000)
		if x := m.reading(a.id); x != 0 {
			s.cut(x, 0)
		}
	}
	s.expect(s.ended() > 0, "nothing ended in ten minutes")
}

// TestFault369_Notice: a notice is no part of the conversation, and no beginning of a turn.
func TestFault369_Notice(t *testing.T) {
	m, s, a, _ := unbegun(t, true)
	a.history = append(a.history,
		`{"sessionUpdate":"notice","severity":"info","title":"Waiting for capacity"}`)
	m.forget(s)
	s.settle(1_000)
	s.expect(s.ended() == 0, "%d turns ended, and none had begun", s.ended())
}

// TestFault369_AcceptedBeforeItsEcho: the agent has accepted the prompt, which is not in the
// history yet: what is there is the turn before.
func TestFault369_AcceptedBeforeItsEcho(t *testing.T) {
	for _, id := range []string{"", "u9"} {
		t.Run("id "+id, func(t *testing.T) {
			m := newModel()
			s, handle, a := opened(t, m)
			s.prompt(handle, "first")
			s.settle(0)
			var req modelRequest
			m.onPrompt = func(s *modelSession, r modelRequest) {
				req = r
				if id == "" {
					s.conn.say(s.id, `{"jsonrpc":"2.0","id":%s,"result":{}}`, r.ID)
				} else {
					s.accept(r, id)
				}
			}
			call := s.prompt(handle, "second")
			s.settle(0)
			s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not accepted")
			s.effects = nil
			m.forget(s)
			s.settle(1_000)
			if s.ended() != 0 {
				t.Errorf("%d turns ended, and none had begun", s.ended())
			}
			a.echo(req, "u9")
			a.is(`"state":"running"`)
			a.is(`"state":"idle","stopReason":"max_tokens"`)
			s.settle(1_000)
			s.expect(s.ended() == 1, "%d turns ended", s.ended())
		})
	}
}

// TestFault369_AnotherPromptMeanwhile: a tab that looks on waits for a turn to begin, and its
// next prompt is accepted. It waits on, as the tab that carries the session does.
func TestFault369_AnotherPromptMeanwhile(t *testing.T) {
	m := newModel()
	s, handle, _ := opened(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	l := s.look(77)
	users := 8
	answer := false
	m.onPrompt = func(s *modelSession, r modelRequest) {
		users++
		id := fmt.Sprint("u", users)
		s.echo(r, id)
		if answer {
			s.accept(r, id)
		}
	}
	l.told = nil
	ask := func(lose bool) {
		_, request, call := l.prompts()
		if lose {
			m.forget(s)
			s.settle(1_000)
		}
		l.hear(1)
		l.answered(request, call)
	}
	ask(true)
	s.effects = nil
	wait := func(ms int64) {
		l.Now += engine.Time(ms)
		l.do(func(c *acp.Client) { c.Advance(l.Now) })
		s.settle(ms)
	}
	wait(10_000)
	answer = true
	ask(false)
	wait(60_000)
	if l.ended() != s.ended() {
		t.Errorf("here %d turns ended, in the tab that looks on %d", s.ended(), l.ended())
	}
}

// TestFault369_HistoryThatFails: a turn is in a history that has no end, and the prompt is
// answered after that.
func TestFault369_HistoryThatFails(t *testing.T) {
	m := newModel()
	s, handle, a := opened(t, m)
	var req modelRequest
	m.onPrompt = func(s *modelSession, r modelRequest) {
		req = r
		s.echo(r, "u9")
		s.is(`"state":"running"`)
		s.chunk("a9", "x")
		s.is(`"state":"idle","stopReason":"max_tokens"`)
	}
	m.silent["session/resume"] = true
	s.prompt(handle, "second")
	s.effects = nil
	s.cut(m.reading(a.id), 10)
	s.settle(5000)
	for _, u := range a.history {
		a.tell(u)
	}
	a.tell(`{"sessionUpdate":"state_update",` + a.state + `}`)
	s.settle(70_000)
	a.accept(req, "u9")
	s.settle(120_000)
	if s.ended() == 0 {
		t.Error("nothing ended")
	}
}
