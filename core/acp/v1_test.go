//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// version1 is an agent of version 1 that says nothing of what it was asked, and
// names no message; a prompt waits in *asked for its answer.
func version1() (*model, *modelRequest) {
	m, asked := newModel(), &modelRequest{}
	m.version = 1
	m.onPrompt = func(s *modelSession, r modelRequest) {
		*asked = r
		s.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"an "}}`)
		s.tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"answer"}}`)
	}
	return m, asked
}

// TestVersion1OverAReload: the prompt stays in front of its answer, and the answer
// to it, which comes to the next page, ends the turn.
func TestVersion1OverAReload(t *testing.T) {
	m, asked := version1()
	s, handle, a := opened(t, m)
	s.prompt(handle, "hi")
	s.settle(0)
	s.load()
	handle = s.handle(a.id)
	check := func(when string) {
		t.Helper()
		items := transcript(s.effects, handle)
		s.expect(len(items) == 2 && items[0].kind == "user_message" && items[0].text == "hi" && items[1].text == "an answer", "%s: %v", when, items)
	}
	check("at once")
	s.expect(len(s.events(engine.EventIntegrity, "")) == 0 && s.ended() == 0, "restored as another version")
	m.answers = `"agentCapabilities":{}` // no session/load from here on
	a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, asked.ID)
	a.m.silent["session/load"] = true
	s.settle(1_000)
	check("in the end")
	s.expect(s.ended() == 1, "%d ends", s.ended())
}

// TestVersion1LosesItsConnection: nobody answers the prompt any more; that ends the
// turn and the call, and both are told.
func TestVersion1LosesItsConnection(t *testing.T) {
	m, _ := version1()
	s, handle, _ := opened(t, m)
	call := s.prompt(handle, "hi")
	s.settle(0)
	m.forget(s)
	s.settle(60_000)
	e := s.settled(call)
	s.expect(e.Failure != nil && e.Failure.Code == engine.CodeOutcomeUnknown, "settled with %v", e.Failure)
	s.expect(s.ended() == 1 && len(s.events(engine.EventTurn, `"stopReason":"error"`)) == 1, "%d ends", s.ended())
	s.expect(strings.Contains(said(s.effects, handle), "an answer") || len(m.of("session/load")) > 0, "the answer is gone")
}
