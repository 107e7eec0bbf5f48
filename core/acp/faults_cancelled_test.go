//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault502_PromptBehindCancel: an app cancels, and makes another prompt at once. The prompt waits for the
// word, which would end its turn.
func TestFault502_PromptBehindCancel(t *testing.T) {
	for _, what := range []delivery{travels, neverLeft, unreported} {
		s, handle, a := opened(t, newModel())
		a.m.onPrompt = func(a *modelSession,
			r modelRequest) {
			a.echo(r, "u1")
			a.accept(r, "u1")
			a.is(`"state":"running"`)
		}
		s.prompt(handle, "one")
		s.settle(0)
		n := 0
		s.post = func(body string) delivery {
			if strings.Contains(body, "session/cancel") && n == 0 {
				n++
				return what
			}
			return arrives
		}
		s.do("cancel", func(c *acp.Client, now engine.Time) { c.Notify(now, handle, "session/cancel", nil) })
		s.prompt(handle, "two")
		s.settle(0)
		s.arrive()
		s.settle(60_000)
		got := a.m.words("session/prompt", "session/cancel")
		if !strings.HasSuffix(got, "session/prompt") {
			t.Errorf("%d: the agent got %q: it cancels the second", what, got)
		}
	}
}

// TestFault504_CancelWhileAway: a prompt waits for an agent that is away, and the app cancels. It does not
// leave.
func TestFault504_CancelWhileAway(t *testing.T) {
	m := quiet()
	s, handle, _ := opened(t, m)
	m.refuse = 503
	m.forget(s)
	s.settle(2_000)
	call := s.prompt(handle, "one")
	s.settle(0)
	s.cancel(handle)
	m.refuse = 0
	s.settle(60_000)
	s.expect(len(m.of("session/prompt")) == 0, "the prompt that was cancelled leaves: %+v", s.settled(call))
}

// TestFault504_CancelWhileSigningIn: a prompt was refused for want of authorization, and waits until somebody
// has signed in. The app takes it back meanwhile.
func TestFault504_CancelWhileSigningIn(t *testing.T) {
	m := newModel()
	m.slowly = true
	s := newSim(t, acp.Config{HasTokenProvider: true, SignIn: true}, m)
	s.do("token", func(c *acp.Client, now engine.Time) { c.Token(now, "t1", nil) })
	handle, _ := s.session()
	refused := 0
	s.post = func(body string) delivery {
		if strings.Contains(body, `"session/prompt"`) && refused == 0 {
			return travels
		}
		return arrives
	}
	call := s.prompt(handle, "one")
	s.settle(0)
	for x, e := range s.Exchanges() {
		if !e.Over && !e.Head && strings.Contains(string(e.Request.Body), `"session/prompt"`) {
			refused++
			s.onTheWay = nil
			s.Head(x, 401)
			s.collect()
			s.pump()
		}
	}
	s.expect(refused == 1, "not refused")
	s.settle(1_000)
	s.do("cancel", func(c *acp.Client, now engine.Time) { c.Cancel(now, call) })
	s.settle(3_600_000)
	s.do("token", func(c *acp.Client, now engine.Time) { c.Token(now, "t2", nil) })
	s.settle(1_000)
	got := m.words("session/prompt", "$/cancel_request")
	s.expect(!strings.Contains(got, "session/prompt"),
		"an hour after it was cancelled the agent gets %q and says %q", got, said(s.effects, handle))
}

// TestFault507_HeldPromptInDoubt: an agent that is at work holds a second prompt, and the answer to its POST
// was lost. It is not told as unsent while the agent may have it.
func TestFault507_HeldPromptInDoubt(t *testing.T) {
	m := newModel()
	var second modelRequest
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
	s.post = func(string) delivery { return unreported }
	call := s.prompt(handle, "second")
	s.settle(0)
	s.post = nil
	s.settle(60_000)
	unsent := len(s.events(engine.EventItem, `"unsent"`))
	a.is(`"state":"idle","stopReason":"end_turn"`)
	a.echo(second, "u2")
	a.accept(second, "u2")
	a.is(`"state":"running"`)
	s.settle(1_000)
	e := s.settled(call)
	s.expect(unsent == 0 && e.Outcome == engine.OutcomeResult,
		"told as unsent %d times, settled with %+v %v; the agent is at work on it, and there are %d "+
			"breaches of its", unsent, e.Outcome, e.Failure,
		len(s.events(engine.EventIntegrity, "unknown_response")))
}

// TestFault509_WithdrawnBeforeAsked: an agent takes a question back on its connection's stream, before the
// session's stream brings the question. Nobody is asked.
func TestFault509_WithdrawnBeforeAsked(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	box := a.conn.box(a.id)
	frames := box.frames
	box.frames = nil
	a.conn.say("", `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`, a.askID)
	s.settle(0)
	box.frames = frames
	s.settle(0)
	s.expect(len(s.open()) == 0, "the person is asked what nobody waits for")
}

// TestFault509_WithdrawnAndRefused: an agent takes a question back, and its server refuses the client's own
// answer. Nobody is asked again.
func TestFault509_WithdrawnAndRefused(t *testing.T) {
	for _, how := range []string{"agent", "cancelled"} {
		s, handle, a := opened(t, quiet())
		a.ask(func() {})
		s.settle(0)
		a.m.connections["c1"].refuses = true
		if how == "agent" {
			a.conn.say("", `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`, a.askID)
			s.settle(0)
		} else {
			s.cancel(handle)
		}
		s.settle(10_000)
		if n := len(openOf(s.effects)); n != 0 {
			t.Errorf("%s: the person is asked again what has been taken back", how)
		}
	}
}

// TestCancelOfAnotherTabIsSentOnce: a word to cancel came from a tab that looks on, and was sent. The next
// tab that carries the session does not send it again.
func TestCancelOfAnotherTabIsSentOnce(t *testing.T) {
	m := newModel()
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.turns++
		a.echo(r, fmt.Sprint("u", a.turns))
		a.accept(r, fmt.Sprint("u", a.turns))
		a.is(`"state":"running"`)
	}
	s, handle, a := opened(t, m)
	s.prompt(handle, "one")
	s.settle(0)
	l := s.look(77)
	l.do(func(c *acp.Client) { c.Notify(l.Now, 1, "session/cancel", nil) })
	all := l.forwarded()
	request := idIn(all[len(all)-1])
	s.ask(all[len(all)-1])
	l.do(func(c *acp.Client) { c.ForwardSettled(l.Now, request, 0, nil, nil) }) // taken
	s.settle(0)
	a.is(`"state":"idle","stopReason":"cancelled"`)
	s.settle(0)
	s.prompt(handle, "two")
	s.settle(0)
	l.hear(1)
	m.leaveAll()
	before := len(m.of("session/cancel"))
	l.takeOver()
	sent := 0
	for _, e := range l.told {
		if e.Kind == engine.Fetch && strings.Contains(string(e.Request.Body), "session/cancel") {
			sent++
		}
	}
	s.expect(before == 1 && sent == 0, "the agent has had the word %d times, and the next tab sends it %d "+
		"times: it cancels the second prompt", before, sent)
}

// TestFault619_PermissionCrossesTheCancel: the agent asks for a permission as the app cancels the turn: it
// has not heard of that yet, and waits for an answer. It gets that the turn is cancelled, and nobody is
// asked; what goes on in the background is asked.
func TestFault619_PermissionCrossesTheCancel(t *testing.T) {
	for _, version := range []int{2, 1} {
		for _, background := range []string{"", `,"background":[{"type":"tool_call","toolCallId":"t1"}]`} {
			m := newModel()
			m.version = version
			m.onPrompt = func(a *modelSession, r modelRequest) {
				if version == 2 {
					a.echo(r, "u1")
					a.accept(r, "u1")
				}
			}
			s, handle, a := opened(t, m)
			s.prompt(handle, "hi")
			if version == 2 {
				a.is(`"state":"running"` + background)
			}
			s.settle(0)
			s.cancel(handle)
			a.ask(func() {})
			id := a.askID
			s.settle(1_000)
			asked := len(s.open())
			want := 0
			if version == 2 && background != "" {
				want = 1
			}
			s.expect(asked == want && len(s.events(engine.EventQuestion, "")) == want,
				"version %d %s: the person is asked %d times", version, background, asked)
			s.expect(m.answered[id] == 1-want, "version %d %s: the agent has %d answers", version, background,
				m.answered[id])
			if want == 0 {
				last := m.requests[len(m.requests)-1]
				s.expect(strings.Contains(string(last.Result), `"cancelled"`), "it got %s", last.Result)
			}
		}
	}
}
