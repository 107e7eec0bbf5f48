//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// TestFault481_ParkedBeforeItsTurn: the agent has accepted a prompt and begins its turn later.
// Meanwhile the app uses another session, and the two have one stream: it comes back in time
// for the turn, as it does for one that is under way.
func TestFault481_ParkedBeforeItsTurn(t *testing.T) {
	m := newModel()
	s := newSim(t, acp.Config{}, m)
	first, id := s.session()
	second, _ := s.session()
	a := m.sessions[id]
	s.streamsOf(1)
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.echo(r, "u1")
		a.accept(r, "u1")
	}
	s.prompt(first, "one")
	s.settle(3_000)
	s.request(second, "session/set_config_option", `{"configId":"x","value":"y"}`)
	s.settle(6_000)
	a.is(`"state":"running"`)
	a.chunk("a1", "x")
	a.is(`"state":"idle","stopReason":"end_turn"`)
	s.settle(6_000)
	s.expect(s.ended() == 1, "%d turns ended in six seconds", s.ended())
}

// TestFault482_AcceptedBeforeItIsInTheLog: a tab that looks on hears that its prompt is
// accepted, and reads a log that has the turn before and not yet the prompt. Its turn is still
// to come.
func TestFault482_AcceptedBeforeItIsInTheLog(t *testing.T) {
	m := newModel()
	s, handle, a := opened(t, m)
	s.prompt(handle, "first")
	s.settle(0)
	l := s.look(77)
	l.told = nil
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.echo(r, "u9")
		a.accept(r, "u9")
	}
	m.forget(s) // its log is written again
	s.settle(1_000)
	stored := unsealed(s.Store.Followed())
	_, request, call := l.prompts()
	l.answered(request, call)
	l.do(func(c *acp.Client) { c.Restore(l.Now, stored) })
	s.expect(l.ended() == 0, "%d turns ended, and none had begun", l.ended())
	a.is(`"state":"running"`)
	a.chunk("a9", "x")
	a.is(`"state":"idle","stopReason":"max_tokens"`)
	s.settle(1_000)
	l.hear(1)
	s.expect(l.ended() == 1, "%d turns ended", l.ended())
}

// TestFault483_EchoInOtherWords: the agent's echo of a prompt has another text, and its answer
// names it. A tab that looks on hears no answer; by the log it knows that the prompt is in the
// history. It was told as unsent there.
func TestFault483_EchoInOtherWords(t *testing.T) {
	m := newModel()
	s, _, _ := opened(t, m)
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.accept(r, "u9")
		a.update(`{"sessionUpdate":"user_message","messageId":"u9","content":[{"type":"text","text":"hello,` +
			` as the agent has it"}]}`)
		a.is(`"state":"running"`)
	}
	l := s.look(77)
	l.request("session/prompt", hello)
	s.slow = true
	s.ask(l.forwarded()[0])
	s.landed() // it is stored
	l.hear(1)
	follow := len(s.Store.Rows(s.Store.Calls()[0]))
	s.slow = false
	s.pump()
	s.settle(1_000)
	for _, row := range s.Store.Rows(s.Store.Calls()[0])[follow:] {
		l.do(func(c *acp.Client) { c.Restore(l.Now, unsealed(journal.AppendOp(nil, row))) })
	}
	var ops []string
	for _, e := range l.told {
		if text := string(e.Data); e.Event == engine.EventItem && strings.Contains(text, `,"prompt":`) {
			ops = append(ops, text)
		}
	}
	s.expect(len(ops) == 2 && strings.HasPrefix(ops[0], `{"op":"pending`) &&
		strings.HasPrefix(ops[1], `{"op":"placed"`), "told %q", ops)
}

// TestFault615_LateAnswerToAnEarlierPage: a prompt is accepted, and its turn has not begun. Then the answer
// comes to a prompt of an earlier page, whose turn is over, and the turn that is expected goes by while
// nobody reads. It used to be expected no more: who waited for it waited for ever.
func TestFault615_LateAnswerToAnEarlierPage(t *testing.T) {
	m := newModel()
	var left []modelRequest
	m.onPrompt = func(_ *modelSession, r modelRequest) { left = append(left, r) }
	s, handle, a := opened(t, m)
	s.prompt(handle, "earlier")
	s.settle(0)
	s.load()
	s.settle(0)
	a.echo(left[0], "u1")
	a.is(`"state":"running"`)
	s.settle(0)
	w := newWaiters(func() []engine.Effect { return s.effects }, s.prompt)
	prompt := w.prompt(s.handle(a.id), "next")
	s.settle(0)
	a.chunk("a1", "x")
	a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":1}`)
	a.echo(left[1], "u2")
	a.accept(left[1], "u2")
	a.accept(left[0], "u1") // late
	s.settle(0)
	a.is(`"state":"running"`)
	a.chunk("a2", "y")
	a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":2}`)
	s.cut(m.reading(a.id), 3)
	s.settle(60_000)
	w.hear()
	s.expect(prompt.settled && prompt.by == 2, "it settles with the end of turn %d", prompt.by)
}

// TestFault615_LateAnswerBesideTheNextPrompt: a prompt was taken into a turn, and is answered when the next
// one is in the history, or accepted, whose turn has not begun. That one used to settle with the turn before.
func TestFault615_LateAnswerBesideTheNextPrompt(t *testing.T) {
	for i, where := range []string{"here", "in a tab that looks on", "here, before the next one is accepted",
		"there, before that"} {
		m := newModel()
		var had []modelRequest
		m.onPrompt = func(_ *modelSession, r modelRequest) { had = append(had, r) }
		s, handle, a := opened(t, m)
		a.is(`"state":"running"`)
		s.settle(0)
		l := s.lookOn()
		w := newWaiters(func() []engine.Effect { return s.effects }, s.prompt)
		if i%2 == 1 {
			w, handle = l.waits, 1
		}
		settle := func() {
			s.settle(0)
			drain(l)
			s.settle(0)
			drain(l)
			w.hear()
		}
		first := w.prompt(handle, "first")
		settle()
		a.echo(had[0], "u1")
		a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":1}`)
		settle()
		next := w.prompt(handle, "next")
		settle()
		a.echo(had[1], "u2")
		for _, answered := range [][2]int{{1, 0}, {0, 1}}[i/2] {
			a.accept(had[answered], fmt.Sprint("u", answered+1))
			settle()
		}
		s.expect(!next.settled, "%s: it settles with the end of turn %d", where, next.by)
		a.is(`"state":"running"`)
		a.is(`"state":"idle","stopReason":"end_turn","_meta":{"turn":2}`)
		settle()
		s.expect(next.settled && next.by == 2 && first.settled,
			"%s: it settles with the end of turn %d; the first: %v", where, next.by, first.settled)
	}
}
