//go:build !js

package acp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// v1Remembers is an agent of version 1 whose messages have no ids: it keeps what it was asked, and answers
// when it is told to.
func v1Remembers() (*model, *[]modelRequest) {
	m, asked := newModel(), &[]modelRequest{}
	m.version = 1
	m.onPrompt = func(a *modelSession, r modelRequest) {
		*asked = append(*asked, r)
		a.history = append(a.history,
			`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"again"}}`)
	}
	return m, asked
}

func (s *sim) shows(handle uint32) (text string) {
	for _, it := range transcript(s.effects, handle) {
		text += it.kind + "=" + it.text + " "
	}
	return text
}

// TestFault616_SameWordsBeforeTheHistory: version 1, without ids of messages. The same words are prompted
// again before the history has come, in which the agent has them once. The prompt has not left yet, so it is
// not that one: it used to be missing.
func TestFault616_SameWordsBeforeTheHistory(t *testing.T) {
	for _, way := range []string{"a reload", "a new connection", "a reload of which nothing is stored"} {
		t.Run(way, func(t *testing.T) {
			m, asked := v1Remembers()
			s, handle, a := opened(t, m)
			s.prompt(handle, "again")
			s.settle(0)
			a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}}`)
			v1ends(s, a, (*asked)[0], "end_turn")
			s.post = func(string) delivery { return travels }
			if way == "a reload of which nothing is stored" {
				s.storedAgain()
			}
			if way != "a new connection" {
				s.onTheWay = nil // it goes with its page
				s.load()
				handle = s.handle(a.id)
			} else {
				m.forget(s)
			}
			s.settle(0)
			s.prompt(handle, "again")
			s.settle(0)
			s.post = nil
			s.arrive()
			s.settle(5_000)
			s.expect(len(*asked) == 2, "the agent has %d prompts", len(*asked))
			a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"}}`)
			v1ends(s, a, (*asked)[1], "end_turn")
			const want = "user_message=again agent_message=one user_message=again agent_message=two "
			s.expect(s.shows(handle) == want, "shown %s", s.shows(handle))
			s.load()
			s.settle(5_000)
			handle = s.handle(a.id)
			s.expect(s.shows(handle) == want, "the next page shows %s", s.shows(handle))
		})
	}
}

// TestFault616_PromptThatWaitsAtTheEndOfATurn: version 1: the turn of one prompt ends while another one waits
// for a history. That one is shown as one that waits, and not as one that the agent has.
func TestFault616_PromptThatWaitsAtTheEndOfATurn(t *testing.T) {
	m, asked := v1Remembers()
	s, handle, a := opened(t, m)
	s.prompt(handle, "again")
	s.settle(0)
	v1load(s, a.id)
	if x, frame, ok := m.take(s); ok { // the answer; the history trails
		s.chunk(x, frame)
	}
	s.prompt(handle, "next")
	v1ends(s, a, (*asked)[0], "end_turn")
	s.expect(s.shows(handle) == "user_message=again ", "shown %s", s.shows(handle))
	s.settle(5_000)
	s.expect(len(*asked) == 2 && s.shows(handle) == "user_message=again user_message=next ", "shown %s",
		s.shows(handle))
}

// TestFault616_SameWordsAndNothingBetween: version 1, without ids: the agent has the same words twice, with
// nothing between, and tells its history on a new connection. Nothing can have come before that: the first of
// them is no rest of a history that was cut.
func TestFault616_SameWordsAndNothingBetween(t *testing.T) {
	for _, n := range []int{2, 3} {
		t.Run(fmt.Sprint(n, " times"), func(t *testing.T) {
			m, _ := v1Remembers()
			s, handle, a := opened(t, m)
			for range n {
				a.history = append(a.history,
					`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"again"}}`)
			}
			m.forget(s)
			s.settle(30_000)
			want := "user_message=againagain "
			if n == 3 {
				want = "user_message=againagainagain "
			}
			s.expect(s.shows(handle) == want, "shown %s", s.shows(handle))
		})
	}
}

// TestFault616_SameWordsOfAnotherClient: a prompt is refused, since its server knows the connection no more.
// The history that comes on the next one has the same words, of another client: they are not the prompt,
// which leaves behind them and settles with its own turn.
func TestFault616_SameWordsOfAnotherClient(t *testing.T) {
	m := newModel()
	m.onPrompt = func(a *modelSession, r modelRequest) {
		a.echo(r, "u1")
		a.accept(r, "u1")
		a.is(`"state":"running"`)
	}
	s, handle, a := opened(t, m)
	m.connections = map[string]*modelConnection{} // and nobody has said so yet
	a.history = append(a.history,
		`{"sessionUpdate":"user_message","messageId":"o1","content":[{"type":"text","text":"again"}]}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"a1","content":{"type":"text","text":"one"}}`,
		`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
	s.prompt(handle, "again")
	s.settle(30_000)
	s.expect(len(m.of("session/prompt")) == 2, "it was sent %d times", len(m.of("session/prompt")))
	ended := len(s.events(engine.EventPhase, `"ended":true`))
	s.expect(ended == 0, "%d turns have ended, and its own is under way: %s", ended, s.lastTurn())
}
